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
import { MAX_PARTS_ASKED } from './fileSender.js'
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
const MAX_BYTES_ASKED = 1024 * 1024
/** Milliseconds until files that the peer lacks are requested again, doubled after each unsuccessful pass. */
const SOON = 1000
const LATER = 60_000
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

interface Fetched extends WantedFile {
  file: PartialFile
  /** Offset up to which bytes were requested. */
  asked: number
  /** Outstanding parts. */
  outstanding: number
  isLeft: boolean
}

/** A file not fetched for now, since the pass with this number. */
interface SetAside {
  size: number
  pass: number
}

export function createFileReceiver({ files, link, status, onChange, onFault }: FileReceiverOptions): FileReceiver {
  /** Files that the peer lacks. */
  const lacking = new Map<string, SetAside>()
  /** Files outside the exchange: no item exchanged with the peer refers to them. */
  const foreign = new Map<string, SetAside>()
  /** Files that another session receives. */
  const elsewhere = new Map<string, SetAside>()
  const aside = [lacking, foreign, elsewhere]
  const bytesOf = new Map(aside.map((files) => [files, 0]))
  const outstanding: { of: Fetched; offset: number; length: number }[] = []
  const fetched = new Map<string, Fetched>()
  const large = new Set<Fetched>()
  const endings = new Set<Promise<void>>()
  const queue = createWantedQueue(files, (digest) => fetched.has(digest) || aside.some((each) => each.get(digest)?.pass === pass))
  /** Number of passes over all missing files. */
  let pass = 1
  /** A large file that waits until another one is complete. */
  let next: WantedFile | undefined
  let bytesAsked = 0
  let came = 0
  let retry: NodeJS.Timeout | undefined
  let pause = SOON
  let isFilling = false
  let isAgain = false
  let isBegun = false
  let isStopped = false

  function put(where: Map<string, SetAside>, digest: string, size: number): void {
    takeOut(where, digest)
    where.set(digest, { size, pass })
    bytesOf.set(where, (bytesOf.get(where) ?? 0) + size)
  }

  function takeOut(where: Map<string, SetAside>, digest: string): void {
    const found = where.get(digest)
    if (found === undefined) return
    where.delete(digest)
    bytesOf.set(where, (bytesOf.get(where) ?? 0) - found.size)
  }

  function left(): MissingFiles {
    const others = (bytesOf.get(lacking) ?? 0) + (bytesOf.get(foreign) ?? 0)
    const pending = Math.max(0, files.wanted.count - lacking.size - foreign.size)
    return {
      pending,
      pendingBytes: pending === 0 ? 0 : Math.max(0, files.wanted.bytes - others),
      missing: lacking.size,
      missingBytes: bytesOf.get(lacking) ?? 0,
    }
  }

  function show(): void {
    const { pending, pendingBytes, missing, missingBytes } = left()
    let here = 0
    for (const of of large) here += of.file.offset
    const filesPending = Math.max(0, pendingBytes - here)
    const before = status.status
    const isSame = before.filesPending === filesPending && before.filesPendingCount === pending && before.filesMissing === missing
    if (!isSame) status.set({ filesPending, filesPendingCount: pending, filesMissing: missing, filesMissingBytes: missingBytes })
  }

  const hasRoom = (): boolean =>
    outstanding.length < MAX_PARTS_ASKED && bytesAsked < MAX_BYTES_ASKED && fetched.size < MAX_FETCHED

  async function begin(wanted: WantedFile): Promise<void> {
    const { digest, size } = wanted
    if (!(await files.isForPeer(digest))) return put(foreign, digest, size)
    takeOut(foreign, digest)
    const file = await files.begin(digest, size)
    if (file === undefined) return put(elsewhere, digest, size)
    if (isStopped) return file.leave()
    takeOut(elsewhere, digest)
    const of: Fetched = { ...wanted, file, asked: file.offset, outstanding: 0, isLeft: false }
    fetched.set(digest, of)
    if (size > MAX_WHOLE) large.add(of)
    if (of.asked < size) ask(of)
    else end(of)
  }

  async function fillUp(): Promise<void> {
    while (!isStopped && hasRoom()) {
      const wanted = next ?? (await queue.next())
      next = undefined
      if (wanted === undefined) return settle()
      if (wanted.size > MAX_WHOLE && large.size >= MAX_LARGE) {
        next = wanted
        return
      }
      await begin(wanted)
    }
  }

  /** Requests more files, within the limits. */
  function fill(): void {
    for (const of of large) ask(of)
    isAgain = true
    if (isFilling || isStopped || !isBegun) return
    isFilling = true
    isAgain = false
    fillUp()
      .catch(onFault)
      .finally(() => {
        isFilling = false
        show()
        if (isAgain) fill()
      })
  }

  function ask(of: Fetched): void {
    while (!of.isLeft && of.outstanding < MAX_PARTS_OF_FILE && of.asked < of.size && outstanding.length < MAX_PARTS_ASKED) {
      const offset = of.asked
      const length = Math.min(PART, of.size - offset)
      outstanding.push({ of, offset, length })
      of.outstanding += 1
      of.asked += length
      bytesAsked += length
      link.send({ type: 'file-request', digest: of.digest, offset, length }).catch(onFault)
    }
  }

  /** Ends a pass: all missing files were requested. */
  function settle(): void {
    if (fetched.size > 0) return
    onChange()
    if (retry !== undefined || aside.every((each) => each.size === 0)) return
    retry = setTimeout(tryAgain, pause).unref()
    pause = Math.min(LATER, pause * 2)
  }

  function tryAgain(): void {
    retry = undefined
    pass += 1
    queue.restart()
    fill()
  }

  /** Moves a file to its final path while others arrive. */
  function end(of: Fetched): void {
    const ending = of.file
      .finish()
      .then((isWhole) => {
        // The peer's copy differs: the peer detects that itself when it reads all of the file again.
        if (!isWhole) put(lacking, of.digest, of.size)
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
  async function leave(of: Fetched): Promise<void> {
    if (of.isLeft) return
    of.isLeft = true
    fetched.delete(of.digest)
    large.delete(of)
    put(lacking, of.digest, of.size)
    await of.file.leave()
  }

  function answered(digest: string): { of: Fetched; offset: number; length: number } {
    const first = outstanding.shift()
    if (first === undefined || first.of.digest !== digest) throw damaged('a part of a file that was not requested')
    bytesAsked -= first.length
    first.of.outstanding -= 1
    return first
  }

  const leaveFollowing = files.follow(({ digest, size, isWanted }) => {
    if (isStopped) return
    if (isWanted) queue.add({ digest, size })
    else for (const each of aside) takeOut(each, digest)
    if (!isBegun) return
    show()
    if (isWanted) {
      pause = SOON
      fill()
    }
    if (isWanted || left().pending === 0) onChange()
  })

  show()

  return {
    begin() {
      isBegun = true
      queue.restart()
      show()
      fill()
    },
    offered(digests) {
      for (const digest of digests) {
        const size = lacking.get(digest)?.size ?? foreign.get(digest)?.size
        if (size === undefined) continue
        takeOut(lacking, digest)
        takeOut(foreign, digest)
        queue.add({ digest, size })
      }
      fill()
    },
    async part({ digest, offset, bytes }) {
      const { of, offset: expected, length } = answered(digest)
      if (offset !== expected || bytes.length > length) throw damaged('a part of a file other than the requested one')
      // A file with another size than its event states cannot come from the peer.
      if (!of.isLeft && bytes.length < length) await leave(of)
      if (!of.isLeft) {
        pause = SOON
        takeOut(lacking, digest)
        await of.file.write(bytes)
        if (of.file.offset >= of.size) end(of)
      }
      show()
      fill()
    },
    async lack({ digest }) {
      await leave(answered(digest).of)
      show()
      fill()
    },
    get left() {
      return left()
    },
    async stop() {
      isStopped = true
      leaveFollowing()
      clearTimeout(retry)
      await Promise.all(endings)
      for (const of of fetched.values()) {
        if (of.isLeft) continue
        of.isLeft = true
        await of.file.leave()
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
