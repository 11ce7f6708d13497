import { timingSafeEqual } from 'node:crypto'

/** Whether two texts are the same, told in a time that depends on their lengths alone. */
export function constantTimeEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
