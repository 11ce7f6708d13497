/**
 * The files to ask a peer for, one after another: first those that came to be wanted a moment ago, then those on disk, page
 * by page in the order of their digests. What one costs does not depend on how many there are.
 */
import type { WantedFile } from '../../store/attachedFiles/wantedCount.js'
import type { Files } from './holdings.js'

/** Files that are read at once. */
const PAGE = 100
/** New files that are remembered; more are found on disk. */
const MOST_NEW = 1000

export interface WantedQueue {
  /** Notes a file that is wanted from now on. */
  add(file: WantedFile): void
  /** Begins a pass over all that is wanted, or another one behind the one under way. */
  restart(): void
  /** The next file; undefined when all were handed out. */
  next(): Promise<WantedFile | undefined>
}

/** `skips` tells which files are not to be handed out again in this pass. */
export function createWantedQueue(files: Pick<Files, 'wantedFrom' | 'isWanted'>, skips: (digest: string) => boolean): WantedQueue {
  const added: WantedFile[] = []
  let page: readonly WantedFile[] = []
  let at = 0
  /** Where the next page begins; undefined when there is none. */
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
      if (added.length < MOST_NEW) added.push(file)
      else isAgain = true
    },
    restart() {
      isAgain = true
    },
    async next() {
      for (;;) {
        const file = added.shift() ?? (await fromPage())
        if (file === undefined) {
          // One may have been added while the last page was read.
          if (added.length > 0) continue
          return undefined
        }
        if (!skips(file.digest) && files.isWanted(file.digest)) return file
      }
    },
  }
}
