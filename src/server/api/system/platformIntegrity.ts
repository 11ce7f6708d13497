import * as z from 'zod'
import { compareNames } from '../../../store/check/platform.js'
import type { Findings } from '../../../store/check/findings.js'
import { namesOf, type User } from '../../../store/accounts/users.js'
import { limitConcurrency } from '../../base/concurrency.js'
import { adminKey } from '../../call/callers.js'
import type { Context } from '../../call/context.js'
import { platformMethod } from '../../call/method.js'
import type { Name } from '../../platform/registry/port.js'
import { accountIdsOf, usersOf } from './accounts.js'

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
    const shared = node.registry.isShared ? [await comparedWithPlatform(node)] : []
    return { checks: [platform, index, ...shared], unnamed }
  },
})

/** Number of names looked up at once. */
const AT_ONCE = 16

/** Checks that all names of the accounts here, and only they, lead to these accounts for all cores. */
async function comparedWithPlatform(node: Context): Promise<z.output<typeof Check>> {
  const { registry } = node
  const errors: string[] = []
  const limited = limitConcurrency(AT_ONCE)
  const users = new Map((await usersOf(node)).map(({ user }) => [user.id, user]))
  let names = 0
  async function check(user: User, name: Name): Promise<void> {
    names += 1
    const holder = await registry.lookUp(name, { isFresh: true })
    if (holder?.account === user.id && holder.core === registry.core) return
    errors.push(`user ${user.id}: ${name.field} ${holder === undefined ? 'is not registered' : 'belongs to another account'}`)
  }
  await Promise.all([...users.values()].flatMap((user) => namesIn(user).map((name) => limited(() => check(user, name)))))
  const homes = new Set(await accountIdsOf(registry, registry.core))
  for (const id of users.keys()) if (!homes.has(id)) errors.push(`user ${id}: this core is not registered as its core`)
  for (const id of homes) if (!users.has(id)) errors.push(`user ${id}: is registered for this core, which does not have the account`)
  return { title: 'Users of this core vs platform', infos: { usersCountOnPlatform: homes.size, usersCountOnRepository: users.size, namesCount: names }, errors }
}

/** Returns the names of an account; the id in place of a freed username is none. */
function namesIn(user: User): Name[] {
  const { usernames, unique } = namesOf(user)
  const named = usernames.filter((value) => value !== user.id).map((value) => ({ field: 'username', value }))
  return [...named, ...unique.map(([field, value]) => ({ field, value }))]
}

const errorsOf = ({ problems }: Findings): string[] => problems.map(({ where, what }) => `${where} ${what}`)
