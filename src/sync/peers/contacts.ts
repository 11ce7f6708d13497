/**
 * Contacts with a peer: the results of ended sessions and failed attempts (`contactResult`, `failedContact`), the history of
 * the latest ones, stored beside the account's records, and the statistics that follow from it.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, orderedToNumber, under } from '../../store/engine/keys.js'
import type { SessionEnd, SessionStatus } from '../session/types.js'
import type { PeerStats } from './status.js'

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

const MAX_CONTACTS = 200

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

/** Returns the contact for an ended session. */
export function contactResult(began: number, ended: number, status: SessionStatus, end: SessionEnd): Contact {
  const { state, sent, received, bytesSent, bytesReceived, inSyncAt } = status
  return {
    began,
    ended,
    ...{ sent, received, bytesSent, bytesReceived },
    result: resultOf(state === 'in-sync' || inSyncAt !== undefined, end),
    met: true,
    ...(inSyncAt === undefined ? {} : { inSyncAt }),
  }
}

/** Returns the contact for a failed attempt, combined with previous attempts that failed for the same reason. */
export function failedContact(former: Contact | undefined, began: number, ended: number, reason: string): Contact {
  if (former?.result === reason) return { ...former, ended, attempts: (former.attempts ?? 1) + 1 }
  return { began, ended, sent: 0, received: 0, bytesSent: 0, bytesReceived: 0, result: reason, met: false }
}

function resultOf(wasInSync: boolean, { reason, message, byPeer }: SessionEnd): string {
  const about = reason === 'closed' ? '' : `${byPeer ? 'the other node: ' : ''}${message}`
  if (!wasInSync) return about === '' ? 'ended before both were in sync' : about
  return about === '' ? 'in sync' : `in sync, then ${about}`
}

/** Maximum number of refusals counted. */
const MAX_COUNTED = 1000

/** Returns the statistics of a peer from the contact history. */
export async function peerStatsOf(account: Account, peer: number): Promise<PeerStats> {
  const contacts = await listContacts(account, peer)
  const met = contacts.find((contact) => contact.met)
  const inSyncAt = contacts.find((contact) => contact.inSyncAt !== undefined)?.inSyncAt
  return { ...(met === undefined ? {} : { lastContact: met.ended }), ...(inSyncAt === undefined ? {} : { inSyncAt }) }
}

/** Counts the refused items of a peer, up to 1000. */
export async function countRefused({ db, prefix }: Account, peer: number): Promise<number> {
  let count = 0
  for await (const _ of each(db.keys(under(accountKeys.refusedFrom(prefix, peer)), { limit: MAX_COUNTED }))) count += 1
  return count
}
