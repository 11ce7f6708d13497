/**
 * A copy of a store as it is at one moment, made of hard links while the store is open: LevelDB never changes a table
 * once it is written, and what it appends to, its log and MANIFEST, is copied as far as it goes. Opening the copy
 * replays the log, and its chain of commits must reach the high-water mark that was read before: what the copy holds is
 * what a crash at that moment would have left, with everything acknowledged until then.
 */
import { copyFile, link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { manifestName, readManifest } from '../files/manifest.js'
import { isAccountFolder, isFileDigest, namesIn } from '../filesOnDisk.js'

/** How often the live files may change while they are copied; each time it begins anew. */
const MOST_TRIES = 50
const LANES = 16

/** Thrown when the files changed faster than they could be linked. */
export class StoreTooBusy extends Error {}

/**
 * Copies the store in `folder` to `target`, which must not be there; both on one file system, or the tables are copied.
 * @throws StoreTooBusy
 */
export async function linkStore(folder: string, target: string): Promise<void> {
  const db = join(folder, 'db')
  const at = join(target, 'db')
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await rm(at, { recursive: true, force: true })
    await mkdir(at, { recursive: true, mode: 0o700 })
    // First of all: the log that is copied later reaches at least as far.
    const mark = await readFile(join(folder, 'HEAD'))
    if (await linkDatabase(db, at)) {
      await writeFile(join(target, 'HEAD'), mark, { mode: 0o600 })
      return
    }
  }
  throw new StoreTooBusy('The files of the store change faster than they can be copied.')
}

/**
 * Whether all files of one version of the database could be taken before LevelDB removed any. It may go on to later
 * versions meanwhile: what a MANIFEST said stays true of its tables and of the logs from its log number on.
 */
async function linkDatabase(db: string, target: string): Promise<boolean> {
  const current = await readFile(join(db, 'CURRENT'))
  const name = manifestName(current)
  if (name === undefined) return false
  const manifest = await readFile(join(db, name)).catch(missing)
  if (manifest === undefined) return false
  const { live } = readManifest(name, manifest)
  if (live === undefined) return false
  const names = new Set(await readdir(db))
  const logs = [...names].filter((file) => numberOf(file) >= live.logNumber || (numberOf(file) > 0 && numberOf(file) === live.previousLogNumber))
  // Without its first log, what lay in memory at this version is in a table of a later one.
  if (live.logNumber > 0 && !logs.some((file) => numberOf(file) === live.logNumber)) return false
  for (const number of live.tables.keys()) {
    const padded = String(number).padStart(6, '0')
    const table = names.has(`${padded}.ldb`) ? `${padded}.ldb` : `${padded}.sst`
    if (!(await linkOrCopy(join(db, table), join(target, table)))) return false
  }
  // A log that is listed beside a later one is not written to any more, so what is copied has no gap.
  for (const log of logs.sort()) {
    const bytes = await readFile(join(db, log)).catch(missing)
    if (bytes === undefined) return false
    await writeFile(join(target, log), bytes, { mode: 0o600 })
  }
  await writeFile(join(target, name), manifest, { mode: 0o600 })
  await writeFile(join(target, 'CURRENT'), current, { mode: 0o600 })
  return true
}

/** The number of a log, by its name; -1 for other files. */
const numberOf = (file: string): number => Number(/^(\d+)\.log$/.exec(file)?.[1] ?? -1)

/** Links all attached files of all accounts. Nobody may remove any meanwhile. */
export async function linkFiles(folder: string, target: string): Promise<number> {
  let count = 0
  for (const account of await namesIn(folder)) {
    if (!isAccountFolder(account)) continue
    for (const first of await namesIn(join(folder, account))) {
      const digests = (await namesIn(join(folder, account, first))).filter(isFileDigest)
      if (digests.length === 0) continue
      await mkdir(join(target, account, first), { recursive: true, mode: 0o700 })
      const next = digests.values()
      const lane = async (): Promise<void> => {
        for (const digest of next) {
          if (await linkOrCopy(join(folder, account, first, digest), join(target, account, first, digest))) count += 1
        }
      }
      await Promise.all(Array.from({ length: LANES }, lane))
    }
  }
  return count
}

/** Whether the file was there. */
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

function missing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
