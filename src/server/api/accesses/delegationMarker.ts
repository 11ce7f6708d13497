/**
 * Delegation rules of the access methods (docs/interface/delegations.md#delegate-tokens,
 * docs/interface/delegations.md#reserved-items): accesses managed by a delegation cannot be changed, and accesses created by a
 * delegate keep the delegation's marker.
 */
import type { Access } from '../../../store/model/access.js'
import { delegateOf, inheritedMarker, isManaged, MARKER, markerOf } from '../../../store/model/delegation.js'
import type { ClientData } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'

/**
 * Refuses to change or delete an access managed by a delegation, for every caller.
 * @throws Failure `invalid-operation`
 */
export function assertNotManaged(access: Access): void {
  if (!isManaged(access)) return
  throw new Failure('invalid-operation', 'This access belongs to a delegation, and ends with it.', {
    id: 'delegation-managed-resource',
  })
}

/**
 * Refuses client data that set or change a delegation marker. Removing it is ignored: an access `before` with a marker
 * keeps it.
 * @throws Failure `invalid-operation`
 */
export function assertNoMarker(clientData: ClientData | null | undefined, before?: Access): void {
  if (clientData === undefined || clientData === null || !Object.hasOwn(clientData, MARKER)) return
  if (clientData[MARKER] === null && before !== undefined && markerOf(before) !== undefined) return
  throw new Failure('invalid-operation', `The key "${MARKER}" of clientData is reserved for the node.`, {
    id: 'delegation-clientdata-forbidden',
  })
}

/** Returns the client data of an access created by `maker`, with the marker that `maker` passes on, if any. */
export function withLineage(maker: Access, clientData: ClientData | undefined): ClientData | undefined {
  const marker = inheritedMarker(maker)
  return marker === undefined ? clientData : { ...clientData, [MARKER]: marker }
}

/** Returns the delegation shown by access-info; `username` is the account's. */
export function delegationView(access: Access, username: string): Record<string, unknown> | undefined {
  const delegate = delegateOf(access)
  if (delegate === undefined) return undefined
  const described = { controlledUsername: username, delegate }
  const kind = markerOf(access)?.kind
  if (kind === 'control') return { kind, ...described }
  return { isDelegatedAccess: true, ...described, ...(kind === 'delegated-child' ? { grantedVia: 'app' } : {}) }
}
