/** Proofs of possession at the token endpoint (consent supplement 4.8). */
import type { ShownProof } from '../method.js'
import type { Node } from '../node.js'
import { useProof } from '../proofs/use.js'
import { isKeyRevoked } from './dpopKeys.js'
import { OAuthError } from './errors.js'

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
  const jkt = await useProof(node, { proof: proofs.join(','), method, url })
  if (jkt === undefined || (await isKeyRevoked(node, jkt))) {
    throw new OAuthError('invalid_dpop_proof', 'DPoP proof verification failed', 400)
  }
  return { jkt }
}
