/**
 * The entries of the store to come: what was found of the damaged one and, where a backup is at hand, what that has in
 * place of what was lost. LevelDB numbers its writes, so the link of the backup's last commit parts what the backup knows
 * from what was written since: what was found of before it is no better than the backup, and may be worse where a later
 * write was lost.
 */
import type { Archive } from '../backup/archive.js'
import { writeEntries } from '../backup/restore.js'
import { decodeLink, digest } from '../commit.js'
import { each, type Batch, type Database } from '../database.js'
import { encodeEntry } from '../journal.js'
import { nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from '../keys.js'
import type { Found } from './found.js'

/** Thrown when a backup is not one of this store. */
export class OtherHistory extends Error {}

/** How many entries came from the backup, by account (or `!`) and family: `3/e` → 12. */
export type Taken = Map<string, number>

const WRITE_EACH = 2000
const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0

/** Fills `db`, which is empty. @throws OtherHistory, ArchiveDamaged */
export async function fillDraft(db: Database, found: Found, archive: Archive | undefined): Promise<Taken> {
  const taken: Taken = new Map()
  if (archive === undefined) {
    await write(db, found, () => true)
    return taken
  }
  for (const member of archive.members) if (member.kind === 'entries') await writeEntries(archive, member, db)
  const since = await lastKnown(db, found, archive)
  await sift(db, found, since, taken)
  if (since !== undefined) await write(db, found, ({ sequence }) => sequence > since)
  return taken
}

/**
 * The number of LevelDB's write up to which the backup knows better; undefined when the backup has everything that was
 * ever acknowledged, or all of it that can be told.
 */
async function lastKnown(db: Database, found: Found, { manifest }: Archive): Promise<number | undefined> {
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

/** Takes out of the backup what was deleted since, and counts what is only in it. */
async function sift(db: Database, found: Found, since: number | undefined, taken: Taken): Promise<void> {
  const deleted = since === undefined ? new Set<string>() : await deletedAccounts(found)
  let batch = db.batch()
  for await (const [key, bytes] of each(db.byteEntries({}))) {
    const latest = found.last(key)
    if (latest !== undefined && (since === undefined || latest.sequence <= since) && same(latest.value, bytes)) continue
    if (latest !== undefined && since !== undefined && latest.sequence > since) continue
    const [account = '', family = ''] = key.split('/', 2)
    const isGone = latest === undefined && since !== undefined && (!found.mayBeLost(key) || mustNotReturn(account, family, deleted))
    if (!isGone) {
      taken.set(`${account}/${family}`, (taken.get(`${account}/${family}`) ?? 0) + 1)
      continue
    }
    batch.delete(key)
    if (batch.length < WRITE_EACH) continue
    await batch.write({ sync: false })
    batch = db.batch()
  }
  await finish(batch)
}

/** What may have been ended since: an account that was deleted, and a session, which anybody can begin again. */
const mustNotReturn = (account: string, family: string, deleted: ReadonlySet<string>): boolean =>
  deleted.has(account) || (family === 'x' && !account.startsWith('!'))

async function deletedAccounts(found: Found): Promise<Set<string>> {
  const deleted = new Set<string>()
  for await (const { value } of found.all(under(nodeKeys.commits))) {
    for (const { account, digest: of } of (value && decodeLink(value))?.entries ?? []) {
      if (same(of, digest(encodeEntry('user', 'delete', account)))) deleted.add(account)
    }
  }
  return deleted
}

async function write(db: Database, found: Found, isWanted: (latest: { sequence: number }) => boolean): Promise<void> {
  let batch = db.batch()
  for await (const { key, sequence, value } of found.all()) {
    if (!isWanted({ sequence })) continue
    if (value === undefined) batch.delete(key)
    else batch.put(key, value)
    if (batch.length < WRITE_EACH) continue
    await batch.write({ sync: false })
    batch = db.batch()
  }
  await finish(batch)
}

const finish = async (batch: Batch): Promise<void> => {
  if (batch.length > 0) await batch.write({ sync: false })
}
