/**
 * A copy of an open store as of one point in time, made of hard links. LevelDB never changes a written table; its log
 * and MANIFEST, which it appends to, are copied up to their current end. Opening the copy replays the log, and its
 * chain of commits must reach the high-water mark read first. So the copy equals the store after a crash at that time,
 * with everything acknowledged before.
 */
import { copyFile, link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { manifestName, readManifest } from '../leveldb/manifest.js'
import { isAccountFolder, isFileDigest, namesIn } from '../leveldb/filesOnDisk.js'

/** Maximum number of attempts; each change of the live files during a copy starts a new one. */
const MAX_TRIES = 50
const LANES = 16

/** Error when the files change faster than they can be linked. */
export class StoreTooBusy extends Error {}

/**
 * Copies the store in `folder` to `target`, which must not exist. On different file systems, tables are copied instead
 * of linked.
 * @throws StoreTooBusy
 */
export async function linkStore(folder: string, target: string): Promise<void> {
  const db = join(folder, 'db')
  const at = join(target, 'db')
  await mkdir(at, { recursive: true, mode: 0o700 })
  // Kept between attempts to reduce their work: file numbers of tables are never reused.
  const linked = new Set<string>()
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Read first, so that the log copied later reaches at least as far.
    const mark = await readFile(join(folder, 'HEAD'))
    const version = await readVersion(db)
    if (version === undefined || !(await linkTables(version.tables, { db, at, linked }))) continue
    const given = new Set(version.tables)
    await Promise.all([...linked].filter((table) => !given.has(table)).map((table) => rm(join(at, table))))
    for (const [name, bytes] of version.written) await writeFile(join(at, name), bytes, { mode: 0o600 })
    await writeFile(join(target, 'HEAD'), mark, { mode: 0o600 })
    return
  }
  throw new StoreTooBusy('The files of the store change faster than they can be copied.')
}

interface Version {
  /** Names of the tables. */
  tables: string[]
  /** Files that LevelDB appends to, up to their end at that time: logs, MANIFEST, and last CURRENT. */
  written: Map<string, Buffer>
}

/**
 * Reads one version of the database; undefined when LevelDB moved to another one meanwhile. Later changes are harmless: a
 * MANIFEST stays valid for its tables and for the logs from its log number on.
 */
async function readVersion(db: string): Promise<Version | undefined> {
  const current = await readFile(join(db, 'CURRENT'))
  const name = manifestName(current)
  if (name === undefined) return undefined
  const manifest = await readFile(join(db, name)).catch(ignoreMissing)
  if (manifest === undefined) return undefined
  const { live } = readManifest(name, manifest)
  if (live === undefined) return undefined
  const names = new Set(await readdir(db))
  const logs = [...names].filter((file) => numberOf(file) >= live.logNumber || (numberOf(file) > 0 && numberOf(file) === live.previousLogNumber))
  // Without its first log, content of memory at this version is in a table of a later one.
  if (live.logNumber > 0 && !logs.some((file) => numberOf(file) === live.logNumber)) return undefined
  const written = new Map<string, Buffer>()
  // A log listed beside a later one is complete, so the copy has no gap. Logs are the first to be removed.
  for (const log of logs.sort()) {
    const bytes = await readFile(join(db, log)).catch(ignoreMissing)
    if (bytes === undefined) return undefined
    written.set(log, bytes)
  }
  const tables = [...live.tables.keys()].map((number) => {
    const padded = String(number).padStart(6, '0')
    return names.has(`${padded}.ldb`) ? `${padded}.ldb` : `${padded}.sst`
  })
  return { tables, written: written.set(name, manifest).set('CURRENT', current) }
}

/** Links the tables not linked yet and adds them to `linked`; returns false when one is missing. */
async function linkTables(tables: readonly string[], { db, at, linked }: { db: string; at: string; linked: Set<string> }): Promise<boolean> {
  const next = tables.filter((table) => !linked.has(table)).values()
  let isWhole = true
  const slot = async (): Promise<void> => {
    for (const table of next) {
      if (await linkOrCopy(join(db, table), join(at, table))) linked.add(table)
      else isWhole = false
    }
  }
  await Promise.all(Array.from({ length: LANES }, slot))
  return isWhole
}

/** Returns the number of a log file; -1 for other files. */
const numberOf = (file: string): number => Number(/^(\d+)\.log$/.exec(file)?.[1] ?? -1)

/** Links all attached files of all accounts; the caller prevents removals. Returns their number. */
export async function linkFiles(folder: string, target: string): Promise<number> {
  let count = 0
  for (const account of await namesIn(folder)) {
    if (!isAccountFolder(account)) continue
    for (const first of await namesIn(join(folder, account))) {
      const digests = (await namesIn(join(folder, account, first))).filter(isFileDigest)
      if (digests.length === 0) continue
      await mkdir(join(target, account, first), { recursive: true, mode: 0o700 })
      const next = digests.values()
      const slot = async (): Promise<void> => {
        for (const digest of next) {
          if (await linkOrCopy(join(folder, account, first, digest), join(target, account, first, digest))) count += 1
        }
      }
      await Promise.all(Array.from({ length: LANES }, slot))
    }
  }
  return count
}

/** Links or copies a file; returns false when it does not exist. */
async function linkOrCopy(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return false
  }
  return copyFile(from, to).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
      throw error
    },
  )
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
