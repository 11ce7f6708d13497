/**
 * Digest of an account by buckets: items are spread over 65,536 buckets by the first 16 bits of their hash, and each bucket
 * has the exclusive or of the states of its items. Takes 1 MB, independent of the number of items.
 */
import { ELEMENT_LENGTH, itemHash, zeroDigest, type DigestElement } from '../../store/model/digestElement.js'

export const BUCKETS = 65_536
/** Number of buckets stored together. */
export const BUCKETS_A_PAGE = 256
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
