/**
 * Fetches the bytes of files that came without them: one file at a time, from where an earlier session left it. A file
 * that the peer lacks is asked for again after a while, sooner when the peer expects it itself, or when another session
 * receives it.
 */
import { damaged } from '../exchange/fault.js'
import type { FileLack, FilePart } from '../exchange/message.js'
import { MOST_PARTS_ASKED } from './fileGiving.js'
import type { Files, PartialFile } from './holdings.js'
import type { Link } from './link.js'
import type { StatusKeeper } from './status.js'

const PART = 128 * 1024
/** Files that are looked at in one go. */
const MOST_LISTED = 1000
/** Milliseconds until a file is asked for again. */
const SOON = 1000
const LATER = 60_000

export interface FileTaking {
  /** Looks for files that are waited for. */
  wake(): void
  part(message: FilePart): Promise<void>
  lack(message: FileLack): Promise<void>
  /** How many files are waited for that the peer may have. */
  readonly pending: number
  stop(): Promise<void>
}

export interface FileTakingOptions {
  files: Files
  link: Link
  status: StatusKeeper
  /** Called when no file is waited for that the peer may have. */
  onIdle(): void
  onFault(error: unknown): void
}

interface Fetched {
  digest: string
  size: number
  file: PartialFile
  /** Up to where it was asked for. */
  asked: number
  isLeft: boolean
}

export function createFileTaking({ files, link, status, onIdle, onFault }: FileTakingOptions): FileTaking {
  /** Files that the peer lacks, until it is asked again. */
  const lacking = new Map<string, NodeJS.Timeout>()
  /** How long a peer that lacked a file is given the next time. */
  const asked = new Map<string, number>()
  const outstanding: { of: Fetched; offset: number; length: number }[] = []
  let current: Fetched | undefined
  let pending = 0
  let isLooking = false
  let isAgain = false
  let isStopped = false

  function show(listed: readonly { digest: string; size: number }[]): void {
    const open = listed.filter(({ digest }) => !lacking.has(digest))
    pending = open.length
    const bytes = open.reduce((sum, { size }) => sum + size, 0)
    status.set({ filesPending: bytes - (current?.file.offset ?? 0) })
  }

  async function look(): Promise<void> {
    do {
      isAgain = false
      const listed = await files.wanted(MOST_LISTED)
      if (isStopped) return
      show(listed)
      const first = listed.find(({ digest }) => !lacking.has(digest))
      if (first === undefined) continue
      const file = await files.begin(first.digest, first.size)
      if (file === undefined) {
        putOff(first.digest, SOON)
        isAgain = true
        continue
      }
      current = { ...first, file, asked: file.offset, isLeft: false }
      if (isStopped) return file.leave()
      if (file.offset < first.size) return ask(current)
      await finish(current)
    } while (isAgain)
    onIdle()
  }

  function wake(): void {
    isAgain = true
    if (isLooking || current !== undefined || isStopped) return
    isLooking = true
    look()
      .catch(onFault)
      .finally(() => {
        isLooking = false
        if (isAgain && current === undefined) wake()
      })
  }

  function ask(of: Fetched): void {
    while (outstanding.length < MOST_PARTS_ASKED && of.asked < of.size) {
      const offset = of.asked
      const length = Math.min(PART, of.size - offset)
      outstanding.push({ of, offset, length })
      of.asked += length
      link.send({ type: 'file-request', digest: of.digest, offset, length }).catch(onFault)
    }
  }

  /** Milliseconds until a peer that lacks a file is asked again: it may be about to hear of it, or never get it. */
  function patience(digest: string): number {
    const milliseconds = Math.min(LATER, asked.get(digest) ?? SOON)
    asked.set(digest, milliseconds * 2)
    return milliseconds
  }

  async function finish(of: Fetched): Promise<void> {
    current = undefined
    if (!(await of.file.finish())) putOff(of.digest, LATER)
    isAgain = true
  }

  function putOff(digest: string, milliseconds: number): void {
    const retry = (): void => {
      lacking.delete(digest)
      wake()
    }
    lacking.set(digest, setTimeout(retry, milliseconds).unref())
  }

  async function leave(of: Fetched, milliseconds: number): Promise<void> {
    if (of.isLeft) return
    of.isLeft = true
    putOff(of.digest, milliseconds)
    await of.file.leave()
    current = undefined
    wake()
  }

  function answered(digest: string): { of: Fetched; offset: number; length: number } {
    const first = outstanding.shift()
    if (first === undefined || first.of.digest !== digest) throw damaged('a part of a file that nobody asked for')
    return first
  }

  return {
    wake,
    async part({ digest, offset, bytes }) {
      const { of, offset: asked, length } = answered(digest)
      if (offset !== asked || bytes.length > length) throw damaged('another part of a file than was asked for')
      if (of.isLeft) return
      // A file of another size than its event says is none that the peer could give.
      if (bytes.length < length) return leave(of, LATER)
      await of.file.write(bytes)
      status.set({ filesPending: Math.max(0, status.status.filesPending - bytes.length) })
      ask(of)
      if (of.file.offset < of.size) return
      await finish(of)
      wake()
    },
    async lack({ digest, expected }) {
      await leave(answered(digest).of, expected ? SOON : patience(digest))
    },
    get pending() {
      return pending
    },
    async stop() {
      isStopped = true
      for (const timer of lacking.values()) clearTimeout(timer)
      if (current !== undefined && !current.isLeft) {
        current.isLeft = true
        await current.file.leave()
      }
    },
  }
}
