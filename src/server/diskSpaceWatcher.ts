/**
 * A disk that was filled by somebody else while the database was writing tables of its own: LevelDB refuses all writes
 * from then on, until it is opened again. Once there is room, the node is opened anew.
 */
import { statfs } from 'node:fs/promises'
import { RESERVE_BYTES } from '../store/engine/commit.js'
import { isOutOfSpace } from '../store/engine/database.js'
import type { Node } from './node.js'

const LOOK_EVERY_MS = 1000
/** Opening writes tables too. */
const ROOM_BYTES = 2 * RESERVE_BYTES

/** Calls `reopen` when a write failed for want of space and there is room again. Answers how to stop looking. */
export function reopenWhenSpaceFreed({ store, log }: Pick<Node, 'store' | 'log'>, reopen: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(store.folder)
    if (bavail * bsize < ROOM_BYTES || timer === undefined) return
    clearInterval(timer)
    timer = undefined
    log.warn('there is room on the disk again: the node is opened anew')
    reopen()
  }
  store.onReadOnly((cause) => {
    if (isOutOfSpace(cause)) timer = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref()
  })
  return () => {
    clearInterval(timer)
    timer = undefined
  }
}
