/** Handles attached files found damaged or missing while read: records, logs and fetches them again. */
import type { Stats } from 'node:fs'
import type { Account } from '../../store/engine/account.js'
import type { Blobs } from '../../store/blobs/blobs.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { requestBlob } from '../../store/blobs/missingBlobs.js'
import { listPeers } from '../../store/replication/peers.js'

/** Maximum number of events listed; a file may be attached to more. */
const MAX_NAMED = 10

interface DamageOptions {
  blobs: Blobs
  log: { error(message: string, about: Record<string, unknown>): void }
  /** Time, in seconds. */
  now(): number
}

/** Reports a file: `seen` is the file with other bytes; absent when there is none. */
export type DamageReporter = (account: Account, digest: string, seen?: Stats) => Promise<void>

/**
 * Creates the damage reporter of a node. Records damaged files until they are restored, logs each once, and fetches them
 * again where the account has other copies. Never rejects.
 */
export function createDamageReporter({ blobs, log, now }: DamageOptions): DamageReporter {
  async function report(account: Account, digest: string, seen: Stats | undefined): Promise<void> {
    const { db, prefix } = account
    const range = `${accountKeys.fileReferencesTo(prefix, digest)}/`
    const source = db.entries(under(range), { limit: MAX_NAMED })
    const references = await source.next(MAX_NAMED).finally(() => source.close())
    const size = references[0]?.[1]
    const isWanted = db.get(accountKeys.wantedFile(prefix, digest)) !== undefined
    // The events may have been deleted meanwhile; a file in transfer is missing for a reason.
    if (size === undefined || (isWanted && seen === undefined)) return
    const isKnown = blobs.damaged().some((file) => file.account === prefix && file.digest === digest)
    if (seen === undefined ? blobs.isPresent(prefix, digest) : !(await blobs.markDamaged({ account: prefix, digest, found: now() }, seen))) return
    const copies = await listPeers(db, prefix)
    if (!isKnown || seen === undefined) {
      log.error(seen === undefined ? 'an attached file is missing' : 'an attached file is damaged: its content has changed', {
        account: prefix,
        file: digest,
        events: references.map(([key]) => key.slice(range.length).split('/')[0] ?? ''),
        path: blobs.pathOf(prefix, digest),
        next: copies.length > 0 ? 'it is fetched from a paired node that has it' : 'coffer store repair restores it from a backup',
      })
    }
    if (copies.length > 0) await account.write((t) => requestBlob(t, digest, Number(size)))
  }

  return (account, digest, seen) =>
    report(account, digest, seen).catch((error: unknown) => {
      log.error('a damaged file could not be recorded', { account: account.prefix, file: digest, error: String(error) })
    })
}
