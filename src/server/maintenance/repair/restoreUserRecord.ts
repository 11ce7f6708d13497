/**
 * Recreates the user record of an account that lost it: the name from the node's index of names, the id from the journal, the
 * address from the account stream. The password is lost.
 */
import { randomBytes } from 'node:crypto'
import { each, type Database } from '../../../store/engine/database.js'
import type { User } from '../../../store/accounts/users.js'
import { EMAIL_STREAM } from '../../../store/accounts/emails.js'
import { findEvent } from '../../../store/events/events.js'
import { decodeEntry } from '../../../store/engine/journal.js'
import { accountKeys, nodeKeys, under } from '../../../store/engine/keys.js'
import { hashPassword } from '../../auth/password.js'

/** Returns the user record; undefined when no name leads to the account. */
export async function restoreUserRecord(db: Database, account: string, now: number): Promise<string | undefined> {
  const usernames: string[] = []
  const former: string[] = []
  for await (const [key, holder] of each(db.entries(under(nodeKeys.usernames)))) {
    const name = key.slice(nodeKeys.usernames.length)
    if (holder === account) usernames.push(name)
    if (holder === `${account}/former`) former.push(name)
  }
  const [username] = usernames
  const id = await idOf(db, account)
  if (username === undefined || id === undefined) return undefined
  const email = emailOf(db, account)
  const user: User = {
    id,
    username,
    // A hash of random bytes that no password matches.
    passwordHash: await hashPassword(randomBytes(32).toString('base64url')),
    created: now,
    passwordChanged: now,
    hidden: {},
    unique: email === undefined ? {} : { email },
    ...(former.length === 0 ? {} : { formerUsernames: former }),
  }
  return JSON.stringify(user)
}

async function idOf(db: Database, account: string): Promise<string | undefined> {
  for await (const [, bytes] of each(db.byteEntries(under(accountKeys.journals(account))))) {
    const entry = decodeEntry(bytes)
    if (entry?.kind === 'user' && entry.action !== 'delete') return entry.id
  }
  return undefined
}

function emailOf(db: Database, account: string): string | undefined {
  try {
    const content = findEvent(db, account, EMAIL_STREAM)?.content
    return typeof content === 'string' ? content : undefined
  } catch {
    return undefined
  }
}
