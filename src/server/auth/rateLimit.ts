/** Rate limits by rolling windows, for actions that send mail. */
import type { Context } from '../call/context.js'
import { tooMany } from './attempts.js'

/** Maximum number of uses within any window of this many seconds. */
export interface RateLimit {
  max: number
  seconds: number
}

/**
 * Returns the times of uses with `now` added, without those outside of all windows.
 * @throws Failure `too-many-attempts` when a limit is exceeded
 */
export function countAgainst(times: readonly number[], now: number, budgets: readonly RateLimit[]): number[] {
  const maxLength = Math.max(...budgets.map(({ seconds }) => seconds))
  // Uses in the future (clock was set back) are ignored.
  const recent = times.filter((time) => time > now - maxLength && time <= now)
  const waits = budgets.map(({ max, seconds }) => {
    const oldest = recent.at(-max)
    return oldest === undefined ? 0 : oldest + seconds - now
  })
  const wait = Math.max(...waits)
  if (wait > 0) throw tooMany(wait)
  return [...recent, now]
}

/**
 * Counts a use of `id` on this core against limits.
 * @throws Failure `too-many-attempts` when a limit is exceeded
 */
export function countRecorded(node: Context, family: string, id: string, budgets: readonly RateLimit[]): Promise<void> {
  return node.registry.ownRecords.change(family, id, (known) => {
    const now = node.clock.now()
    const attempts = countAgainst((known ?? []) as number[], now, budgets)
    return { put: attempts, expires: now + Math.max(...budgets.map(({ seconds }) => seconds)), result: undefined }
  })
}
