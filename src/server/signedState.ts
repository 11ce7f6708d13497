/**
 * Signed states (consent supplement 4.4; accounts supplement 14): what the node found out, carried through the browser and
 * back, so that nothing of what nobody ends is kept here. Everybody can read them.
 */
import { createHmac } from 'node:crypto'
import type { Node } from './node.js'
import { constantTimeEqual } from './base/constantTimeEqual.js'

export type StateVerdict = 'malformed' | 'bad_signature' | 'expired' | 'not_yet_valid'

/**
 * The key of this node's states of one kind, which `label` names: made of the operator's admin key, which all cores
 * share, else of the node key.
 */
export function stateKeyOf({ config, store }: Pick<Node, 'config' | 'store'>, label: string): Buffer {
  return createHmac('sha256', config.get('auth.adminAccessKey') ?? store.seal.digest(`key of ${label}`)).update(label).digest()
}

const signatureOf = (body: string, key: Uint8Array): string => {
  if (key.length === 0) throw new Error('A signed state needs a key.')
  return createHmac('sha256', key).update(body).digest('base64url')
}

/** A payload, from now on for `ttl` seconds, as `<body>.<signature>`, both in base64url. `now` in seconds. */
export function signState(payload: object, key: Uint8Array, { now, ttl }: { now: number; ttl: number }): string {
  const iat = Math.floor(now)
  const body = Buffer.from(JSON.stringify({ ...payload, iat, exp: iat + ttl })).toString('base64url')
  return `${body}.${signatureOf(body, key)}`
}

/** What a state says, once its signature and its time were found right; else what is wrong with it. */
export function readState(state: unknown, key: Uint8Array, now: number): { payload: Record<string, unknown> } | { verdict: StateVerdict } {
  if (typeof state !== 'string') return { verdict: 'malformed' }
  const parts = state.split('.')
  const [body = '', signature = ''] = parts
  if (parts.length !== 2 || body === '' || signature === '') return { verdict: 'malformed' }
  if (!constantTimeEqual(signature, signatureOf(body, key))) return { verdict: 'bad_signature' }
  const payload = parsed(body)
  if (payload === undefined || typeof payload['iat'] !== 'number' || typeof payload['exp'] !== 'number') return { verdict: 'malformed' }
  if (now >= payload['exp']) return { verdict: 'expired' }
  if (Math.floor(now) < payload['iat']) return { verdict: 'not_yet_valid' }
  return { payload }
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
