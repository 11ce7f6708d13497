import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { counted } from '../../terminal/output/format.js'
import { otherOf, statusText } from './relation.js'

/** `coffer delegations list`. */
export const list = command({
  path: ['delegations', 'list'],
  summary: 'List delegates and managed accounts',
  description:
    'A delegate acts for this account; a managed account is one that this account acts for. An invitation is pending until the delegate accepts it. "ended there" marks a managed account that ended the delegation: coffer delegations dismiss removes it from the list.',
  options: { user: userOption },
  examples: [
    { type: 'coffer delegations list --user ana-lovelace', description: 'list as a table' },
    { type: 'coffer delegations list --user ana-lovelace -q', description: 'print only the other accounts, one per line' },
  ],
  json: '{"delegates":[…],"controlled":[…]}, the results of delegations.listDelegates and delegations.listControlled',
  offline: true,
  async run({ out, connect }, { user }) {
    const client = await connect()
    const as = await accountOf(client, user)
    const { delegates } = await client.call('delegations.listDelegates', {}, as)
    const { controlled } = await client.call('delegations.listControlled', {}, as)
    const rows = [...delegates, ...controlled]
    await out.list(
      { delegates, controlled },
      {
        columns: [
          { title: 'USERNAME', cell: otherOf },
          { title: 'ROLE', cell: (row) => ('delegate' in row ? 'delegate' : 'managed'), drops: 'late' },
          { title: 'STATUS', cell: (row) => statusText[textOf(row['status'])] ?? textOf(row['status']) },
          { title: 'SINCE', time: (row) => row['activatedAt'] ?? row['requestedAt'], drops: true },
          { title: 'LAST TOKEN', time: (row) => row['lastTokenIssuedAt'], drops: true },
          { title: 'EXPIRES', time: (row) => row['expiresAt'], drops: 'late' },
        ],
        rows,
        id: otherOf,
        count: counted(rows.length, 'delegation'),
      },
    )
  },
})
