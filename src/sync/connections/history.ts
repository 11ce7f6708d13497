/** History of the latest contacts with a peer, stored beside the account's records. */
import type { Account, Transaction } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, orderedToNumber, under } from '../../store/engine/keys.js'

/** A contact, or consecutive attempts that failed for the same reason. */
export interface Contact {
  /** Start and end, in seconds. */
  began: number
  ended: number
  /** Items sent and received. */
  sent: number
  received: number
  /** Bytes sent and received on the wire. */
  bytesSent: number
  bytesReceived: number
  /** Result in a few words. */
  result: string
  /** True when the nodes connected. */
  met: boolean
  /** Time of the last comparison with equal digests, in seconds. */
  inSyncAt?: number
  /** Number of attempts, when more than one. */
  attempts?: number
}

export const MAX_CONTACTS = 200

type Stored = Omit<Contact, 'began'>

/** Stages a contact; replaces one with the same start time. */
export function putContact(t: Transaction, peer: number, { began, ...stored }: Contact): void {
  t.put(accountKeys.contact(t.account, peer, began), JSON.stringify(stored))
}

/** Parses a stored contact. Records of earlier builds have `inStepAt` in place of `inSyncAt`. */
function parseContact(text: string): Stored {
  const { inStepAt, ...contact } = JSON.parse(text) as Stored & { inStepAt?: number }
  return inStepAt === undefined ? contact : { inSyncAt: inStepAt, ...contact }
}

/** Lists contacts with a peer, latest first, at most `limit`. */
export async function listContacts({ db, prefix }: Account, peer: number, limit = MAX_CONTACTS): Promise<Contact[]> {
  const family = accountKeys.contacts(prefix, peer)
  const found: Contact[] = []
  for await (const [key, text] of each(db.entries(under(family), { reverse: true, limit }))) {
    found.push({ began: orderedToNumber(key, family.length), ...parseContact(text) })
  }
  return found
}

/** Removes the oldest contacts beyond MAX_CONTACTS. */
export async function trimContacts(account: Account, peer: number): Promise<void> {
  const { db, prefix } = account
  const source = db.keys(under(accountKeys.contacts(prefix, peer)), { reverse: true })
  let old: string[]
  try {
    await source.next(MAX_CONTACTS)
    old = await source.next(MAX_CONTACTS)
  } finally {
    await source.close()
  }
  if (old.length === 0) return
  await account.write((t) => {
    for (const key of old) t.delete(key)
  })
}
