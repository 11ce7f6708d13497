/**
 * What delegation makes of the methods of accesses (consent supplement 6.5, 6.6): accesses that are the work of a
 * relationship stay as they are, and those that were made by right of one keep saying so.
 */
import type { Access } from '../../store/model/access.js'
import { delegateOf, inheritedMarker, isManaged, MARKER, markerOf } from '../../store/model/delegation.js'
import type { ClientData } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'

/**
 * Refuses to change or end an access that is the work of a delegation, whoever asks.
 * @throws Failure `invalid-operation`
 */
export function assertNotManaged(access: Access): void {
  if (!isManaged(access)) return
  throw new Failure('invalid-operation', 'This access belongs to a delegation, and ends with it.', {
    id: 'delegation-managed-resource',
  })
}

/**
 * Refuses client data that name a marker: nobody sets or changes one. Taking it away is no change: of an access that has
 * one, `before`, it stays.
 * @throws Failure `invalid-operation`
 */
export function assertNoMarker(clientData: ClientData | null | undefined, before?: Access): void {
  if (clientData === undefined || clientData === null || !Object.hasOwn(clientData, MARKER)) return
  if (clientData[MARKER] === null && before !== undefined && markerOf(before) !== undefined) return
  throw new Failure('invalid-operation', `The key "${MARKER}" of clientData is kept by the node.`, {
    id: 'delegation-clientdata-forbidden',
  })
}

/** The client data of an access that `maker` makes: with the marker that it hands down, if it has one to hand down. */
export function withLineage(maker: Access, clientData: ClientData | undefined): ClientData | undefined {
  const marker = inheritedMarker(maker)
  return marker === undefined ? clientData : { ...clientData, [MARKER]: marker }
}

/** What access-info tells of the relationship by whose right an access is there; `username` is the account's. */
export function delegationView(access: Access, username: string): Record<string, unknown> | undefined {
  const delegate = delegateOf(access)
  if (delegate === undefined) return undefined
  const described = { controlledUsername: username, delegate }
  const kind = markerOf(access)?.kind
  if (kind === 'control') return { kind, ...described }
  return { isDelegatedAccess: true, ...described, ...(kind === 'delegated-child' ? { grantedVia: 'app' } : {}) }
}
