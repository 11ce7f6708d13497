/**
 * The state of an account by parts: items are spread over 65,536 buckets by the first 16 bits of their hash, and each
 * bucket has the exclusive or of the states of its items. 1 MB, whatever the number of items.
 */
import { ELEMENT_LENGTH, itemHash, zeroDigest, type DigestElement } from '../../store/model/digestElement.js'

export const BUCKETS = 65_536
/** Buckets that are kept together on disk. */
export const BUCKETS_A_PAGE = 256
export const SUM_PAGES = BUCKETS / BUCKETS_A_PAGE

const WORDS = ELEMENT_LENGTH / 4
const PAGE_BYTES = BUCKETS_A_PAGE * ELEMENT_LENGTH

/** The bucket of an item, such as `e<event>`. */
export const bucketOf = (item: string): number => itemHash(item) >>> 16

/** The buckets whose number begins with some hexadecimal digits, at most 4. */
export function bucketsUnder(prefix: string): { first: number; count: number } {
  const count = BUCKETS >>> (4 * prefix.length)
  return { first: prefix === '' ? 0 : Number.parseInt(prefix, 16) * count, count }
}

export class BucketDigests {
  readonly #words = new Uint32Array(BUCKETS * WORDS)
  readonly #bytes = new Uint8Array(this.#words.buffer)
  /** The sum of all buckets. */
  readonly #total = new Uint32Array(WORDS)
  /** The element at hand: words are toggled faster than bytes, and elements may begin at any byte. */
  readonly #one = new Uint32Array(WORDS)
  readonly #oneBytes = new Uint8Array(this.#one.buffer)
  /** Pages that differ from what is on disk. */
  readonly touched = new Set<number>()

  /** Adds an element to a bucket, or takes it away. */
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

  /** Makes the sum of a bucket that of these states. */
  replace(bucket: number, states: readonly DigestElement[]): void {
    this.toggle(bucket, this.sum(bucket, 1))
    for (const state of states) this.toggle(bucket, state)
  }

  /** The sum of all buckets, without going through them. */
  total(): DigestElement {
    return new Uint8Array(this.#total.slice().buffer)
  }

  /** The sum of some buckets beside each other. */
  sum(first: number, count: number): DigestElement {
    const sum = zeroDigest()
    const words = new Uint32Array(sum.buffer, sum.byteOffset, WORDS)
    const end = (first + count) * WORDS
    for (let at = first * WORDS; at < end; at += WORDS) {
      for (let i = 0; i < WORDS; i++) words[i] = (words[i] ?? 0) ^ (this.#words[at + i] ?? 0)
    }
    return sum
  }

  /** The sums of the 16 parts of a part, given by its first hexadecimal digits, at most 3. */
  parts(prefix: string): DigestElement[] {
    const { first, count } = bucketsUnder(prefix)
    const size = count / 16
    return Array.from({ length: 16 }, (_, i) => this.sum(first + i * size, size))
  }

  equals(other: BucketDigests): boolean {
    return Buffer.compare(this.#bytes, other.#bytes) === 0
  }

  /** The bytes of a page as they are kept; undefined when all its buckets are empty. */
  page(page: number): Uint8Array | undefined {
    const words = this.#words.subarray((page * PAGE_BYTES) / 4, ((page + 1) * PAGE_BYTES) / 4)
    if (words.every((word) => word === 0)) return undefined
    return this.#bytes.slice(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
  }

  /** Takes in a kept page; false when it is none. */
  setPage(page: number, bytes: Uint8Array): boolean {
    if (!(page >= 0 && page < SUM_PAGES) || bytes.length !== PAGE_BYTES) return false
    this.#addToTotal(page)
    this.#bytes.set(bytes, page * PAGE_BYTES)
    this.#addToTotal(page)
    return true
  }

  /** Adds the sum of a page to that of all, or takes it away. */
  #addToTotal(page: number): void {
    const sum = this.sum(page * BUCKETS_A_PAGE, BUCKETS_A_PAGE)
    const words = new Uint32Array(sum.buffer, sum.byteOffset, WORDS)
    for (let i = 0; i < WORDS; i++) this.#total[i] = (this.#total[i] ?? 0) ^ (words[i] ?? 0)
  }
}
