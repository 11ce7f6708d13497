/**
 * HMAC-signed, expiring state passed through the browser (docs/interface/oauth.md#authorization-request,
 * docs/interface/sso.md#flow), so that abandoned flows leave nothing on the server. Signed, not encrypted.
 */
import { createHmac } from 'node:crypto'
import { constantTimeEqual } from '../../store/model/constantTimeEqual.js'
import { parseJsonObject } from '../../store/model/json.js'
import type { Context } from '../call/context.js'

type StateVerdict = 'malformed' | 'bad_signature' | 'expired' | 'not_yet_valid'

/**
 * Returns the key for states of one kind, named by `label`: derived from the operator's admin key, which all cores share,
 * otherwise from the node key.
 */
export function stateKeyOf({ config, store }: Pick<Context, 'config' | 'store'>, label: string): Buffer {
  return createHmac('sha256', config.get('auth.adminAccessKey') ?? store.seal.digest(`key of ${label}`)).update(label).digest()
}

const signatureOf = (body: string, key: Uint8Array): string => {
  if (key.length === 0) throw new Error('A signed state needs a key.')
  return createHmac('sha256', key).update(body).digest('base64url')
}

/** Signs a payload valid for `ttl` seconds as `<body>.<signature>`, both in base64url. `now` in seconds. */
export function signState(payload: object, key: Uint8Array, { now, ttl }: { now: number; ttl: number }): string {
  const iat = Math.floor(now)
  const body = Buffer.from(JSON.stringify({ ...payload, iat, exp: iat + ttl })).toString('base64url')
  return `${body}.${signatureOf(body, key)}`
}

/** Returns the payload of a state if its signature and time are valid; otherwise the problem. */
export function readState(state: unknown, key: Uint8Array, now: number): { payload: Record<string, unknown> } | { verdict: StateVerdict } {
  if (typeof state !== 'string') return { verdict: 'malformed' }
  const parts = state.split('.')
  const [body = '', signature = ''] = parts
  if (parts.length !== 2 || body === '' || signature === '') return { verdict: 'malformed' }
  if (!constantTimeEqual(signature, signatureOf(body, key))) return { verdict: 'bad_signature' }
  const payload = parseJsonObject(Buffer.from(body, 'base64url').toString('utf8'))
  if (payload === undefined || typeof payload['iat'] !== 'number' || typeof payload['exp'] !== 'number') return { verdict: 'malformed' }
  if (now >= payload['exp']) return { verdict: 'expired' }
  if (Math.floor(now) < payload['iat']) return { verdict: 'not_yet_valid' }
  return { payload }
}
