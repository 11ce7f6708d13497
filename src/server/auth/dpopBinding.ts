/** Restrictions of accesses of OAuth clients: DPoP proofs and revocation (docs/interface/oauth.md#dpop). */
import type { Access } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import type { Origin, TokenMethod } from '../call/method.js'
import type { Context } from '../call/context.js'
import { useProof } from './dpop/use.js'
import type { Authenticated, BoundAccess } from '../call/caller.js'
import type { Credentials } from './token.js'

const SESSION_NAME = 'oauth:'

/** A call with a missing or invalid DPoP proof, without details. HTTP answers it with its own challenge. */
export class ProofRefused extends Failure {
  constructor() {
    super('invalid-access-token', 'The access token needs a valid DPoP proof.', undefined, 'refused')
  }
}

/**
 * Returns the restrictions of an access; undefined for accesses of no OAuth client, which are most. `manager` is the app that
 * created the access: accesses shared by a client are revoked with it.
 */
export function boundAccessOf(access: Access, manager: Access | undefined): BoundAccess | undefined {
  const jkt = boundTo(access)
  const session = manager ?? access
  const isSession = session.type === 'app' && session.name.startsWith(SESSION_NAME)
  if (jkt === undefined && !isSession) return undefined
  return {
    ...(isSession ? { client: { id: session.name.slice(SESSION_NAME.length), since: session.created } } : {}),
    ...(jkt === undefined ? {} : { jkt }),
  }
}

/** Returns the thumbprint of the key that an access is bound to. An invalid one becomes a thumbprint that no proof matches. */
function boundTo({ clientData }: Access): string | undefined {
  const dpop = clientData?.['dpop']
  if (dpop === undefined || dpop === null) return undefined
  const jkt = typeof dpop === 'object' && 'jkt' in dpop ? dpop.jkt : undefined
  return typeof jkt === 'string' ? jkt : ''
}

/**
 * Throws for an access whose client or key was revoked, and for a bound access without a proof.
 * @throws Failure `invalid-access-token`
 */
export function assertNotDpopBound({ revocations }: Context, boundAccess: BoundAccess, canProve: boolean): void {
  if (revocations.isClientRevoked(boundAccess)) {
    throw new Failure('invalid-access-token', 'The application access has been revoked.', undefined, 'refused')
  }
  if (boundAccess.jkt !== undefined && (!canProve || revocations.isKeyRevoked(boundAccess.jkt))) throw new ProofRefused()
}

/**
 * Verifies the DPoP proof of a call over HTTP; undefined when none is required, at no cost. Methods for points of series accept
 * no proofs, so that they reject bound tokens.
 * @throws ProofRefused
 */
export function proved(
  node: Context,
  { held: boundAccess, token }: Authenticated,
  credentials: Credentials,
  { proof }: Origin,
  method: TokenMethod,
): Promise<void> | undefined {
  const jkt = boundAccess?.jkt
  const { isDpop, isRead } = credentials
  if (jkt === undefined) {
    if (isDpop === true) throw new ProofRefused()
    return undefined
  }
  if (isRead === true) return undefined
  if (isDpop !== true || proof === undefined || method.http.source === 'hf') throw new ProofRefused()
  return useProof(node, proof, { token: token.reveal(), jkt }).then((by) => {
    if (by === undefined) throw new ProofRefused()
  })
}
