import { wordOrInput } from '../../terminal/input/text.js'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readObject } from '../../terminal/input/jsonObject.js'
import { recordOf } from '../../client/answer.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { callSet, selectedSet, setOptions } from './sets.js'

/** `coffer profile set`. */
export const set = command({
  path: ['profile', 'set'],
  summary: 'Set or remove keys of a profile set',
  description:
    'Keys of the object are set, keys with null are removed, others stay. The set must be named explicitly, because every access can read the public set.',
  arguments: { keys: text('Keys as a JSON object, or - for stdin', { required: true, stdin: 'dash' }) },
  options: setOptions,
  examples: [
    { type: `coffer profile set --set public '{"name":"Ana","avatar":null}'`, description: 'set one key, remove another' },
    { type: 'coffer profile set --app heart-watch - < settings.json', description: 'set keys of an app from a file' },
  ],
  json: '{"profile":{…}}, the whole set',
  offline: true,
  async run({ out, connect, terminal }, { keys, user, ...named }) {
    const which = selectedSet(named)
    if (which === undefined) {
      throw usageError('--set or --app is required', 'Choose the set: --set public, --set private, or --app <name>')
    }
    const update = readObject('<keys>', await wordOrInput(terminal, keys, 'the keys'))
    const answer = await callSet(await connect(), which, user, update)
    const count = counted(Object.keys(recordOf(answer['profile'])).length, 'key')
    const name = which.set === 'app' ? `The profile set of ${which.app}` : `The ${which.set} profile set`
    await out.result(answer, { print: () => out.done(`${name} updated; it has ${count}`) })
  },
})
