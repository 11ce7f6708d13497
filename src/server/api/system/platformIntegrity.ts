import * as z from 'zod'
import { compareNames } from '../../../store/check/platform.js'
import type { Findings } from '../../../store/check/findings.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import type { Registry, SharedPlatform } from '../../platform/registry/port.js'

const Check = z.object({
  title: z.string().describe('Title of the check.'),
  infos: z.record(z.string(), z.union([z.number(), z.boolean()])).describe('Counts.'),
  errors: z.array(z.string()).describe('Differences; empty if there are none.'),
})

/**
 * Compares the registered names (user names, values of unique fields) with the users who have them
 * (docs/interface/system.md#checks). The first check goes from users to names, the second from names to users. The platform is
 * consistent when no check has errors. `unnamed` lists the ids of accounts whose names were freed. On a platform of several cores,
 * a third check compares the accounts of this core with the names and homes that all cores share.
 */
export const platformIntegrity = platformMethod({
  id: 'system.checkPlatformIntegrity',
  summary: 'Compares the registered names with the accounts that have them.',
  http: { verb: 'GET', path: '/system/check-platform-integrity' },
  caller: adminKey,
  input: z.unknown(),
  output: () => z.object({
    checks: z.array(Check).describe('The checks.'),
    unnamed: z.array(z.string()).describe('Ids of accounts without a name.'),
  }),
  notInBatch: true,
  fails: ['platform-unavailable'],
  async run({ node }) {
    const { users, names, presentNames, unnamed } = await compareNames(node.store.db, node.store.seal)
    const repository = users.checked['users'] ?? 0
    const platform = {
      title: 'Platform DB vs users repository',
      infos: { usersCountOnPlatform: presentNames, usersCountOnRepository: repository, usersWithoutName: unnamed.length, emailCrossCheckSkipped: false },
      errors: errorsOf(users),
    }
    const index = {
      title: 'Users local index vs database',
      infos: { namesCount: names.checked['user names'] ?? 0, uniqueValuesCount: names.checked['unique values'] ?? 0 },
      errors: errorsOf(names),
    }
    const { registry } = node
    const shared = registry.platform === undefined ? [] : [await comparedWithPlatform(registry, registry.platform)]
    return { checks: [platform, index, ...shared], unnamed }
  },
})

/** Compares the names and homes of the accounts here with those that all cores share. */
async function comparedWithPlatform({ core, homes }: Registry, platform: SharedPlatform): Promise<z.output<typeof Check>> {
  const { accounts, names, missing, conflicts, absent } = await platform.compareNames(false)
  const errors = [
    ...(missing === 0 ? [] : [`${missing} names or accounts are not registered`]),
    ...conflicts.map(({ username, name: { field } }) => (field === 'id' ? `user ${username}: another core is registered as its core` : `user ${username}: ${field} belongs to another account`)),
    ...absent.map((id) => `user ${id}: is registered for this core, which does not have the account`),
  ]
  return { title: 'Users of this core vs platform', infos: { usersCountOnPlatform: await homes.count(core), usersCountOnRepository: accounts, namesCount: names }, errors }
}

const errorsOf = ({ problems }: Findings): string[] => problems.map(({ where, what }) => `${where} ${what}`)
