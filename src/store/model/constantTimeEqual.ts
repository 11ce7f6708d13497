/** Comparisons of secrets whose duration reveals nothing of them. */
import { hash, timingSafeEqual } from 'node:crypto'

/** Checks whether two texts, or two byte arrays, are equal, in a time that depends only on their lengths. */
export function constantTimeEqual<T extends string | Uint8Array>(a: T, b: T): boolean {
  const [left, right] = [bytesOf(a), bytesOf(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const bytesOf = (value: string | Uint8Array): Uint8Array => (typeof value === 'string' ? Buffer.from(value) : value)

/** Checks whether two texts are equal by their digests, so that the time does not reveal that their lengths differ. */
export const constantTimeEqualDigests = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
