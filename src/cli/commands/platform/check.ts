import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { textOf } from '../../client/answer.js'
import type { ResultOf } from '../../client/nodeClient.js'
import type { ExitCode } from '../../framework/exit.js'
import { flag } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer platform check`. */
export const check = command({
  path: ['platform', 'check'],
  summary: 'Check the index of unique values, and the registry, against the accounts',
  description:
    'Usernames, e-mail addresses and other unique values are stored in an index beside the accounts. Each entry must match the account that uses the value. Accounts without a username are listed by id. coffer store check covers everything else as well.\n\n' +
    'On a platform of several cores, the names of the accounts of this core are compared with the registry too. After etcd was lost, or restored from an older snapshot, --repair claims the names that it lacks, and creates the record of this core; run it on each core. A name of another account is never taken: conflicts are listed, as are accounts that the registry places on this core, but that it does not have.\n\n' +
    'Exits with 13 if something differs; with --repair, with 3 if something still does.',
  options: { repair: flag('Claim names that the registry lacks, and create the record of this core if it is missing') },
  examples: [
    { type: 'coffer platform check', description: 'check the index, and the registry' },
    { type: 'coffer platform check --repair', description: 'claim what etcd lost' },
  ],
  json:
    '{"checks":[{"title","infos","errors"}],"unnamed":["id"]}; on a platform of several cores also ' +
    '"registry":{"platform","core","accounts","missing","lacksCore","repaired","conflicts":[{"username","field","value"}],"absent":["id"]}',
  offline: true,
  async run(context, { repair }) {
    const { out, connect, commandFor } = context
    const client = await connect('unlimited')
    // First, so that the checks compare the repaired registry.
    const found = await client.call('platform.check', { repair }, {})
    const registry = found.platform === null ? undefined : found
    const answer = await client.call('system.checkPlatformIntegrity', {}, {})
    // Of several cores, the last check compares the registry, which is reported in detail.
    const own = registry === undefined ? answer.checks : answer.checks.slice(0, -1)
    const errors = own.flatMap(({ errors: messages }) => (Array.isArray(messages) ? messages.map(textOf) : []))
    const unnamed = Array.isArray(answer.unnamed) ? answer.unnamed.map(textOf) : []
    await out.result({ ...answer, ...(registry === undefined ? {} : { registry }) }, {
      print: async () => {
        for (const id of unnamed) await out.line(`Account ${id} has no name`)
        if (unnamed.length > 0) out.note(`Rename it: ${commandFor('users', 'rename', unnamed[0] ?? '', 'new-name')}   Delete it: ${commandFor('users', 'delete', unnamed[0] ?? '')}`)
        for (const error of errors) await out.line(error)
        if (errors.length === 0) out.done('The index matches the accounts')
        else {
          await out.line(`${counted(errors.length, 'entry', 'entries')} without a match`)
          out.note(`Check everything: ${commandFor('store', 'check')}   Repair: ${commandFor('store', 'repair', '--dry-run')}`)
        }
        if (registry !== undefined) await printRegistry(context, registry)
      },
    })
    if (errors.length > 0) return 13
    return registry === undefined ? undefined : exitOf(registry)
  },
})

type Report = ResultOf<'platform.check'>

/** Returns whether something differs, after a repair if there was one. */
const differs = ({ missing, lacksCore, repaired, conflicts, absent }: Report): boolean =>
  conflicts.length > 0 || absent.length > 0 || (!repaired && (missing > 0 || lacksCore))

function exitOf(report: Report): ExitCode | undefined {
  if (!differs(report)) return undefined
  return report.repaired ? 3 : 13
}

/** Prints the comparison with the registry. */
async function printRegistry({ out, commandFor }: Context, report: Report): Promise<void> {
  const { core, accounts, missing, lacksCore, repaired, conflicts, absent } = report
  for (const { username, field, value } of conflicts) {
    await out.line(field === 'id' ? `Account ${username} is on another core in the registry` : `Account ${username}: ${field} ${value} belongs to another account in the registry`)
  }
  for (const id of absent) await out.line(`Account ${id} is on this core in the registry, which does not have it`)
  if (lacksCore) await out.line(repaired ? `Core ${core} was missing in the registry, and is back` : `Core ${core} is missing in the registry`)
  if (missing > 0) await out.line(repaired ? `${counted(missing, 'missing entry', 'missing entries')} claimed in the registry` : `${counted(missing, 'entry', 'entries')} missing in the registry`)
  if (!differs(report)) return out.done(`The registry matches ${counted(accounts, 'account')} of core ${core}`)
  if (!repaired && (missing > 0 || lacksCore)) out.note(`Claim what is missing: ${commandFor('platform', 'check', '--repair')}`)
  const [first] = conflicts.filter(({ field }) => field === 'username')
  if (first !== undefined) out.note(`Give the account another name: ${commandFor('users', 'rename', first.username, 'new-name')}`)
  if (absent.length > 0) out.note(`Accounts may be in a backup of this core: ${commandFor('backup', 'list')}`)
}
