import { command } from '../../command.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { text } from '../../framework/option.js'
import { ago, counted, when } from '../../terminal/output/format.js'

type Session = ResultOf<'sessions.list'>['sessions'][number]

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
  async run({ out, connect, now, terminal }, { user }) {
    const client = await connect()
    const answer = await client.call('sessions.list', user === undefined ? {} : { username: user }, {})
    const { sessions } = answer
    const at = now()
    const time = (session: Session, name: 'since' | 'lastUsed' | 'expires'): string => {
      const seconds = session[name] ?? 0
      return terminal.outIsTerminal ? when(seconds) : String(seconds)
    }
    await out.list(answer, {
      columns: [
        { title: 'USERNAME', cell: (session) => session.username },
        { title: 'APP', cell: (session) => session.app, shrinks: true },
        { title: 'SINCE', cell: (session) => time(session, 'since'), drops: true },
        { title: 'LAST USED', cell: (session) => ago((session.lastUsed ?? undefined), at), drops: true },
        { title: 'EXPIRES', cell: (session) => time(session, 'expires') },
        { title: 'ID', cell: (session) => session.id },
      ],
      rows: sessions,
      id: (session) => session.id,
      count: counted(sessions.length, 'session'),
    })
  },
})
