/**
 * Checks whether a public address leads to this node. The operator requests a nonce over the control socket and sends it to the
 * address as a query parameter of service info; its arrival proves the route.
 */
import { randomBytes } from 'node:crypto'
import type { Origin } from '../call/method.js'
import type { Context } from '../call/context.js'

const MAX_EXPECTED = 100
const PARAMETER = /(?:^|&)probe=([A-Za-z0-9_-]{22})(?:&|$)/

/** Arrival of each nonce, by the store of the node. */
const probesOf = new WeakMap<object, Map<string, boolean>>()

/** Returns a nonce to send. */
export function issueNonce({ store }: Pick<Context, 'store'>): string {
  const probes = probesOf.get(store) ?? new Map<string, boolean>()
  probesOf.set(store, probes)
  const [oldest] = probes.keys()
  if (probes.size >= MAX_EXPECTED && oldest !== undefined) probes.delete(oldest)
  const nonce = randomBytes(16).toString('base64url')
  probes.set(nonce, false)
  return nonce
}

/** Records the nonce of a request, if it is expected. */
export function recordNonce({ store }: Pick<Context, 'store'>, { query }: Origin): void {
  const probes = probesOf.get(store)
  const nonce = probes === undefined || query === undefined ? undefined : PARAMETER.exec(query)?.[1]
  if (nonce !== undefined && probes?.has(nonce) === true) probes.set(nonce, true)
}

/** Checks whether a nonce has arrived, and removes it. */
export function hasArrived({ store }: Pick<Context, 'store'>, nonce: string): boolean {
  const probes = probesOf.get(store)
  const wasReached = probes?.get(nonce) === true
  probes?.delete(nonce)
  return wasReached
}
