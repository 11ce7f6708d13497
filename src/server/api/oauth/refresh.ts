/** Refresh tokens (docs/interface/oauth.md#refresh). Each is valid once; used tokens are recorded to detect copies. */
import type { Context } from '../../call/context.js'
import { credentialId, newCredential, type Grant } from './grant.js'

const FAMILY = 'oauth-refresh'

/** Grant carried by a refresh token. */
export interface TokenFamily extends Grant {
  /** Thumbprint of the key that must sign each refresh. */
  dpopJkt?: string
  /** Absolute expiry of the token family, in seconds, regardless of refreshes. */
  absoluteExpiresAt: number
}

interface Stored extends TokenFamily {
  expiresAt: number
  /** Time of use, in seconds. */
  consumedAt?: number
}

/** Result of presenting a token. `late`: used before, and longer ago than the grace period. */
type Consumed = { outcome: 'taken' | 'late'; chain: TokenFamily } | { outcome: 'unknown' | 'again' }

/** Issues a refresh token, valid until it or its family expires. */
export async function issueRefresh(node: Context, chain: TokenFamily): Promise<string> {
  const token = newCredential()
  const expires = Math.min(node.clock.now() + node.config.get('oauth.refreshTokenTTL'), chain.absoluteExpiresAt)
  const record: Stored = { ...chain, expiresAt: expires }
  await node.registry.ownRecords.change(FAMILY, credentialId(token), () => ({ put: record, expires, result: undefined }))
  return token
}

/** Consumes a token; one of several simultaneous callers succeeds. The record of the used token keeps its family and expiry. */
export function consumeRefresh(node: Context, token: string): Promise<Consumed> {
  const grace = node.config.get('oauth.refreshReuseGraceSeconds')
  return node.registry.ownRecords.change<Consumed>(FAMILY, credentialId(token), (value) => {
    const stored = value as Stored | undefined
    if (stored === undefined || stored.coreId !== node.registry.core) return { result: { outcome: 'unknown' } }
    const now = node.clock.now()
    const { expiresAt, consumedAt, ...chain } = stored
    if (consumedAt === undefined) {
      return { put: { ...stored, consumedAt: now }, expires: expiresAt, result: { outcome: 'taken', chain } }
    }
    return { result: now - consumedAt < grace ? { outcome: 'again' } : { outcome: 'late', chain } }
  })
}

/** Deletes the refresh tokens of an account before its deletion. */
export async function forgetRefreshOf({ registry }: Context, account: string): Promise<void> {
  for (const { id, value } of await registry.ownRecords.list(FAMILY)) {
    if ((value as Stored).account === account) await registry.ownRecords.change(FAMILY, id, () => ({ put: null, result: undefined }))
  }
}

/**
 * Revokes the refresh tokens of a client, including used ones: of one user, or of all. Returns the number of active families
 * revoked.
 */
export async function revokeTokenFamilies(node: Context, { clientId, userId }: { clientId: string; userId?: string }): Promise<number> {
  const { ownRecords: records } = node.registry
  let ended = 0
  for (const { id, value } of await records.list(FAMILY)) {
    const isMeant = (stored: Stored): boolean => stored.clientId === clientId && (userId === undefined || stored.userId === userId)
    if (!isMeant(value as Stored)) continue
    ended += await records.change(FAMILY, id, (now) => {
      const stored = now as Stored | undefined
      return stored === undefined ? { result: 0 } : { put: null, result: stored.consumedAt === undefined ? 1 : 0 }
    })
  }
  return ended
}
