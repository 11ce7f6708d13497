/**
 * The entries of the store to come: what was found of the damaged one and, where a backup is at hand, what that has in
 * place of what was lost. LevelDB numbers its writes, so the link of the backup's last commit parts what the backup knows
 * from what was written since: what was found of before it is no better than the backup, and may be worse where a later
 * write was lost.
 */
import type { Archive } from '../backup/archive.js'
import { decodeLink, digest } from '../engine/commit.js'
import { each, type Batch, type Database } from '../engine/database.js'
import { encodeEntry } from '../engine/journal.js'
import { nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from '../engine/keys.js'
import type { Salvage } from './salvage.js'

/** Thrown when a backup is not one of this store. */
export class OtherHistory extends Error {}

/** A backup whose entries were written into a database of their own. */
export interface Backup {
  archive: Archive
  db: Database
}

/** How many entries came from the backup, by account (or `!`) and family: `3/e` → 12. */
export type Taken = Map<string, number>

const WRITE_EACH = 2000
const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0

/** Writes in parts, without waiting for the disk. */
function writerOf(db: Database): { put(key: string, value: Uint8Array): Promise<void>; end(): Promise<void> } {
  let batch: Batch = db.batch()
  const end = async (): Promise<void> => {
    if (batch.length > 0) await batch.write({ sync: false })
    batch = db.batch()
  }
  return {
    async put(key, value) {
      batch.put(key, value)
      if (batch.length >= WRITE_EACH) await end()
    },
    end,
  }
}

export interface Filled {
  taken: Taken
  /** Whether the backup has everything that was ever acknowledged. */
  isCovered: boolean
}

/** Fills `db`, which is empty. @throws OtherHistory before anything is written */
export async function fillDraft(db: Database, found: Salvage, backup: Backup | undefined): Promise<Filled> {
  const taken: Taken = new Map()
  const { put, end } = writerOf(db)
  const since = backup === undefined ? 0 : await lastKnown(found, backup)
  if (backup !== undefined) {
    const isWanted = await wantedOf(found, since)
    for await (const [key, value] of each(backup.db.byteEntries({}))) {
      const latest = found.last(key)
      if (isNewer(latest, since) || !isWanted(key)) continue
      await put(key, value)
      if (same(latest?.value, value)) continue
      const [account = '', family = ''] = key.split('/', 2)
      taken.set(`${account}/${family}`, (taken.get(`${account}/${family}`) ?? 0) + 1)
    }
  }
  for await (const { key, ...latest } of found.all()) {
    if (latest.value !== undefined && isNewer(latest, since)) await put(key, latest.value)
  }
  await end()
  return { taken, isCovered: since === undefined }
}

const isNewer = (latest: { sequence: number } | undefined, since: number | undefined): boolean =>
  latest !== undefined && since !== undefined && latest.sequence > since

/**
 * The number of LevelDB's write up to which the backup knows better; undefined when the backup has everything that was
 * ever acknowledged, as far as that can be told.
 */
async function lastKnown(found: Salvage, { db, archive: { manifest } }: Backup): Promise<number | undefined> {
  const { commit } = manifest.position
  const other = (): OtherHistory => new OtherHistory(`The backup ${manifest.name} is not one of this store: it has other commits.`)
  const { mark } = found
  if (mark !== undefined && mark.sequence > 0 && mark.sequence <= commit) {
    const link = db.getBytes(nodeKeys.commit(mark.sequence))
    if (link === undefined || !same(digest(link), mark.hash)) throw other()
  }
  let last = mark?.sequence ?? 0
  for await (const { key, sequence, value } of found.all(under(nodeKeys.commits), true)) {
    const number = orderedToNumber(key, key.length - ORDERED_LENGTH)
    last = Math.max(last, number)
    if (number > commit) continue
    if (!same(value, db.getBytes(key))) throw other()
    return last > commit ? sequence : undefined
  }
  return last > commit ? 0 : undefined
}

/** Which entries of the backup may be taken; those that were deleted since may not. */
async function wantedOf(found: Salvage, since: number | undefined): Promise<(key: string) => boolean> {
  if (since === undefined) return () => true
  const deleted = await deletedAccounts(found)
  return (key) => {
    if (found.last(key) !== undefined) return true
    const [account = '', family = ''] = key.split('/', 2)
    // A session may have been ended since, and anybody can begin another.
    const mayReturn = !deleted.has(account) && (family !== 'x' || account.startsWith('!'))
    return mayReturn && found.mayBeLost(key)
  }
}

async function deletedAccounts(found: Salvage): Promise<Set<string>> {
  const deleted = new Set<string>()
  for await (const { value } of found.all(under(nodeKeys.commits))) {
    for (const { account, digest: of } of (value && decodeLink(value))?.entries ?? []) {
      if (same(of, digest(encodeEntry('user', 'delete', account)))) deleted.add(account)
    }
  }
  return deleted
}
