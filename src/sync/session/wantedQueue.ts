/**
 * Queue of files to request from a peer: newly missing files first, then those recorded on disk, page by page in digest
 * order. The cost per file does not depend on their number.
 */
import type { WantedFile } from '../../store/engine/wantedCount.js'
import type { Files } from './replica.js'

/** Files read per page. */
const PAGE = 100
/** Maximum number of new files in memory; the others are read from disk. */
const MAX_NEW = 1000

export interface WantedQueue {
  /** Adds a file that became missing. */
  add(file: WantedFile): void
  /** Starts a pass over all missing files, or schedules another after the current one. */
  restart(): void
  /** Returns the next file; undefined at the end of the pass. */
  next(): Promise<WantedFile | undefined>
}

/** Creates the queue; `skips` returns true for files to leave out in this pass. */
export function createWantedQueue(files: Pick<Files, 'wantedFrom' | 'isWanted'>, skips: (digest: string) => boolean): WantedQueue {
  const added: WantedFile[] = []
  let page: readonly WantedFile[] = []
  let at = 0
  /** Start of the next page; undefined when there is none. */
  let after: string | undefined
  let isAgain = false

  async function fromPage(): Promise<WantedFile | undefined> {
    while (at >= page.length) {
      if (after === undefined) {
        if (!isAgain) return undefined
        isAgain = false
        after = ''
      }
      const read = await files.wantedFrom(after, PAGE)
      page = read.files
      at = 0
      after = read.next
    }
    at += 1
    return page[at - 1]
  }

  return {
    add(file) {
      if (added.length < MAX_NEW) added.push(file)
      else isAgain = true
    },
    restart() {
      isAgain = true
    },
    async next() {
      for (;;) {
        const file = added.shift() ?? (await fromPage())
        if (file === undefined) {
          // A file may have been added while the last page was read.
          if (added.length > 0) continue
          return undefined
        }
        if (!skips(file.digest) && files.isWanted(file.digest)) return file
      }
    },
  }
}
