/**
 * Probes: how an operator learns that an address leads to this node. A nonce is asked for at the control door and sent
 * to the address as a query parameter of service info; that it came here proves the way.
 */
import { randomBytes } from 'node:crypto'
import type { Origin } from './method.js'
import type { Node } from './node.js'

const MAX_EXPECTED = 100
const PARAMETER = /(?:^|&)probe=([A-Za-z0-9_-]{22})(?:&|$)/

/** Whether each nonce has come, by the store of the node. */
const probesOf = new WeakMap<object, Map<string, boolean>>()

/** A nonce to send. */
export function issueNonce({ store }: Pick<Node, 'store'>): string {
  const probes = probesOf.get(store) ?? new Map<string, boolean>()
  probesOf.set(store, probes)
  const [oldest] = probes.keys()
  if (probes.size >= MAX_EXPECTED && oldest !== undefined) probes.delete(oldest)
  const nonce = randomBytes(16).toString('base64url')
  probes.set(nonce, false)
  return nonce
}

/** Takes note of the nonce in a request, if it is expected. */
export function recordNonce({ store }: Pick<Node, 'store'>, { query }: Origin): void {
  const probes = probesOf.get(store)
  const nonce = probes === undefined || query === undefined ? undefined : PARAMETER.exec(query)?.[1]
  if (nonce !== undefined && probes?.has(nonce) === true) probes.set(nonce, true)
}

/** Whether a nonce has come; it is forgotten then. */
export function wasSeen({ store }: Pick<Node, 'store'>, nonce: string): boolean {
  const probes = probesOf.get(store)
  const came = probes?.get(nonce) === true
  probes?.delete(nonce)
  return came
}
