import { command } from '../../command.js'
import { recordOf } from '../../client/answer.js'
import { counted } from '../../terminal/output/format.js'
import { callSet, selectedSet, setOptions } from './sets.js'

/** `coffer profile show`. */
export const show = command({
  path: ['profile', 'show'],
  summary: 'Show a profile set',
  description:
    'An account has a public set that every access can read, a private one, and one per app. Without --set or --app, shows the public set.',
  options: setOptions,
  examples: [
    { type: 'coffer profile show --user ana-lovelace', description: 'the public set' },
    { type: 'coffer profile show --set private', description: "the private set of the owner" },
    { type: 'coffer profile show --app heart-watch', description: 'the set of an app' },
  ],
  json: '{"profile":{…}}',
  offline: true,
  async run({ out, connect }, { user, ...named }) {
    const which = selectedSet(named) ?? { set: 'public' }
    const answer = await callSet(await connect(), which, user)
    const rows = Object.entries(recordOf(answer['profile']))
    await out.list(answer, {
      columns: [
        { title: 'KEY', cell: ([key]) => key },
        { title: 'VALUE', cell: ([, value]) => (typeof value === 'string' ? value : JSON.stringify(value)), shrinks: true },
      ],
      rows,
      id: ([key]) => key,
      count: counted(rows.length, 'key'),
    })
  },
})
