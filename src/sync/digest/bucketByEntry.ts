/**
 * Maps each journal entry to its bucket, in 2 bytes per entry, to find the items of a bucket by their entries. Entries
 * outside the digest are spread over all buckets and filtered out when read.
 */
const PAGE = 65_536
/** Number of entries stored together. */
const CHUNK = 4096

/** Returns a pseudo-random bucket for an entry without one. */
const anyBucket = (sequence: number): number => Math.imul(sequence, 0x9e3779b1) >>> 16

/** Number of pages searched in one turn of the event loop. */
const PAGES_A_TURN = 16

export class BucketByEntry {
  readonly #pages: Uint16Array[] = []
  /** Chunks that differ from those on disk. */
  readonly touched = new Set<number>()

  /** Sets the bucket of an entry; undefined for entries outside the digest. */
  set(sequence: number, bucket: number | undefined): void {
    const page = this.#page(Math.floor(sequence / PAGE))
    page[sequence % PAGE] = bucket ?? anyBucket(sequence)
    this.touched.add(Math.floor(sequence / CHUNK))
  }

  /** Extends the map up to a sequence; entries not set have no bucket. */
  reach(from: number, upTo: number): void {
    for (let chunk = Math.floor(from / CHUNK); chunk <= Math.floor(upTo / CHUNK); chunk++) this.touched.add(chunk)
  }

  #page(number: number): Uint16Array {
    while (this.#pages.length <= number) {
      const first = this.#pages.length * PAGE
      this.#pages.push(Uint16Array.from({ length: PAGE }, (_, i) => anyBucket(first + i)))
    }
    return this.#pages[number] as Uint16Array
  }

  /** Returns the sequences up to `upTo` of the entries of some buckets, ascending. `wanted` has a 1 for each of the buckets. */
  async find(wanted: Uint8Array, upTo: number): Promise<number[]> {
    const found: number[] = []
    for (const [number, page] of this.#pages.entries()) {
      const first = number * PAGE
      const end = Math.min(PAGE, upTo - first + 1)
      for (let i = number === 0 ? 1 : 0; i < end; i++) if (wanted[page[i] as number] === 1) found.push(first + i)
      if (number % PAGES_A_TURN === PAGES_A_TURN - 1) await new Promise(setImmediate)
    }
    return found
  }

  /** Returns the bytes of a chunk to store. */
  chunk(chunk: number): Uint8Array {
    const first = chunk * CHUNK
    const part = this.#page(Math.floor(first / PAGE)).subarray(first % PAGE, (first % PAGE) + CHUNK)
    return new Uint8Array(part.slice().buffer)
  }

  /** Loads a stored chunk; false when it is invalid. */
  setChunk(chunk: number, bytes: Uint8Array): boolean {
    if (!Number.isSafeInteger(chunk) || chunk < 0 || bytes.length !== CHUNK * 2) return false
    const first = chunk * CHUNK
    const aligned = new Uint16Array(bytes.slice().buffer)
    this.#page(Math.floor(first / PAGE)).set(aligned, first % PAGE)
    return true
  }

  /** Returns the number of chunks up to a sequence. */
  static chunksTo(sequence: number): number {
    return Math.floor(sequence / CHUNK) + 1
  }
}
