/**
 * Refresh tokens (consent supplement 4.7, 4.9): each is good for one use, and leaves behind that it was used, so that
 * whoever copied one is found out.
 */
import type { Node } from '../node.js'
import { credentialId, newCredential, type Grant } from './grant.js'

const FAMILY = 'oauth-refresh'

/** What a refresh token carries on. */
export interface TokenFamily extends Grant {
  /** Thumbprint of the key that proves each refresh. */
  dpopJkt?: string
  /** When all of it ends, however often it is refreshed; in seconds. */
  absoluteExpiresAt: number
}

interface Stored extends TokenFamily {
  expiresAt: number
  /** When it was used, in seconds. */
  consumedAt?: number
}

/** What became of a token that somebody shows. `late`: used before, longer ago than the grace. */
export type Consumed = { outcome: 'taken' | 'late'; chain: TokenFamily } | { outcome: 'unknown' | 'again' }

/** A new refresh token, good until its window or the whole chain ends. */
export async function issueRefresh(node: Node, chain: TokenFamily): Promise<string> {
  const token = newCredential()
  const expires = Math.min(node.clock.now() + node.config.get('oauth.refreshTokenTTL'), chain.absoluteExpiresAt)
  const put: Stored = { ...chain, expiresAt: expires }
  await node.registry.records.change(FAMILY, credentialId(token), () => ({ put, expires, result: undefined }))
  return token
}

/** Uses a token up: of simultaneous takers one has it. What it leaves tells of its chain, and ends when it would have. */
export function consumeRefresh(node: Node, token: string): Promise<Consumed> {
  const grace = node.config.get('oauth.refreshReuseGraceSeconds')
  return node.registry.records.change<Consumed>(FAMILY, credentialId(token), (value) => {
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

/** Ends the tokens of an account that is about to be deleted. */
export async function forgetRefreshOf({ registry }: Node, account: string): Promise<void> {
  for (const { id, value } of await registry.records.list(FAMILY)) {
    if ((value as Stored).account === account) await registry.records.change(FAMILY, id, () => ({ put: null, result: undefined }))
  }
}

/** Ends the refresh tokens of a client, used ones too: of one user, or of all. Answers how many chains that were good end. */
export async function revokeTokenFamilies(node: Node, { clientId, userId }: { clientId: string; userId?: string }): Promise<number> {
  const { records } = node.registry
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
