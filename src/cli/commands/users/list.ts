import { command } from '../../command.js'
import { amount, bytes, counted, factorWord } from '../../terminal/output/format.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { selectionOf } from '../../client/defaultAccount.js'
import { flag } from '../../framework/option.js'

type User = ResultOf<'users.list'>['users'][number]

/** `coffer users list`. */
export const list = command({
  path: ['users', 'list'],
  summary: 'List the accounts of the node',
  description:
    'STREAMS counts the streams of people: coffer streams tree lists them. SIZE is the size of the account in the database, FILES that of its attached files. LAST SEEN is the last use of any of its accesses; DEFAULT is the account of commands without --user (coffer users use), in a terminal; MOVED TO is shown if an account was relocated. Accounts without a username are listed by id until they are renamed.',
  options: { unnamed: flag('Only accounts without a username, by id') },
  examples: [
    { type: 'coffer users list', description: 'list as a table' },
    { type: 'coffer users list -q', description: 'print only the usernames, one per line' },
    { type: 'coffer users list --unnamed', description: 'accounts without a username' },
  ],
  json: '{"users":[{"username","id","unnamed","formerUsernames","email","emails","language","mfa","created","lastUsed","auditSince","accesses","streams","storageUsed","relocated","apiEndpoint"}],"default"}, default is the account of commands without --user, or null',
  offline: true,
  async run(context, { unnamed }) {
    const { out, connectToAccounts, commandFor, terminal } = context
    const client = await connectToAccounts()
    const { users: all } = await client.call('users.list', {}, {})
    const nameless = all.filter((user) => user.unnamed)
    const users = unnamed ? nameless : all
    const selected = selectionOf(all, client.choice)
    const chosen = 'account' in selected ? selected.account : undefined
    const answer = { users, default: chosen?.username ?? null }
    const moved = users.some(({ relocated }) => relocated !== null)
    await out.list(answer, {
      columns: [
        { title: 'USERNAME', cell: (user) => user.username },
        // In a pipe, columns stay the same.
        ...(chosen === undefined || !terminal.outIsTerminal ? [] : [{ title: 'DEFAULT', cell: (user: User) => (user === chosen ? 'yes' : '—'), drops: 'late' as const }]),
        { title: 'EMAIL', cell: (user) => user.email ?? '—', shrinks: true },
        { title: 'STREAMS', cell: (user) => amount(user.streams), align: 'right', drops: true },
        { title: 'SIZE', cell: (user) => bytes(user.storageUsed.dbDocuments), align: 'right', drops: true },
        { title: 'FILES', cell: (user) => bytes(user.storageUsed.attachedFiles), align: 'right', drops: true },
        { title: 'MFA', cell: (user) => factorWord(user.mfa), drops: true },
        { title: 'LAST SEEN', time: (user) => user.lastUsed, drops: 'late' },
        ...(moved ? [{ title: 'MOVED TO', cell: (user: User) => user.relocated?.url ?? '—', shrinks: true as const, drops: 'late' as const }] : []),
      ],
      rows: users,
      id: (user) => user.username,
      count: counted(users.length, 'account'),
    })
    if ('by' in selected && selected.by === 'COFFER_USER') out.note(`COFFER_USER selects ${selected.account.username}`)
    if ('problem' in selected) out.warn(selected.problem)
    const [first] = nameless
    if (first !== undefined) out.note(`${counted(nameless.length, 'account')} without a username. Rename one: ${commandFor('users', 'rename', first.id, 'new-name')}`)
    if (all.length === 0) out.note(`Create one: ${commandFor('users', 'create', 'ana-lovelace', '--email', 'ana@example.org')}`)
  },
})
