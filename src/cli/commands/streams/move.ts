import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { recordOf, textOf } from '../../client/answer.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { flag, text } from '../../framework/option.js'

/** `coffer streams move`. */
export const move = command({
  path: ['streams', 'move'],
  summary: 'Put a stream, with all below it, in another place of the tree',
  arguments: { id: text('The stream', { required: true, names: 'stream' }) },
  options: {
    to: text('Stream below which it goes', { placeholder: 'id', names: 'stream' }),
    toRoot: flag('Make it a root'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer streams move rate --to heart', says: 'below heart' },
    { type: 'coffer streams move rate --to-root', says: 'below nothing' },
  ],
  json: '{"stream":{…}}',
  offline: true,
  async run({ out, connect }, { id, to, toRoot, user, access }) {
    if ((to === undefined) !== toRoot) throw usageError('Say where it goes: either --to <id> or --to-root')
    const client = await connect()
    const update = { parentId: to ?? null }
    const answer = await client.call('streams.update', { id, update }, await authorityOf(client, { user, access }))
    const name = textOf(recordOf(answer['stream'])['name'])
    const place = to === undefined ? 'is a root now' : `is below ${to} now`
    await out.result(answer, { id, print: () => out.done(`Stream ${name} (${id}) ${place}`) })
  },
})
