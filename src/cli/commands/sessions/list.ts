import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sessions list`. */
export const list = command({
  path: ['sessions', 'list'],
  summary: 'List login sessions',
  description: 'Each app has one session per account. A session expires some time after its last use, so EXPIRES moves with every use.',
  options: { user: text('Only this account', { placeholder: 'username', names: 'user' }) },
  examples: [
    { type: 'coffer sessions list', description: 'list as a table' },
    { type: 'coffer sessions list --user ana-lovelace -q', description: 'print only the ids, one per line' },
  ],
  json: '{"sessions":[{"id","username","app","since","lastUsed","expires"}]}, times in seconds',
  offline: true,
  async run({ out, connect }, { user }) {
    const client = await connect()
    const answer = await client.call('sessions.list', user === undefined ? {} : { username: user }, {})
    const { sessions } = answer
    await out.list(answer, {
      columns: [
        { title: 'USERNAME', cell: (session) => session.username },
        { title: 'APP', cell: (session) => session.app, shrinks: true },
        { title: 'SINCE', time: ({ since }) => since, drops: true },
        { title: 'LAST USED', time: ({ lastUsed }) => lastUsed, drops: true },
        { title: 'EXPIRES', time: ({ expires }) => expires, drops: 'late' },
        { title: 'ID', cell: (session) => session.id },
      ],
      rows: sessions,
      id: (session) => session.id,
      count: counted(sessions.length, 'session'),
    })
  },
})
