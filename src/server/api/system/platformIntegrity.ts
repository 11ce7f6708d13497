import * as z from 'zod'
import { compareNames } from '../../../store/check/platform.js'
import type { Findings } from '../../../store/check/findings.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'

const Check = z.object({
  title: z.string().describe('Title of the check.'),
  infos: z.record(z.string(), z.union([z.number(), z.boolean()])).describe('Counts.'),
  errors: z.array(z.string()).describe('Differences; empty if there are none.'),
})

/**
 * Compares the registered names (user names, values of unique fields) with the users who have them
 * (docs/interface/system.md#checks). The first check goes from users to names, the second from names to users. The platform is
 * consistent when no check has errors. `unnamed` lists the ids of accounts whose names were freed.
 */
export const platformIntegrity = platformMethod({
  id: 'system.checkPlatformIntegrity',
  summary: 'Compares the registered names with the accounts that have them.',
  http: { verb: 'GET', path: '/system/check-platform-integrity' },
  caller: adminKey,
  input: z.unknown(),
  output: z.object({
    checks: z.array(Check).describe('The checks.'),
    unnamed: z.array(z.string()).describe('Ids of accounts without a name.'),
  }),
  notInBatch: true,
  fails: [],
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
    return { checks: [platform, index], unnamed }
  },
})

const errorsOf = ({ problems }: Findings): string[] => problems.map(({ where, what }) => `${where} ${what}`)
