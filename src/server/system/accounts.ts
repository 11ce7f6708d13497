/** Accounts as operator routes list them. */
import { findEvent } from '../../store/events/events.js'
import { listUsernames, readUser, type User } from '../../store/accounts/users.js'
import type { Node } from '../node.js'

/** The accounts of this core by user name, in alphabetical order. */
export async function usersOf({ store }: Node): Promise<{ account: string; user: User }[]> {
  const users = []
  for (const { account } of await listUsernames(store.db)) {
    const user = readUser(store.db, account)
    if (user !== undefined) users.push({ account, user })
  }
  return users
}

/** How many accounts this core has. */
export const userCount = async ({ store }: Node): Promise<number> => (await listUsernames(store.db)).length

/** The value of an account field as its event has it; undefined when it has none. */
export function fieldOf({ store }: Node, account: string, streamId: string): string | number | undefined {
  const content = findEvent(store.db, account, streamId)?.content
  return typeof content === 'string' || typeof content === 'number' ? content : undefined
}
