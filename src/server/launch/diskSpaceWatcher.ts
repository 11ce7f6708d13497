/** Reopens the node after a full disk. When LevelDB cannot write its tables, it rejects all writes until it is reopened. */
import { statfs } from 'node:fs/promises'
import { RESERVE_BYTES } from '../../store/engine/commit.js'
import { isOutOfSpace } from '../../store/engine/database.js'
import type { Node } from '../index.js'

const CHECK_EVERY_MS = 1000
/** Opening writes tables, too. */
const ROOM_BYTES = 2 * RESERVE_BYTES

/** Calls `reopen` when a write failed for lack of space and space is available again. Returns a function that stops the check. */
export function reopenWhenSpaceFreed({ store, log }: Pick<Node, 'store' | 'log'>, reopen: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(store.folder)
    if (bavail * bsize < ROOM_BYTES || timer === undefined) return
    clearInterval(timer)
    timer = undefined
    log.warn('disk space is available again: reopening the node')
    reopen()
  }
  store.onReadOnly((cause) => {
    if (isOutOfSpace(cause)) timer = setInterval(() => void look().catch(() => {}), CHECK_EVERY_MS).unref()
  })
  return () => {
    clearInterval(timer)
    timer = undefined
  }
}
