/** Budgets of uses by rolling windows: what sends mails to people must not be asked for at will. */
import type { Node } from '../node.js'
import { tooMany } from './attempts.js'

/** At most so many uses within any stretch of so many seconds. */
export interface RateLimit {
  max: number
  seconds: number
}

/**
 * The times of uses with one more at `now`, without those that no budget looks at any more.
 * @throws Failure `too-many-attempts` when a budget is used up
 */
export function countAgainst(times: readonly number[], now: number, budgets: readonly RateLimit[]): number[] {
  const maxLength = Math.max(...budgets.map(({ seconds }) => seconds))
  // Uses in the future are those of a clock that was ahead: nobody waits until it would have been right.
  const recent = times.filter((time) => time > now - maxLength && time <= now)
  const waits = budgets.map(({ max: most, seconds }) => {
    const oldest = recent.at(-most)
    return oldest === undefined ? 0 : oldest + seconds - now
  })
  const wait = Math.max(...waits)
  if (wait > 0) throw tooMany(wait)
  return [...recent, now]
}

/**
 * Spends from budgets that are kept as a record of the platform: one use more of `id`.
 * @throws Failure `too-many-attempts` when one is used up
 */
export function countRecorded(node: Node, family: string, id: string, budgets: readonly RateLimit[]): Promise<void> {
  return node.registry.records.change(family, id, (known) => {
    const now = node.clock.now()
    const put = countAgainst((known ?? []) as number[], now, budgets)
    return { put, expires: now + Math.max(...budgets.map(({ seconds }) => seconds)), result: undefined }
  })
}
