/** DPoP proofs at the token endpoint (docs/interface/oauth.md#dpop). */
import type { SentProof } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { useProof } from '../../auth/dpop/use.js'
import { isKeyRevoked } from './dpopKeys.js'
import { OAuthError } from './errors.js'

/** DPoP headers of a request, with its method and URL. */
interface ProofSent extends Omit<SentProof, 'proof'> {
  proof: string | readonly string[] | undefined
}

/**
 * Returns the key that a token request proves possession of; undefined without a proof.
 * @throws OAuthError `invalid_dpop_proof` for any defect, for a used proof, and for a key that the operator revoked
 */
export async function proveAtToken(node: Context, { proof, method, url }: ProofSent): Promise<{ jkt: string } | undefined> {
  const proofs = typeof proof === 'string' ? [proof] : (proof ?? [])
  if (proofs.length === 0) return undefined
  // Several headers are invalid too.
  const jkt = await useProof(node, { proof: proofs.join(','), method, url })
  if (jkt === undefined || (await isKeyRevoked(node, jkt))) {
    throw new OAuthError('invalid_dpop_proof', 'DPoP proof verification failed', 400)
  }
  return { jkt }
}
