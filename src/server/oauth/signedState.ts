/**
 * The signed state (consent supplement 4.4): all that authorize found out, carried through the browser to the consent
 * page and back, so that nothing of a consent that nobody gives is kept here.
 */
import { createHmac } from 'node:crypto'
import type { Node } from '../node.js'
import { isSameText } from './sameText.js'

/** Seconds in which a person may decide. */
export const STATE_TTL = 300

const LABEL = 'pryv-oauth2-signed-state-v1'

export type StateVerdict = 'malformed' | 'bad_signature' | 'expired' | 'not_yet_valid'

/** The key of this node's states: made of the operator's admin key, which all cores share, else of the node key. */
export function stateKeyOf({ config, store }: Pick<Node, 'config' | 'store'>): Buffer {
  return derivedKey(config.get('auth.adminAccessKey') ?? store.seal.digest('oauth signed state'))
}

const derivedKey = (secret: string): Buffer => createHmac('sha256', secret).update(LABEL).digest()

const signatureOf = (body: string, key: Uint8Array): string => {
  if (key.length === 0) throw new Error('A signed state needs a key.')
  return createHmac('sha256', key).update(body).digest('base64url')
}

/** A payload, from now on for `STATE_TTL` seconds, as `<body>.<signature>`, both in base64url. `now` in seconds. */
export function signState(payload: object, key: Uint8Array, now: number): string {
  const iat = Math.floor(now)
  const body = Buffer.from(JSON.stringify({ ...payload, iat, exp: iat + STATE_TTL })).toString('base64url')
  return `${body}.${signatureOf(body, key)}`
}

/** What a state says, once its signature and its time were found right; else what is wrong with it. */
export function readState(state: unknown, key: Uint8Array, now: number): { payload: Record<string, unknown> } | { verdict: StateVerdict } {
  if (typeof state !== 'string') return { verdict: 'malformed' }
  const parts = state.split('.')
  const [body = '', signature = ''] = parts
  if (parts.length !== 2 || body === '' || signature === '') return { verdict: 'malformed' }
  if (!isSameText(signature, signatureOf(body, key))) return { verdict: 'bad_signature' }
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
