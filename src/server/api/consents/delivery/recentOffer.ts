/**
 * Cache of offers during consent: a page is shown and submitted within seconds, so its offer is read once
 * (docs/interface/oauth.md#authorization-request).
 */
import type { Context } from '../../../call/context.js'
import { readOffer, type OfferRead } from './offer.js'
import type { PeerDeps } from './peerClient.js'

const CACHE_SECONDS = 10
const MAX_CACHED = 100

interface Stored {
  until: number
  read: Promise<OfferRead>
}

const caches = new WeakMap<Context, Map<string, Stored>>()

/** Calls `readOffer` through the cache, which holds successful reads only. Never rejects. */
export function recentOffer(node: Context & PeerDeps, capabilityUrl: string): Promise<OfferRead> {
  let cache = caches.get(node)
  if (cache === undefined) caches.set(node, (cache = new Map()))
  const now = node.clock.now()
  const known = cache.get(capabilityUrl)
  if (known !== undefined && known.until > now) return known.read
  if (cache.size >= MAX_CACHED) cache.clear()
  const stored = { until: now + CACHE_SECONDS, read: readOffer({ node }, capabilityUrl) }
  cache.set(capabilityUrl, stored)
  const of = cache
  void stored.read.then(({ ok }) => {
    if (!ok && of.get(capabilityUrl) === stored) of.delete(capabilityUrl)
  })
  return stored.read
}
