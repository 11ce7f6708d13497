/**
 * Builds the repaired store: entries salvaged from the damaged one and, given a backup, its entries in place of lost ones.
 * LevelDB numbers its writes, so the link of the backup's last commit separates older entries from newer ones: for older
 * ones the backup is at least as good as the salvaged version.
 */
import type { Archive } from '../backup/archive.js'
import { decodeLink, digest } from '../engine/commit.js'
import { each, type Batch, type Database } from '../engine/database.js'
import { encodeEntry } from '../engine/journal.js'
import { nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from '../engine/keys.js'
import type { Salvage } from './salvage.js'

/** Thrown for a backup of another store. */
export class OtherHistory extends Error {}

/** A backup whose entries were written into a separate database. */
export interface Backup {
  archive: Archive
  db: Database
}

/** Number of entries from the backup, by account (or `!`) and family: `3/e` → 12. */
export type RestoredCounts = Map<string, number>

const WRITE_EACH = 2000
const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0

/** Creates a writer that writes in batches, without waiting for the disk. */
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

export interface FilledDraft {
  taken: RestoredCounts
  /** True when the backup has everything that was ever acknowledged. */
  isCovered: boolean
}

/**
 * Fills `db`, which is empty.
 * @throws OtherHistory before anything is written
 */
export async function fillDraft(db: Database, salvage: Salvage, backup: Backup | undefined): Promise<FilledDraft> {
  const restored: RestoredCounts = new Map()
  const { put, end } = writerOf(db)
  const since = backup === undefined ? 0 : await lastKnown(salvage, backup)
  if (backup !== undefined) {
    const isWanted = await wantedOf(salvage, since)
    for await (const [key, value] of each(backup.db.byteEntries({}))) {
      const latest = salvage.last(key)
      if (isNewer(latest, since) || !isWanted(key)) continue
      await put(key, value)
      if (same(latest?.value, value)) continue
      const [account = '', family = ''] = key.split('/', 2)
      restored.set(`${account}/${family}`, (restored.get(`${account}/${family}`) ?? 0) + 1)
    }
  }
  for await (const { key, ...latest } of salvage.all()) {
    if (latest.value !== undefined && isNewer(latest, since)) await put(key, latest.value)
  }
  await end()
  return { taken: restored, isCovered: since === undefined }
}

const isNewer = (latest: { sequence: number } | undefined, since: number | undefined): boolean =>
  latest !== undefined && since !== undefined && latest.sequence > since

/**
 * Returns the number of the LevelDB write up to which the backup wins; undefined when the backup has everything that was
 * ever acknowledged, as far as is known.
 */
async function lastKnown(salvage: Salvage, { db, archive: { manifest } }: Backup): Promise<number | undefined> {
  const { commit } = manifest.position
  const other = (): OtherHistory => new OtherHistory(`The backup ${manifest.name} belongs to another store: its commits differ.`)
  const { mark } = salvage
  if (mark !== undefined && mark.sequence > 0 && mark.sequence <= commit) {
    const link = db.getBytes(nodeKeys.commit(mark.sequence))
    if (link === undefined || !same(digest(link), mark.hash)) throw other()
  }
  let last = mark?.sequence ?? 0
  for await (const { key, sequence, value } of salvage.all(under(nodeKeys.commits), true)) {
    const number = orderedToNumber(key, key.length - ORDERED_LENGTH)
    last = Math.max(last, number)
    if (number > commit) continue
    if (!same(value, db.getBytes(key))) throw other()
    return last > commit ? sequence : undefined
  }
  return last > commit ? 0 : undefined
}

/** Returns a test for entries of the backup to use; excludes those deleted since. */
async function wantedOf(salvage: Salvage, since: number | undefined): Promise<(key: string) => boolean> {
  if (since === undefined) return () => true
  const deleted = await deletedAccounts(salvage)
  return (key) => {
    if (salvage.last(key) !== undefined) return true
    const [account = '', family = ''] = key.split('/', 2)
    // A session may have ended since, and users can log in again.
    const mayReturn = !deleted.has(account) && (family !== 'x' || account.startsWith('!'))
    return mayReturn && salvage.mayBeLost(key)
  }
}

async function deletedAccounts(salvage: Salvage): Promise<Set<string>> {
  const deleted = new Set<string>()
  for await (const { value } of salvage.all(under(nodeKeys.commits))) {
    for (const { account, digest: of } of (value && decodeLink(value))?.entries ?? []) {
      if (same(of, digest(encodeEntry('user', 'delete', account)))) deleted.add(account)
    }
  }
  return deleted
}
