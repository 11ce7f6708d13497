/**
 * Digest of an account by buckets: items are spread over 65,536 buckets by the first 16 bits of their hash, and each bucket
 * has the exclusive or of the states of its items. `BucketDigests` takes 1 MB, independent of the number of items.
 *
 * The items of a bucket are found by the journal entries of that bucket, to which `BucketByEntry` maps each entry;
 * `readBuckets` reads them with their states.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Snapshot } from '../../store/engine/database.js'
import { decodeEntry } from '../../store/engine/journal.js'
import { accountKeys } from '../../store/engine/keys.js'
import { readerOf } from '../../store/engine/recordReader.js'
import { isZeroDigest, ELEMENT_LENGTH, itemHash, xorInto, zeroDigest, type DigestElement } from '../../store/model/digestElement.js'
import type { ItemRef } from '../wire/entry.js'
import { digestDelta, isDocument, itemKindOf } from './digestDelta.js'
import { elementsBesideChanges, type DigestSource } from './readItem.js'

export const BUCKETS = 65_536
/** Number of buckets stored together. */
const BUCKETS_A_PAGE = 256
export const SUM_PAGES = BUCKETS / BUCKETS_A_PAGE

const WORDS = ELEMENT_LENGTH / 4
const PAGE_BYTES = BUCKETS_A_PAGE * ELEMENT_LENGTH

/** Returns the bucket of an item, such as `e<event>`. */
export const bucketOf = (item: string): number => itemHash(item) >>> 16

/** Returns the buckets whose number begins with these hexadecimal digits, at most 4. */
export function bucketsUnder(prefix: string): { first: number; count: number } {
  const count = BUCKETS >>> (4 * prefix.length)
  return { first: prefix === '' ? 0 : Number.parseInt(prefix, 16) * count, count }
}

export class BucketDigests {
  readonly #words = new Uint32Array(BUCKETS * WORDS)
  readonly #bytes = new Uint8Array(this.#words.buffer)
  /** Exclusive or of all buckets. */
  readonly #total = new Uint32Array(WORDS)
  /** Buffer of the current element: words are toggled faster than bytes, and elements may begin at any byte. */
  readonly #one = new Uint32Array(WORDS)
  readonly #oneBytes = new Uint8Array(this.#one.buffer)
  /** Pages that differ from those on disk. */
  readonly touched = new Set<number>()

  /** Adds an element to a bucket, or removes it. */
  toggle(bucket: number, element: DigestElement): void {
    this.#oneBytes.set(element)
    const at = bucket * WORDS
    for (let i = 0; i < WORDS; i++) {
      const word = this.#one[i] ?? 0
      this.#words[at + i] = (this.#words[at + i] ?? 0) ^ word
      this.#total[i] = (this.#total[i] ?? 0) ^ word
    }
    this.touched.add(bucket >>> 8)
  }

  /** Sets the digest of a bucket to that of these states. */
  replace(bucket: number, states: readonly DigestElement[]): void {
    this.toggle(bucket, this.sum(bucket, 1))
    for (const state of states) this.toggle(bucket, state)
  }

  /** Returns the digest of all buckets in constant time. */
  total(): DigestElement {
    return new Uint8Array(this.#total.slice().buffer)
  }

  /** Returns the digest of adjacent buckets. */
  sum(first: number, count: number): DigestElement {
    const sum = zeroDigest()
    const words = new Uint32Array(sum.buffer, sum.byteOffset, WORDS)
    const end = (first + count) * WORDS
    for (let at = first * WORDS; at < end; at += WORDS) {
      for (let i = 0; i < WORDS; i++) words[i] = (words[i] ?? 0) ^ (this.#words[at + i] ?? 0)
    }
    return sum
  }

  /** Returns the digests of the 16 parts of a part, given by its first hexadecimal digits, at most 3. */
  parts(prefix: string): DigestElement[] {
    const { first, count } = bucketsUnder(prefix)
    const size = count / 16
    return Array.from({ length: 16 }, (_, i) => this.sum(first + i * size, size))
  }

  equals(other: BucketDigests): boolean {
    return Buffer.compare(this.#bytes, other.#bytes) === 0
  }

  /** Returns the bytes of a page to store; undefined when all its buckets are empty. */
  page(page: number): Uint8Array | undefined {
    const words = this.#words.subarray((page * PAGE_BYTES) / 4, ((page + 1) * PAGE_BYTES) / 4)
    if (words.every((word) => word === 0)) return undefined
    return this.#bytes.slice(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
  }

  /** Loads a stored page; false when it is invalid. */
  setPage(page: number, bytes: Uint8Array): boolean {
    if (!(page >= 0 && page < SUM_PAGES) || bytes.length !== PAGE_BYTES) return false
    this.#addToTotal(page)
    this.#bytes.set(bytes, page * PAGE_BYTES)
    this.#addToTotal(page)
    return true
  }

  /** Adds the digest of a page to the total, or removes it. */
  #addToTotal(page: number): void {
    const sum = this.sum(page * BUCKETS_A_PAGE, BUCKETS_A_PAGE)
    const words = new Uint32Array(sum.buffer, sum.byteOffset, WORDS)
    for (let i = 0; i < WORDS; i++) this.#total[i] = (this.#total[i] ?? 0) ^ (words[i] ?? 0)
  }
}

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
  extend(from: number, upTo: number): void {
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
      if (number % PAGES_A_TURN === PAGES_A_TURN - 1) await yieldTurn()
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

/** An item with its digest element. */
export interface ItemState {
  item: ItemRef
  state: DigestElement
}

/** Number of entries read in one turn of the event loop. */
const READS_A_TURN = 500

/**
 * Returns items by bucket, without those that have no state. `places` must include all entries up to `upTo`, which is the
 * end of the journal in `snapshot`, if one is given.
 */
export async function readBuckets(
  { db, seal, account }: DigestSource,
  buckets: ReadonlySet<number>,
  places: BucketByEntry,
  upTo: number,
  snapshot?: Snapshot,
): Promise<Map<number, ItemState[]>> {
  const wanted = new Uint8Array(BUCKETS)
  for (const bucket of buckets) wanted[bucket] = 1
  const found = new Map<string, ItemState>()
  let reads = 0
  for (const sequence of await places.find(wanted, upTo)) {
    if (++reads % READS_A_TURN === 0) await yieldTurn()
    const bytes = db.getBytes(accountKeys.journal(account, sequence), snapshot)
    const entry = bytes === undefined ? undefined : decodeEntry(bytes)
    const kind = entry === undefined ? undefined : itemKindOf(entry.kind)
    if (entry === undefined || kind === undefined) continue
    const { action, id } = entry
    const effect = digestDelta(entry.kind, action, id, entry.change)
    if (effect === undefined || wanted[bucketOf(effect.item)] !== 1) continue
    let known = found.get(effect.item)
    if (known === undefined) {
      known = { item: { kind, id }, state: zeroDigest() }
      found.set(effect.item, known)
    }
    // Changes that are not erased belong to a live item.
    if (isDocument(entry.kind) && action !== 'delete' && effect.element) xorInto(known.state, effect.element)
  }
  const reader = readerOf(db, snapshot)
  const result = new Map<number, ItemState[]>([...buckets].map((bucket) => [bucket, []]))
  for (const [name, known] of found) {
    if (++reads % READS_A_TURN === 0) await yieldTurn()
    for (const element of elementsBesideChanges(reader, seal, account, known.item.kind, known.item.id)) xorInto(known.state, element)
    if (!isZeroDigest(known.state)) result.get(bucketOf(name))?.push(known)
  }
  return result
}
