/** What triggers are marked with when a message did not reach the other account (consent supplement 1.8, 1.18). */
import { objectOf, textOf } from '../consent/objects.js'
import type { OfferRead } from './offer.js'
import type { Delivered } from './peerClient.js'
import { failed, type Outcome } from './jobTypes.js'

/** Causes that lie in the address: another attempt finds the same. */
const LASTING = new Set(['private address', 'invalid address', 'endpoint without a token'])

/** Whether a call that went wrong for this cause, or was answered so, may go well another time. */
export const mayPass = ({ status = 0, cause }: { status?: number; cause?: string }): boolean =>
  status >= 500 || (status === 0 && !LASTING.has(cause ?? ''))

const MAX_DETAIL = 2048

/** The outcome of a message that was refused for good, or that may arrive another time. */
export function undelivered(delivered: Exclude<Delivered, { is: 'taken' }>): Outcome {
  const { status } = delivered
  if (delivered.is === 'failed') {
    const { cause } = delivered
    const detail = { ...(status === undefined ? {} : { status }), cause }
    return { is: 'failed', reason: 'cmc-handler-delivery-failed', detail, mayRetry: mayPass(delivered) }
  }
  const { body } = delivered
  const id = textOf(objectOf(objectOf(body['error'])['data'])['id'])
  const isTyped = id?.startsWith('cmc-capability-') === true
  const isShort = JSON.stringify(body).length <= MAX_DETAIL
  return failed(isTyped ? id : 'cmc-handler-delivery-rejected', { status, ...(isShort ? { body } : {}) })
}

/** The outcome of a link whose offer could not be read. */
export function unread({ reason, detail }: Extract<OfferRead, { ok: false }>): Outcome {
  const isTransient = reason === 'cmc-capability-timeout' || (reason === 'cmc-handler-offer-read-failed' && mayPass({ ...detail }))
  return { is: 'failed', reason, ...(detail === undefined ? {} : { detail }), mayRetry: isTransient }
}
