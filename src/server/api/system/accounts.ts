/** Account listings of operator routes. */
import { findEvent } from '../../../store/events/events.js'
import { listUsernames, readUser, type User } from '../../../store/accounts/users.js'
import type { Context } from '../../call/context.js'
import type { Registry } from '../../platform/registry/port.js'

/** Returns the accounts of this core in alphabetical order of user names. */
export async function usersOf({ store }: Context): Promise<{ account: string; user: User }[]> {
  const users = []
  for (const { account } of await listUsernames(store.db)) {
    const user = readUser(store.db, account)
    if (user !== undefined) users.push({ account, user })
  }
  return users
}

/** Number of ids read at once. */
const PAGE = 1000

/** Returns the ids of all accounts of a core of the platform. */
export async function accountIdsOf({ homes }: Pick<Registry, 'homes'>, core: string): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const page = await homes.page(core, ids.at(-1), PAGE)
    ids.push(...page)
    if (page.length < PAGE) return ids
  }
}

/** Returns the value of an account field from its event; undefined when it has none. */
export function fieldOf({ store }: Context, account: string, streamId: string): string | number | undefined {
  const content = findEvent(store.db, account, streamId)?.content
  return typeof content === 'string' || typeof content === 'number' ? content : undefined
}
