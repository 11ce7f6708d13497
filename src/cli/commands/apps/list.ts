import { command } from '../../command.js'
import { recordOf, textOf } from '../../client/answer.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer apps list`. */
export const list = command({
  path: ['apps', 'list'],
  summary: 'List the app directory',
  description: 'Lists the entries of the setting appList and those added with coffer apps add. The same list is public at /apps.',
  examples: [
    { type: 'coffer apps list', description: 'list as a table' },
    { type: 'coffer apps list -q', description: 'print only the ids, one per line' },
  ],
  json: '{"apps":[{"id","displayName","description","iconURL","appURL","active","onboarding","category","support","settingsPageURL"}]}',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('apps.list', {}, {})
    const { apps } = answer
    await out.list(answer, {
      columns: [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'NAME', cell: ({ displayName }) => firstText(displayName), shrinks: true },
        { title: 'CATEGORY', cell: ({ category }) => category || '—', drops: true },
        { title: 'ACTIVE', cell: ({ active }) => (active === undefined ? '—' : active ? 'yes' : 'no'), drops: 'late' },
        { title: 'ADDRESS', cell: ({ appURL }) => appURL || '—', shrinks: true, drops: 'late' },
      ],
      rows: apps,
      id: ({ id }) => id,
      count: counted(apps.length, 'application'),
    })
    if (apps.length === 0) out.note(`Add an application: ${commandFor('apps', 'add', 'heart-watch', '--name', 'Heart Watch')}`)
  },
})

/** Returns a text, or the first of several translations. */
function firstText(value: unknown): string {
  const text = textOf(value)
  return text === '' ? textOf(Object.values(recordOf(value))[0]) || '—' : text
}
