/**
 * Fetches missing files: many small ones at a time, a few large ones, each resumed where an earlier session stopped.
 * Files that the peer lacks are requested again after a delay, and count as missing until they arrive from any peer.
 *
 * The queue has newly missing files first, then those recorded on disk, page by page in digest order. The cost per file does
 * not depend on their number.
 */
import type { WantedFile } from '../../store/engine/wantedCount.js'
import type { FileLack, FilePart } from '../wire/message.js'
import { damaged } from '../wire/protocolError.js'
import { MAX_WAITING_REQUESTS } from './fileSender.js'
import type { MessageStream } from './messageStream.js'
import type { Files, PartialFile } from './replica.js'
import type { StatusKeeper } from './status.js'

const PART = 128 * 1024
/** Maximum size of files that come in one part and are held in memory until complete. */
export const MAX_WHOLE = PART
/** Maximum number of files requested or being written at a time, and of large ones among them. */
const MAX_FETCHED = 64
const MAX_LARGE = 2
/** Maximum outstanding parts of one file, and outstanding bytes of all. */
const MAX_PARTS_OF_FILE = 4
const MAX_BYTES_REQUESTED = 1024 * 1024
/** Milliseconds until files that the peer lacks are requested again, doubled after each unsuccessful pass. */
const RETRY_MS = 1000
const MAX_RETRY_MS = 60_000
/** Number of received files after which the remaining count is sent to the peer. */
const NOTIFY_EACH = 100

/** Counts of missing files. */
interface MissingFiles {
  /** Number and bytes of files that the peer may have and did not refuse. */
  pending: number
  pendingBytes: number
  /** Number and bytes of files that both sides lack. */
  missing: number
  missingBytes: number
}

interface FileReceiver {
  /** Starts looking for missing files. */
  begin(): void
  /** Handles events with these files from the peer: it may now have files that it lacked. */
  offered(digests: Iterable<string>): void
  part(message: FilePart): Promise<void>
  lack(message: FileLack): Promise<void>
  readonly left: MissingFiles
  stop(): Promise<void>
}

interface FileReceiverOptions {
  files: Files
  link: MessageStream
  status: StatusKeeper
  /** Called when the counts have changed enough to report to the peer. */
  onChange(): void
  onFault(error: unknown): void
}

interface FetchedFile extends WantedFile {
  file: PartialFile
  /** Offset up to which bytes were requested. */
  requestedUpTo: number
  /** Outstanding parts. */
  outstanding: number
  isLeft: boolean
}

/** A file that is skipped since the pass with this number. */
interface SkippedFile {
  size: number
  pass: number
}

