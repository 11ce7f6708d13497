/** Taking proofs of possession, each of them once (consent supplement 4.8). What makes a proof good is proof.ts. */
import { createHash } from 'node:crypto'
import type { ShownProof } from '../method.js'
import type { Node } from '../node.js'
import { isKeyRevoked } from './dpopKeys.js'
import { OAuthError } from './errors.js'
import { examine, type Expected } from './proof.js'

/** Family of records: which proofs were used, by the thumbprint of their key and the hash of their id, for twice the skew. */
export const USED_PROOFS = 'dpop-jti'

/** The proofs that came with a request, with its method and the address that the client called. */
export interface ProofSent extends Omit<ShownProof, 'proof'> {
  proof: string | readonly string[] | undefined
}

/**
 * The key that a request to the token endpoint proves to hold; undefined when it shows no proof.
 * @throws OAuthError `invalid_dpop_proof` for any defect, for a proof that was used, and for a key the operator revoked
 */
export async function proveAtToken(node: Node, { proof, method, url }: ProofSent): Promise<{ jkt: string } | undefined> {
  const proofs = typeof proof === 'string' ? [proof] : (proof ?? [])
  if (proofs.length === 0) return undefined
  // Several are as bad as a bad one.
  const jkt = await used(node, { proof: proofs.join(','), method, url })
  if (jkt === undefined || (await isKeyRevoked(node, jkt))) {
    throw new OAuthError('invalid_dpop_proof', 'DPoP proof verification failed', 400)
  }
  return { jkt }
}

/** Whether a request proves to hold the key of a thumbprint, for a token. */
export async function isProvedAtResource(node: Node, shown: ShownProof, token: string, jkt: string): Promise<boolean> {
  return (await used(node, shown, { token, jkt })) === jkt
}

/** Uses a proof up, if it is good; answers the thumbprint of its key. One of another key than is needed stays unused. */
async function used(node: Node, { proof, method, url }: ShownProof, by?: { token: string; jkt: string }): Promise<string | undefined> {
  const skew = node.config.get('oauth.dpop.clockSkewSeconds')
  const now = node.clock.now()
  const expected: Expected = { method, url, now, skew, ...(by === undefined ? {} : { token: by.token }) }
  const proved = await examine(proof, expected)
  if (proved === undefined || (by !== undefined && by.jkt !== proved.jkt)) return undefined
  const { jkt, jti } = proved
  const id = `${jkt}/${createHash('sha256').update(jti).digest('base64url')}`
  return (await node.registry.records.claim(USED_PROOFS, id, now + 2 * skew)) ? jkt : undefined
}
