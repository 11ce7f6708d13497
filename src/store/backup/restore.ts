/** Restores a store from an archive, and compares the two. */
import { createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openDatabase, type Database } from '../engine/database.js'
import { createHighWater } from '../leveldb/highWater.js'
import { isAccountFolder, isFileDigest, namesIn, syncFolder } from '../leveldb/filesOnDisk.js'
import type { Archive, Member } from './archive.js'
import { entriesIn, groupsOf, total } from './entries.js'
import { ArchiveDamaged, differing, type Counts } from './manifest.js'

interface Target {
  /** The store's folder, without a database. */
  store: string
  files: string
}

type Progress = (bytes: number, of: number) => void

/**
 * Writes all content of a node's archive; on disk when this resolves.
 * @throws ArchiveDamaged
 */
export async function writeStore(archive: Archive, target: Target, progress: Progress = () => {}): Promise<void> {
  await mkdir(target.store, { recursive: true, mode: 0o700 })
  await mkdir(target.files, { recursive: true, mode: 0o700 })
  const { manifest, members } = archive
  const db = await openDatabase(join(target.store, 'db'), { create: true })
  try {
    for (const member of members) {
      if (member.kind === 'entries') await writeEntries(archive, member, db)
      else if (member.kind === 'file') await writeFileOf(archive, member, target.files)
      progress(member.bytes, manifest.bytes)
    }
    // Tables are on disk; the log of unsynced batches is not.
    await db.flush()
    const { commit, hash } = manifest.position
    await createHighWater(join(target.store, 'HEAD'), commit === 0 ? undefined : { sequence: commit, hash: Buffer.from(hash, 'hex') })
  } finally {
    await db.close()
  }
}

/** Writes the entries of one member to a database, without waiting for the disk. */
export async function writeEntries(archive: Archive, member: Member, db: Database): Promise<void> {
  const batch = db.batch()
  try {
    for (const [key, value] of entriesIn(await archive.whole(member))) batch.put(key, value)
  } catch (error) {
    if (error instanceof RangeError) throw new ArchiveDamaged(archive.folder, `${member.file} contains invalid entries`)
    throw error
  }
  await batch.write({ sync: false })
}

async function writeFileOf(archive: Archive, member: Member, files: string): Promise<void> {
  const account = member.about?.['account'] ?? ''
  if (!isAccountFolder(account) || !isFileDigest(member.digest)) {
    throw new ArchiveDamaged(archive.folder, `${member.file} has no valid path of an attached file`)
  }
  const path = join(files, account, member.digest.slice(0, 2), member.digest)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(Readable.from(archive.read(member)), createWriteStream(path, { mode: 0o600 }))
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(dirname(path))
}

/** Counts of an archive and of the store restored from it, by noun; `differences` counts all problems. */
export interface Comparison {
  asked: Counts
  restored: Counts
  differences: number
  /** Descriptions of the differences. */
  problems: string[]
}

/** Compares a store with its archive: all entries and all attached files, by their digests. */
export async function compareStore(archive: Archive, target: Target, progress: Progress = () => {}): Promise<Comparison> {
  const { manifest, members } = archive
  const due = new Map<string, number>()
  for (const { kind, digest } of members) if (kind === 'entries') due.set(digest, (due.get(digest) ?? 0) + 1)
  const problems: string[] = []
  const found: Counts[] = []
  const db = await openDatabase(join(target.store, 'db'))
  try {
    for await (const { bytes, counts } of groupsOf(db.byteEntries({}))) {
      found.push(counts)
      const digest = createHash('sha256').update(bytes).digest('hex')
      const left = due.get(digest) ?? 0
      if (left === 0) problems.push(`a group of ${bytes.length} bytes of entries is not in the archive`)
      else due.set(digest, left - 1)
      progress(bytes.length, manifest.bytes)
    }
  } finally {
    await db.close()
  }
  for (const [digest, left] of due) if (left > 0) problems.push(`the group of entries ${digest} was not restored`)
  const restored = total(found)
  restored['files'] = await compareFiles(members, target.files, problems, (bytes) => progress(bytes, manifest.bytes))
  for (const noun of differing(manifest.counts, restored)) {
    problems.push(`${noun}: ${restored[noun] ?? 0} where the archive has ${manifest.counts[noun] ?? 0}`)
  }
  return { asked: manifest.counts, restored, differences: problems.length, problems }
}

async function compareFiles(
  members: readonly Member[],
  folder: string,
  problems: string[],
  progress: (bytes: number) => void,
): Promise<number> {
  const due = new Map(
    members.flatMap(({ kind, digest, bytes, about }) =>
      kind === 'file' ? [[join(about?.['account'] ?? '', digest.slice(0, 2), digest), bytes] as const] : [],
    ),
  )
  let count = 0
  for (const account of (await namesIn(folder)).filter(isAccountFolder)) {
    for (const first of await namesIn(join(folder, account))) {
      for (const digest of (await namesIn(join(folder, account, first))).filter(isFileDigest)) {
        const place = join(account, first, digest)
        const bytes = due.get(place)
        if (bytes === undefined) problems.push(`attached file ${place} is not in the archive`)
        else if ((await digestOf(join(folder, place))) !== digest) problems.push(`attached file ${place} has other content`)
        due.delete(place)
        count += 1
        progress(bytes ?? 0)
      }
    }
  }
  for (const place of due.keys()) problems.push(`attached file ${place} was not restored`)
  return count
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, 'r')
  try {
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) hash.update(chunk)
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

/**
 * Reads the files of a node's home in an archive.
 * @throws ArchiveDamaged without a key
 */
export async function homeIn(archive: Archive): Promise<{ key: Buffer; config?: Buffer }> {
  const one = async (kind: string): Promise<Buffer | undefined> => {
    const member = archive.members.find((each) => each.kind === kind)
    return member === undefined ? undefined : archive.whole(member)
  }
  const [key, config] = [await one('key'), await one('config')]
  if (key === undefined) throw new ArchiveDamaged(archive.folder, 'it contains no node key')
  return { key, ...(config === undefined ? {} : { config }) }
}