export function createFileReceiver({ files, link, status, onChange, onFault }: FileReceiverOptions): FileReceiver {
  /** Files that the peer lacks. */
  const lacking = new Map<string, SkippedFile>()
  /** Files outside the exchange: no item exchanged with the peer refers to them. */
  const foreign = new Map<string, SkippedFile>()
  /** Files that another session receives. */
  const elsewhere = new Map<string, SkippedFile>()
  const aside = [lacking, foreign, elsewhere]
  const bytesOf = new Map(aside.map((files) => [files, 0]))
  const outstanding: { of: FetchedFile; offset: number; length: number }[] = []
  const fetched = new Map<string, FetchedFile>()
  const large = new Set<FetchedFile>()
  const endings = new Set<Promise<void>>()
  const queue = createWantedQueue(files, (digest) => fetched.has(digest) || aside.some((each) => each.get(digest)?.pass === pass))
  /** Number of passes over all missing files. */
  let pass = 1
  /** A large file that waits until another one is complete. */
  let next: WantedFile | undefined
  let bytesAsked = 0
  let came = 0
  let retry: NodeJS.Timeout | undefined
  let pause = RETRY_MS
  let isFilling = false
  let isAgain = false
  let isBegun = false
  let isStopped = false

  /** Leaves a file out of the rest of the pass. A file that nothing refers to any more, deleted while the peer answered, is forgotten. */
  function skip(where: Map<string, SkippedFile>, digest: string, size: number): void {
    unskip(where, digest)
    if (!files.isWanted(digest)) return
    where.set(digest, { size, pass })
    bytesOf.set(where, (bytesOf.get(where) ?? 0) + size)
  }

  function unskip(where: Map<string, SkippedFile>, digest: string): void {
    const found = where.get(digest)
    if (found === undefined) return
    where.delete(digest)
    bytesOf.set(where, (bytesOf.get(where) ?? 0) - found.size)
  }

  function counts(): MissingFiles {
    const others = (bytesOf.get(lacking) ?? 0) + (bytesOf.get(foreign) ?? 0)
    const pending = Math.max(0, files.wanted.count - lacking.size - foreign.size)
    return {
      pending,
      pendingBytes: pending === 0 ? 0 : Math.max(0, files.wanted.bytes - others),
      missing: lacking.size,
      missingBytes: bytesOf.get(lacking) ?? 0,
    }
  }

  function reportCounts(): void {
    const { pending, pendingBytes, missing, missingBytes } = counts()
    let here = 0
    for (const of of large) here += of.file.offset
    const filesPending = Math.max(0, pendingBytes - here)
    const before = status.status
    const isSame = before.filesPending === filesPending && before.filesPendingCount === pending && before.filesMissing === missing
    if (!isSame) status.set({ filesPending, filesPendingCount: pending, filesMissing: missing, filesMissingBytes: missingBytes })
  }

  const hasRoom = (): boolean =>
    outstanding.length < MAX_WAITING_REQUESTS && bytesAsked < MAX_BYTES_REQUESTED && fetched.size < MAX_FETCHED

  async function begin(wanted: WantedFile): Promise<void> {
    const { digest, size } = wanted
    if (!(await files.isForPeer(digest))) return skip(foreign, digest, size)
    unskip(foreign, digest)
    const file = await files.begin(digest, size)
    if (file === undefined) return skip(elsewhere, digest, size)
    if (isStopped) return file.suspend()
    unskip(elsewhere, digest)
    const of: FetchedFile = { ...wanted, file, requestedUpTo: file.offset, outstanding: 0, isLeft: false }
    fetched.set(digest, of)
    if (size > MAX_WHOLE) large.add(of)
    if (of.requestedUpTo < size) requestParts(of)
    else finishFile(of)
  }

  async function fillUp(): Promise<void> {
    while (!isStopped && hasRoom()) {
      const wanted = next ?? (await queue.next())
      next = undefined
      if (wanted === undefined) return endPass()
      if (wanted.size > MAX_WHOLE && large.size >= MAX_LARGE) {
        next = wanted
        return
      }
      await begin(wanted)
    }
  }

  /** Requests more files, within the limits. */
  function fill(): void {
    for (const of of large) requestParts(of)
    isAgain = true
    if (isFilling || isStopped || !isBegun) return
    isFilling = true
    isAgain = false
    fillUp()
      .catch(onFault)
      .finally(() => {
        isFilling = false
        reportCounts()
        if (isAgain) fill()
      })
  }

  function requestParts(of: FetchedFile): void {
    while (!of.isLeft && of.outstanding < MAX_PARTS_OF_FILE && of.requestedUpTo < of.size && outstanding.length < MAX_WAITING_REQUESTS) {
      const offset = of.requestedUpTo
      const length = Math.min(PART, of.size - offset)
      outstanding.push({ of, offset, length })
      of.outstanding += 1
      of.requestedUpTo += length
      bytesAsked += length
      link.send({ type: 'file-request', digest: of.digest, offset, length }).catch(onFault)
    }
  }

  /** Ends a pass: all missing files were requested. */
  function endPass(): void {
    if (fetched.size > 0) return
    onChange()
    if (retry !== undefined || aside.every((each) => each.size === 0)) return
    retry = setTimeout(scheduleRetry, pause).unref()
    pause = Math.min(MAX_RETRY_MS, pause * 2)
  }

  function scheduleRetry(): void {
    retry = undefined
    pass += 1
    queue.restart()
    fill()
  }

  /** Moves a file to its final path while others arrive. */
  function finishFile(of: FetchedFile): void {
    const ending = of.file
      .finish()
      .then((isWhole) => {
        // The peer's copy is damaged; the peer detects this when it reads the whole file again.
        if (!isWhole) skip(lacking, of.digest, of.size)
        else came += 1
        if (isWhole && came % NOTIFY_EACH === 0) onChange()
      })
      .catch(onFault)
      .finally(() => {
        endings.delete(ending)
        fetched.delete(of.digest)
        large.delete(of)
        if (!isStopped) fill()
      })
    endings.add(ending)
  }

  /** Gives up for now on a file that the peer cannot send. */
  async function giveUp(of: FetchedFile): Promise<void> {
    if (of.isLeft) return
    of.isLeft = true
    fetched.delete(of.digest)
    large.delete(of)
    skip(lacking, of.digest, of.size)
    await of.file.suspend()
  }

  function nextAnswer(digest: string): { of: FetchedFile; offset: number; length: number } {
    const first = outstanding.shift()
    if (first === undefined || first.of.digest !== digest) throw damaged('a part of a file that was not requested')
    bytesAsked -= first.length
    first.of.outstanding -= 1
    return first
  }

  const leaveFollowing = files.follow(({ digest, size, isWanted }) => {
    if (isStopped) return
    if (isWanted) queue.add({ digest, size })
    else for (const each of aside) unskip(each, digest)
    if (!isBegun) return
    reportCounts()
    if (isWanted) {
      pause = RETRY_MS
      fill()
    }
    if (isWanted || counts().pending === 0) onChange()
  })

  reportCounts()

  return {
    begin() {
      isBegun = true
      queue.restart()
      reportCounts()
      fill()
    },
    offered(digests) {
      for (const digest of digests) {
        const size = lacking.get(digest)?.size ?? foreign.get(digest)?.size
        if (size === undefined) continue
        unskip(lacking, digest)
        unskip(foreign, digest)
        queue.add({ digest, size })
      }
      fill()
    },
    async part({ digest, offset, bytes }) {
      const { of, offset: expected, length } = nextAnswer(digest)
      if (offset !== expected || bytes.length > length) throw damaged('a part of a file other than the requested one')
      // A file with another size than its event states cannot come from the peer.
      if (!of.isLeft && bytes.length < length) await giveUp(of)
      if (!of.isLeft) {
        pause = RETRY_MS
        unskip(lacking, digest)
        await of.file.write(bytes)
        if (of.file.offset >= of.size) finishFile(of)
      }
      reportCounts()
      fill()
    },
    async lack({ digest }) {
      await giveUp(nextAnswer(digest).of)
      reportCounts()
      fill()
    },
    get left() {
      return counts()
    },
    async stop() {
      isStopped = true
      leaveFollowing()
      clearTimeout(retry)
      await Promise.all(endings)
      for (const of of fetched.values()) {
        if (of.isLeft) continue
        of.isLeft = true
        await of.file.suspend()
      }
    },
  }
}

/** Files read per page. */
const PAGE = 100
/** Maximum number of new files in memory; the others are read from disk. */
const MAX_NEW = 1000

interface WantedQueue {
  /** Adds a file that became missing. */
  add(file: WantedFile): void
  /** Starts a pass over all missing files, or schedules another after the current one. */
  restart(): void
  /** Returns the next file; undefined at the end of the pass. */
  next(): Promise<WantedFile | undefined>
}

/** Creates the queue; `skips` returns true for files to leave out in this pass. */
function createWantedQueue(files: Pick<Files, 'wantedFrom' | 'isWanted'>, skips: (digest: string) => boolean): WantedQueue {
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
