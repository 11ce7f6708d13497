/**
 * Join tokens: each admits one new core, once. Only their SHA-256 is stored, in the registry, so that any core of the platform can
 * take the acknowledgement (docs/interface/system.md#cores).
 */
import { randomBytes } from 'node:crypto'
import { Secret } from '../../../store/model/secret.js'
import { secretDigest } from '../../base/secretDigest.js'
import type { Records } from '../registry/port.js'

/** A token without its value. Times are in seconds since 1970. */
export interface JoinToken {
  coreId: string
  issuedAt: number
  expiresAt: number
  consumedAt?: number
  /** Address of the client that used the token; absent when it is unknown. */
  consumerIp?: string
}

/** Reason why a token is refused. */
export type TokenFault = 'unknown' | 'expired' | 'already-consumed' | 'invalid-format'

/** Life of a token without another choice, in seconds. */
export const TOKEN_LIFE = 24 * 3600

const FAMILY = 'join'
const BYTES = 32
const FORM = /^[A-Za-z0-9_-]{43}$/
/** Seconds for which a token is kept after its expiry, so that it is refused as expired and not as unknown. */
const RETENTION = 7 * 24 * 3600

const put = (token: JoinToken): { put: JoinToken; expires: number } => ({ put: token, expires: token.expiresAt + RETENTION })

/** Creates a token for a core; `now` and `life` are in seconds. */
export async function mintToken(records: Records, coreId: string, now: number, life = TOKEN_LIFE): Promise<{ token: Secret<string>; expiresAt: number }> {
  const token = randomBytes(BYTES).toString('base64url')
  const minted = { coreId, issuedAt: now, expiresAt: now + life }
  await records.change(FAMILY, secretDigest(token), () => ({ ...put(minted), result: undefined }))
  return { token: new Secret(token), expiresAt: minted.expiresAt }
}

/** Returns a usable token, or the reason why it is not. */
export async function verifyToken(records: Records, token: string, now: number): Promise<JoinToken | TokenFault> {
  return FORM.test(token) ? stateOf(await records.get(FAMILY, secretDigest(token)), now) : 'invalid-format'
}

/** Uses a token: of concurrent callers exactly one receives it, the others `already-consumed`. */
export async function consumeToken(records: Records, token: string, { now, ip }: { now: number; ip?: string | undefined }): Promise<JoinToken | TokenFault> {
  if (!FORM.test(token)) return 'invalid-format'
  return records.change<JoinToken | TokenFault>(FAMILY, secretDigest(token), (stored) => {
    const state = stateOf(stored, now)
    if (typeof state === 'string') return { result: state }
    return { ...put({ ...state, consumedAt: now, ...(ip === undefined ? {} : { consumerIp: ip }) }), result: state }
  })
}

/** Makes a token usable again whose use failed. */
export async function releaseToken(records: Records, token: string): Promise<void> {
  await records.change(FAMILY, secretDigest(token), (stored) => {
    if (stored === undefined) return { result: undefined }
    const { coreId, issuedAt, expiresAt } = stored as JoinToken
    return { ...put({ coreId, issuedAt, expiresAt }), result: undefined }
  })
}

/** Removes one token. */
export const revokeToken = (records: Records, token: Secret<string>): Promise<void> => records.change(FAMILY, secretDigest(token.reveal()), () => ({ put: null, result: undefined }))

/** Removes the tokens of a core, used ones too, except one; returns how many of them could still be used. */
export async function revokeTokens(records: Records, coreId: string, now: number, except?: Secret<string>): Promise<number> {
  const kept = except === undefined ? undefined : secretDigest(except.reveal())
  const own = (await records.list(FAMILY)).filter(({ id, value }) => (value as JoinToken).coreId === coreId && id !== kept)
  for (const { id } of own) await records.change(FAMILY, id, () => ({ put: null, result: undefined }))
  return own.filter(({ value }) => typeof stateOf(value, now) !== 'string').length
}

/** Returns the tokens of the platform, the newest first. */
export async function listTokens(records: Records): Promise<JoinToken[]> {
  const tokens = (await records.list(FAMILY)).map(({ value }) => value as JoinToken)
  return tokens.sort((a, b) => b.issuedAt - a.issuedAt)
}

/** Returns what a person is shown of a token. */
export function tokenState({ consumedAt, expiresAt }: JoinToken, now: number): 'open' | 'consumed' | 'expired' {
  if (consumedAt !== undefined) return 'consumed'
  return expiresAt > now ? 'open' : 'expired'
}

function stateOf(stored: unknown, now: number): JoinToken | TokenFault {
  if (stored === undefined) return 'unknown'
  const token = stored as JoinToken
  const state = tokenState(token, now)
  return state === 'open' ? token : state === 'consumed' ? 'already-consumed' : 'expired'
}
