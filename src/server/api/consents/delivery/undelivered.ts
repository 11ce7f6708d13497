/**
 * Outcomes of triggers whose message did not reach the other account (docs/interface/consents.md#acceptance,
 * docs/interface/messages.md#delivery).
 */
import { objectOf, textOf } from '../objects.js'
import type { OfferRead } from './offer.js'
import type { Delivered } from './peerClient.js'
import { failed, type Outcome } from './jobTypes.js'

/** Permanent causes that lie in the address. */
const LASTING = new Set(['private address', 'invalid address', 'endpoint without a token'])

/** True when another attempt may succeed, judged by HTTP status or cause. */
export const isTemporary = ({ status = 0, cause }: { status?: number; cause?: string }): boolean =>
  status >= 500 || (status === 0 && !LASTING.has(cause ?? ''))

const MAX_DETAIL = 2048

/** Returns the outcome of a rejected or undelivered message. */
export function undelivered(delivered: Exclude<Delivered, { is: 'taken' }>): Outcome {
  const { status } = delivered
  if (delivered.is === 'failed') {
    const { cause } = delivered
    const detail = { ...(status === undefined ? {} : { status }), cause }
    return { is: 'failed', reason: 'cmc-handler-delivery-failed', detail, mayRetry: isTemporary(delivered) }
  }
  const { body } = delivered
  const id = textOf(objectOf(objectOf(body['error'])['data'])['id'])
  const isTyped = id?.startsWith('cmc-capability-') === true
  const isShort = JSON.stringify(body).length <= MAX_DETAIL
  return failed(isTyped ? id : 'cmc-handler-delivery-rejected', { status, ...(isShort ? { body } : {}) })
}

/** Returns the outcome of a link whose offer could not be read. */
export function unreadableOffer({ reason, detail }: Extract<OfferRead, { ok: false }>): Outcome {
  const isTransient = reason === 'cmc-capability-timeout' || (reason === 'cmc-handler-offer-read-failed' && isTemporary({ ...detail }))
  return { is: 'failed', reason, ...(detail === undefined ? {} : { detail }), mayRetry: isTransient }
}
