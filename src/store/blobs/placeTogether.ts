/** Moves files from memory to their final paths in groups, so that the group waits for each disk sync once. */
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { diskFailure, makeFolder } from '../leveldb/filesOnDisk.js'
import { syncFolder } from '../leveldb/syncFolder.js'
import { runConcurrently } from './concurrency.js'
import { writeWhole } from './writing.js'

/** The bytes of a file, in memory. */
export interface WholeFile {
  digest: string
  bytes: Uint8Array
}

export interface PlaceOptions {
  /** Folder for drafts. */
  incoming: string
  /** Returns an unused path in that folder. */
  draftPath(): string
  /** Moves a synced file to its final path and reserves it there. */
  move(file: { path: string; digest: string }): Promise<void>
  /** Returns the folder of a file's final path. */
  folderOf(digest: string): string
  /** Releases the reservation of a file at its final path. */
  release(digest: string): Promise<void>
}

/**
 * Verifies, writes and moves files; all are on disk when this resolves. Returns for each whether its bytes match its
 * digest. Leaves no drafts when it rejects.
 * @throws Failure `storage-full`
 */
export async function placeTogether(files: readonly WholeFile[], options: PlaceOptions): Promise<boolean[]> {
  const { incoming, draftPath, move, folderOf, release } = options
  const drafts: string[] = []
  const moved: string[] = []
  try {
    await makeFolder(incoming)
    const paths = await runConcurrently(files, async ({ digest, bytes }) => {
      if (hash('sha256', bytes) !== digest) return undefined
      const path = draftPath()
      drafts.push(path)
      await writeWhole(path, bytes)
      return path
    })
    const whole = files.flatMap(({ digest }, i) => (paths[i] === undefined ? [] : [{ digest, path: paths[i] }]))
    await runConcurrently(whole, async (file) => {
      await move(file)
      moved.push(file.digest)
    })
    await runConcurrently([...new Set(moved.map(folderOf))], syncFolder)
    return paths.map((path) => path !== undefined)
  } catch (error) {
    await Promise.all(drafts.map((path) => rm(path, { force: true }).catch(() => {})))
    throw diskFailure(error)
  } finally {
    // The events may have been deleted meanwhile.
    await runConcurrently(moved, release)
  }
}
