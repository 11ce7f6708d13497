import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { choice, flag } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import type { Column } from '../../terminal/output/table.js'
import { groupAccesses, purposeOf } from './groups.js'
import { permissionsText } from './permissions.js'

/** `coffer accesses list`. */
export const list = command({
  path: ['accesses', 'list'],
  summary: 'List the accesses of an account: who can read or change which data',
  description:
    'Personal accesses belong to login sessions and can do everything. The table omits tokens; --json includes them.\n\nOn a terminal, accesses that the node created for delegations, messages and consents are listed below the others, with their purpose. In a pipe, with -q and with --json they are among the others.',
  options: {
    type: choice(['personal', 'app', 'shared'], 'Only accesses of this type'),
    includeExpired: flag('Include expired accesses'),
    user: userOption,
  },
  examples: [
    { type: 'coffer accesses list', description: 'list as a table' },
    { type: 'coffer accesses list --type shared --include-expired', description: 'list what was shared, including expired accesses' },
    { type: 'coffer accesses list -q', description: 'print only the ids, one per line' },
  ],
  json: '{"accesses":[…]}, the result of accesses.get, with tokens',
  offline: true,
  async run({ out, connect, terminal }, { type, includeExpired, user }) {
    const client = await connect()
    const answer = await client.call('accesses.get', includeExpired ? { includeExpired } : {}, await accountOf(client, user))
    const accesses = answer.accesses.filter((access) => type === undefined || access.type === type)
    const id = (access: Record_): string => textOf(access['id'])
    const count = counted(accesses.length, 'access', 'accesses')
    const isGrouped = terminal.outIsTerminal && !out.json && !out.quiet
    const { granted, groups } = isGrouped ? groupAccesses(accesses) : { granted: accesses, groups: [] }
    await out.list(
      { ...answer, accesses },
      {
        columns: [
          { title: 'NAME', cell: nameText, shrinks: true },
          { title: 'TYPE', cell: (access) => textOf(access['type']), drops: 'late' },
          { title: 'MAY', cell: permissionsText, shrinks: true },
          lastUsed,
          { title: 'EXPIRES', time: ({ expires }) => expires, drops: 'late', past: 'expired' },
          { title: 'ID', cell: id },
        ],
        rows: granted,
        id,
        ...(groups.length > 0 ? {} : { count }),
      },
    )
    for (const [place, { heading, accesses: rows }] of groups.entries()) {
      if (place > 0 || granted.length > 0) await out.line('')
      await out.line(heading)
      await out.list(undefined, {
        columns: [
          { title: 'WHAT', cell: purposeOf, shrinks: true },
          lastUsed,
          { title: 'ID', cell: id },
        ],
        rows,
        id,
      })
    }
    if (groups.length > 0) out.note(count)
  },
})

const lastUsed: Column<Record_> = { title: 'LAST USED', time: (access) => access['lastUsed'], drops: true }

function nameText({ name, deviceName }: Record_): string {
  const device = textOf(deviceName)
  return device === '' ? textOf(name) : `${textOf(name)} (${device})`
}
