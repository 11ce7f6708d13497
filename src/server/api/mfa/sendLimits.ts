/** Rate limits of text messages: per account and hour, and per phone and day (docs/interface/mfa.md#text-messages). */
import type { Account } from '../../../store/engine/account.js'
import { tooMany } from '../../auth/attempts.js'
import type { Records } from '../../platform/registry/port.js'
import type { Context } from '../../call/context.js'

const FAMILY = 'mfaSends'
const HOUR = 3600
const DAY = 86_400

/** Messages sent since the first one opened the window. */
interface Sends {
  count: number
  /** End of the window, in seconds. */
  until: number
}

interface Limit {
  /** Those of the platform for phones, which any core may send to. */
  records: Records
  id: string
  max: number
  seconds: number
}

/**
 * Counts a message before it is sent, whether or not it arrives.
 * @throws Failure `too-many-attempts` above a limit; nothing is counted then
 */
export async function countSend(node: Context, account: Account, phone: string): Promise<void> {
  const { ownRecords, records, platformSeal } = node.registry
  const user = node.config.get('services.mfa.methods.sms.sendLimits.perUserPerHour')
  const destination = node.config.get('services.mfa.methods.sms.sendLimits.perDestinationPerDay')
  // Keyed hashes: the records reveal neither phone numbers nor accounts.
  const limits: Limit[] = [
    { records: ownRecords, id: node.store.seal.digest(`user ${account.prefix}`), max: user, seconds: HOUR },
    { records, id: platformSeal.digest(`phone ${phone}`), max: destination, seconds: DAY },
  ].filter(({ max }) => max > 0)
  for (const { records: counted, id, max } of limits) {
    assertWithinLimit(node, (await counted.get(FAMILY, id)) as Sends | undefined, max)
  }
  for (const { records: counted, id, max, seconds } of limits) {
    await counted.change(FAMILY, id, (now) => {
      const known = now as Sends | undefined
      assertWithinLimit(node, known, max)
      const until = known?.until ?? node.clock.now() + seconds
      return { put: { count: (known?.count ?? 0) + 1, until }, expires: until, result: undefined }
    })
  }
}

function assertWithinLimit(node: Context, known: Sends | undefined, max: number): void {
  if (known === undefined || known.count < max) return
  throw tooMany(known.until - node.clock.now(), 'Too many text messages were sent; wait before the next one.')
}
