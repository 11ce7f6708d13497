/** What accesses of OAuth clients are held to beside their rights: proofs of possession, revocation (consent supplement 4.8). */
import type { Access } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import type { Origin, TokenMethod } from '../method.js'
import type { Node } from '../node.js'
import type { Held } from '../proofs/revocations.js'
import { useProof } from '../proofs/use.js'
import type { Authenticated } from './authenticate.js'
import type { Credentials } from './token.js'

const SESSION_NAME = 'oauth:'

/** A call by DPoP that is refused; which defect it was is not told. HTTP answers it with a challenge of its own. */
export class ProofRefused extends Failure {
  constructor() {
    super('invalid-access-token', 'The access token needs a valid DPoP proof.', undefined, 'refused')
  }
}

/**
 * What an access is held to; undefined for those of no OAuth client, which are nearly all. `manager` is the app that made
 * the access and bounds it: what a client shared ends with what it has.
 */
export function heldOf(access: Access, manager: Access | undefined): Held | undefined {
  const jkt = boundTo(access)
  const session = manager ?? access
  const isSession = session.type === 'app' && session.name.startsWith(SESSION_NAME)
  if (jkt === undefined && !isSession) return undefined
  return {
    ...(isSession ? { client: { id: session.name.slice(SESSION_NAME.length), since: session.created } } : {}),
    ...(jkt === undefined ? {} : { jkt }),
  }
}

/** The thumbprint of the key that an access is bound to. Whatever is not one is of no key: nobody can prove it. */
function boundTo({ clientData }: Access): string | undefined {
  const dpop = clientData?.['dpop']
  if (dpop === undefined || dpop === null) return undefined
  const jkt = typeof dpop === 'object' && 'jkt' in dpop ? dpop.jkt : undefined
  return typeof jkt === 'string' ? jkt : ''
}

/**
 * Refuses an access whose client or key was revoked, and one that is bound to a key where a call proves nothing.
 * @throws Failure `invalid-access-token`
 */
export function assertNotDpopBound({ revocations }: Node, held: Held, canProve: boolean): void {
  if (revocations.isClientRevoked(held)) {
    throw new Failure('invalid-access-token', 'The application access has been revoked.', undefined, 'refused')
  }
  if (held.jkt !== undefined && (!canProve || revocations.isKeyRevoked(held.jkt))) throw new ProofRefused()
}

/**
 * Asks for the proof that a call over HTTP needs; undefined when it needs none, at no cost. Its method runs in a call to
 * the points of series too, which take none.
 * @throws ProofRefused
 */
export function proved(
  node: Node,
  { held, token }: Authenticated,
  credentials: Credentials,
  { proof }: Origin,
  method: TokenMethod,
): Promise<void> | undefined {
  const jkt = held?.jkt
  const { isDpop, isRead } = credentials
  if (jkt === undefined) {
    if (isDpop === true) throw new ProofRefused()
    return undefined
  }
  if (isRead === true) return undefined
  if (isDpop !== true || proof === undefined || method.source === 'hf') throw new ProofRefused()
  return useProof(node, proof, { token: token.reveal(), jkt }).then((by) => {
    if (by === undefined) throw new ProofRefused()
  })
}
