import { command } from '../../command.js'
import { recordOf } from '../../client/answer.js'
import { counted } from '../../terminal/output/format.js'
import { callSet, chosen, setOptions } from './sets.js'

/** `coffer profile show`. */
export const show = command({
  path: ['profile', 'show'],
  summary: 'Show a profile set',
  description:
    'An account keeps a public set, which every access may read, a private one, and one for each app. Without --set or --app, the public one is shown.',
  options: setOptions,
  examples: [
    { type: 'coffer profile show --user ana-lovelace', says: 'the public set' },
    { type: 'coffer profile show --set private', says: "the owner's own" },
    { type: 'coffer profile show --app heart-watch', says: 'what an app keeps for itself' },
  ],
  json: '{"profile":{…}}',
  offline: true,
  async run({ out, connect }, { user, ...named }) {
    const which = chosen(named) ?? { set: 'public' }
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
