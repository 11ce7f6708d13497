/** Gives files that are in memory their places, several at a time: what each of them waits for on the disk is waited for once. */
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { diskFailure, makeFolder } from '../filesOnDisk.js'
import { syncFolder } from '../syncFolder.js'
import { inLanes } from './lanes.js'
import { writeWhole } from './writing.js'

/** The bytes of a file, in memory. */
export interface WholeFile {
  digest: string
  bytes: Uint8Array
}

export interface PlaceOptions {
  /** Folder of what has no place yet. */
  incoming: string
  /** A path there that nothing has. */
  draftPath(): string
  /** Moves a file whose content is on disk to its place, and holds it there. */
  move(file: { path: string; digest: string }): Promise<void>
  /** The folder in which a file has its place. */
  folderOf(digest: string): string
  /** Lets go of a file in its place. */
  release(digest: string): Promise<void>
}

/**
 * Verifies, writes and moves files; all are on disk when this resolves. Answers of each whether its bytes are those of its
 * digest. Leaves no drafts when it rejects.
 * @throws Failure `storage-full`
 */
export async function placeTogether(files: readonly WholeFile[], options: PlaceOptions): Promise<boolean[]> {
  const { incoming, draftPath, move, folderOf, release } = options
  const drafts: string[] = []
  const moved: string[] = []
  try {
    await makeFolder(incoming)
    const paths = await inLanes(files, async ({ digest, bytes }) => {
      if (hash('sha256', bytes) !== digest) return undefined
      const path = draftPath()
      drafts.push(path)
      await writeWhole(path, bytes)
      return path
    })
    const whole = files.flatMap(({ digest }, i) => (paths[i] === undefined ? [] : [{ digest, path: paths[i] }]))
    await inLanes(whole, async (file) => {
      await move(file)
      moved.push(file.digest)
    })
    await inLanes([...new Set(moved.map(folderOf))], syncFolder)
    return paths.map((path) => path !== undefined)
  } catch (error) {
    await Promise.all(drafts.map((path) => rm(path, { force: true }).catch(() => {})))
    throw diskFailure(error)
  } finally {
    // Their events may have been deleted meanwhile.
    await inLanes(moved, release)
  }
}
