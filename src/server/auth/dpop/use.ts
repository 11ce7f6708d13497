/** Single use of DPoP proofs (docs/interface/oauth.md#dpop). Validity is checked by proof.ts. */
import { hash } from 'node:crypto'
import type { SentProof } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { USED_PROOFS } from './families.js'
import { examine, type Expected } from './proof.js'

/**
 * Consumes a valid proof; returns the thumbprint of its key, undefined for an invalid or used one. With `by`, the proof must be
 * for that token and key; a proof of another key stays unused.
 */
export async function useProof(
  node: Context,
  { proof, method, url }: SentProof,
  by?: { token: string; jkt: string },
): Promise<string | undefined> {
  const skew = node.config.get('oauth.dpop.clockSkewSeconds')
  const now = node.clock.now()
  const expected: Expected = { method, url, now, skew, ...(by === undefined ? {} : { token: by.token }) }
  const proved = await examine(proof, expected)
  if (proved === undefined || (by !== undefined && by.jkt !== proved.jkt)) return undefined
  const { jkt, jti } = proved
  const id = `${jkt}/${hash('sha256', jti, 'base64url')}`
  return (await node.registry.ownRecords.claim(USED_PROOFS, id, now + 2 * skew)) ? jkt : undefined
}
