/**
 * Partially received files from other nodes: `files/.partial/<account>/<SHA-256>`. Received bytes survive restarts, so
 * that only the rest is requested again. A complete file moves to its final path after its digest was verified.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { diskFailure, isAccountFolder, isFileDigest, namesIn } from '../leveldb/filesOnDisk.js'

/** A file being received; all requests for the same file share it. */
export interface PartialFile {
  /** Number of bytes received. */
  readonly size: number
  /** Claims the file until `unclaim`; returns false when another caller has it. Only one caller appends at a time. */
  claim(): boolean
  /** Ends the claim; received bytes stay. */
  unclaim(): Promise<void>
  /**
   * Appends bytes.
   * @throws RangeError when `at` is not the size so far; Failure `storage-full`
   */
  append(at: number, bytes: Uint8Array): Promise<void>
  /**
   * Moves the file to its final path, on disk when this resolves. Returns false and drops the bytes when the size or
   * the digest is wrong.
   */
  finish(size: number): Promise<boolean>
  /** Drops the received bytes. */
  drop(): Promise<void>
}

interface PartialOptions {
  folder: string
  isWanted(account: string, digest: string): boolean
  /** Moves a complete file that is on disk to its final path. */
  place(account: string, digest: string, path: string): Promise<void>
}

interface Partials {
  open(account: string, digest: string): Promise<PartialFile>
  /** Removes parts of unwanted files that are older than `graceSeconds`, and all very old parts. */
  sweep(now: number, graceSeconds: number): Promise<void>
  erase(account: string): Promise<void>
  /** Closes open files; the parts stay. */
  close(): Promise<void>
}

/** Maximum age of parts since the last append, in seconds. */
const OLDEST_SECONDS = 30 * 24 * 3600

class Receiving implements PartialFile {
  #file: FileHandle | undefined
  #size: number
  #isClaimed = false
  /** Queue of operations on the file. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    readonly path: string,
    file: FileHandle,
    size: number,
    readonly digest: string,
    private readonly place: () => Promise<void>,
    private readonly ended: () => void,
  ) {
    this.#file = file
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  claim(): boolean {
    if (this.#isClaimed || this.#file === undefined) return false
    this.#isClaimed = true
    return true
  }

  unclaim(): Promise<void> {
    return this.close()
  }

  append(at: number, bytes: Uint8Array): Promise<void> {
    return this.#then(async () => {
      if (at !== this.#size) throw new RangeError(`Offset ${at} does not follow the ${this.#size} bytes received.`)
      const file = this.#open()
      try {
        let written = 0
        while (written < bytes.length) {
          written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten
        }
      } catch (error) {
        throw diskFailure(error)
      }
      this.#size += bytes.length
    })
  }

  finish(size: number): Promise<boolean> {
    return this.#then(async () => {
      const file = this.#open()
      if (this.#size !== size || (await digestOf(this.path)) !== this.digest) {
        await this.#remove()
        return false
      }
      await file.sync()
      this.#file = undefined
      await file.close()
      // Until it is at its final path, no other caller may open the partial file.
      await this.place().finally(() => this.ended())
      return true
    })
  }

  drop(): Promise<void> {
    return this.#then(() => this.#remove())
  }

  /** Closes the file; receiving may resume later. */
  close(): Promise<void> {
    return this.#then(() => this.#close())
  }

  #then<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }

  #open(): FileHandle {
    if (this.#file === undefined) throw new RangeError('The file is closed.')
    return this.#file
  }

  async #close(): Promise<void> {
    const file = this.#file
    if (file === undefined) return
    this.#file = undefined
    await file.close()
    this.ended()
  }

  async #remove(): Promise<void> {
    const file = this.#file
    if (file === undefined) return
    this.#file = undefined
    await file.close()
    await rm(this.path, { force: true })
    this.ended()
  }
}

/** Opens the partial files under a folder, which is created if needed. */
export function openPartials({ folder, isWanted, place }: PartialOptions): Partials {
  const receiving = new Map<string, Promise<Receiving>>()

  async function begin(account: string, digest: string, path: string): Promise<Receiving> {
    if (!isAccountFolder(account) || !isFileDigest(digest)) throw new RangeError('A file name must be its SHA-256.')
    await mkdir(join(folder, account), { recursive: true, mode: 0o700 })
    // Opened without truncation and append mode: bytes are written at their offsets.
    const file = await open(path, 'r+', 0o600).catch(() => open(path, 'w+', 0o600))
    const { size } = await file.stat()
    return new Receiving(path, file, size, digest, () => place(account, digest, path), () => void receiving.delete(path))
  }

  async function sweepFile(account: string, digest: string, now: number, graceSeconds: number): Promise<void> {
    const path = join(folder, account, digest)
    const file = await stat(path).catch(() => undefined)
    if (file === undefined || receiving.has(path)) return
    const age = now - file.mtimeMs / 1000
    const isStored = isWanted(account, digest) ? age < OLDEST_SECONDS : age < graceSeconds
    if (!isStored) await rm(path, { force: true })
  }

  return {
    open(account, digest) {
      const path = join(folder, account, digest)
      const begun = receiving.get(path)
      if (begun !== undefined) return begun
      const opened = begin(account, digest, path)
      receiving.set(path, opened)
      opened.catch(() => receiving.delete(path))
      return opened
    },
    async sweep(now, graceSeconds) {
      for (const account of await namesIn(folder)) {
        for (const digest of await namesIn(join(folder, account))) await sweepFile(account, digest, now, graceSeconds)
      }
    },
    async erase(account) {
      const own = join(folder, account)
      for (const [path, opened] of [...receiving]) if (path.startsWith(join(own, '/'))) await (await opened).drop()
      await rm(own, { recursive: true, force: true })
    },
    async close() {
      for (const opened of [...receiving.values()]) await (await opened).close()
    },
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
