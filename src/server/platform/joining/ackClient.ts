/**
 * Calls of a new core to the platform before it has joined: compares the clocks, and sends the acknowledgement. Trusts the
 * certificate authorities of the system and that of the platform, which is in the bundle.
 */
import { rootCertificates } from 'node:tls'
import { send, type Answer } from '../../httpClient/http.js'
import type { PendingAck } from './platformKey.js'

/** Maximum difference between the clocks of cores, in seconds. */
export const MAX_CLOCK_DIFFERENCE = 30

/** The list of all cores is in the answer to an acknowledgement. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** Result of a comparison of clocks: seconds by which this machine is ahead, or why they could not be compared. */
type ClockComparison = { ahead: number } | { problem: string }

/**
 * Compares the clock of this machine with that of the core that takes acknowledgements, by the header `Date` of an answer. The
 * token is not sent.
 * @param now returns milliseconds since 1970
 */
export async function compareClocks({ ackUrl, caPem }: Pick<PendingAck, 'ackUrl' | 'caPem'>, now: () => number): Promise<ClockComparison> {
  const before = now()
  const answer = await send({ verb: 'GET', url: new URL('/service/info', ackUrl).href, ...trusting(caPem), withDate: true })
  const after = now()
  if ('cause' in answer) return { problem: answer.cause }
  const date = Date.parse(answer.date ?? '')
  if (Number.isNaN(date)) return { problem: 'it states no time' }
  // The header is in whole seconds, rounded down: half a second is added.
  return { ahead: ((before + after) / 2 - (date + 500)) / 1000 }
}

/** Sends the acknowledgement; repeating it after a lost answer is refused as already used. Never rejects. */
export const sendAck = ({ ackUrl, coreId, token, caPem }: PendingAck): Promise<Answer> =>
  send({ verb: 'POST', url: ackUrl, body: { coreId, token: token.reveal() }, ...trusting(caPem) })

const trusting = (caPem: string): { ca: string[]; maxBytes: number } => ({ ca: [...rootCertificates, caPem], maxBytes: MAX_ANSWER_BYTES })
