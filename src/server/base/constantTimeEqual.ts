import { timingSafeEqual } from 'node:crypto'

/** Checks whether two strings are equal, in a time that depends only on their lengths. */
export function constantTimeEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
