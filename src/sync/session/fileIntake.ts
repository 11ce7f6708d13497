/**
 * Receives complete files of moderate size. Files that arrive while a group is written form the next group. Files of a group
 * are synced in parallel and removed from the list of missing files in one commit.
 */
import type { Account } from '../../store/engine/account.js'
import type { WholeFile } from '../../store/blobs/writing.js'
import type { Blobs } from '../../store/blobs/blobs.js'
import { blobsArrived } from '../../store/blobs/missingBlobs.js'

/** Maximum files of one group. */
const MAX_TOGETHER = 64

export interface FileIntake {
  /** Moves a file to its final path; on disk when this resolves. False when its bytes do not match its digest. */
  take(file: WholeFile): Promise<boolean>
}

interface Waiting {
  file: WholeFile
  resolve(isWhole: boolean): void
  reject(error: unknown): void
}

export function createFileIntake(account: Account, blobs: Blobs): FileIntake {
  const waiting: Waiting[] = []
  let isWriting = false

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const files = group.map(({ file }) => file)
      const areWhole = await blobs.placeAll(account.prefix, files)
      await blobsArrived(account, blobs, files.filter((_, i) => areWhole[i]).map(({ digest }) => digest))
      for (const [i, { resolve }] of group.entries()) resolve(areWhole[i] === true)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  async function write(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) await writeGroup(waiting.splice(0, MAX_TOGETHER))
    isWriting = false
  }

  return {
    take: (file) =>
      new Promise((resolve, reject) => {
        waiting.push({ file, resolve, reject })
        if (!isWriting) void write()
      }),
  }
}
