import { command } from '../../command.js'
import { numberOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { ago, counted, when } from '../../terminal/output/format.js'
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
  async run({ out, connect, now, terminal }, { user }) {
    const client = await connect()
    const as = await accountOf(client, user)
    const { delegates } = await client.call('delegations.listDelegates', {}, as)
    const { controlled } = await client.call('delegations.listControlled', {}, as)
    const rows = [...delegates, ...controlled]
    const at = now()
    const expiry = ({ expiresAt }: Record_): string => {
      const seconds = numberOf(expiresAt)
      if (seconds === undefined) return '—'
      return terminal.outIsTerminal ? when(seconds) : String(seconds)
    }
    await out.list(
      { delegates, controlled },
      {
        columns: [
          { title: 'USERNAME', cell: otherOf },
          { title: 'ROLE', cell: (row) => ('delegate' in row ? 'delegate' : 'managed') },
          { title: 'STATUS', cell: (row) => statusText[textOf(row['status'])] ?? textOf(row['status']) },
          { title: 'SINCE', cell: (row) => ago(numberOf(row['activatedAt'] ?? row['requestedAt']), at), drops: true },
          { title: 'LAST TOKEN', cell: (row) => ago(numberOf(row['lastTokenIssuedAt']), at), drops: true },
          { title: 'EXPIRES', cell: expiry },
        ],
        rows,
        id: otherOf,
        count: counted(rows.length, 'delegation'),
      },
    )
  },
})
