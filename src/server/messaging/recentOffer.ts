/** Offers that people are being asked: a page is shown and sent back within seconds, and its offer is read once (consent supplement 4.5). */
import type { Node } from '../node.js'
import { readOffer, type OfferRead } from './offer.js'

const KEPT_SECONDS = 10
const MOST_KEPT = 100

interface Kept {
  until: number
  read: Promise<OfferRead>
}

const caches = new WeakMap<Node, Map<string, Kept>>()

/** What `readOffer` answers. What was read lately is not read again; what could not be read is. Never rejects. */
export function recentOffer(node: Node, capabilityUrl: string): Promise<OfferRead> {
  let cache = caches.get(node)
  if (cache === undefined) caches.set(node, (cache = new Map()))
  const now = node.clock.now()
  const known = cache.get(capabilityUrl)
  if (known !== undefined && known.until > now) return known.read
  if (cache.size >= MOST_KEPT) cache.clear()
  const kept = { until: now + KEPT_SECONDS, read: readOffer({ node }, capabilityUrl) }
  cache.set(capabilityUrl, kept)
  const of = cache
  void kept.read.then(({ ok }) => {
    if (!ok && of.get(capabilityUrl) === kept) of.delete(capabilityUrl)
  })
  return kept.read
}
