/** The accesses that a relationship itself needs (consent supplement 6.1): made, found and ended by their markers. */
import { accessNamed, findAccess, putAccess, type LiveAccess } from '../../store/accesses/accesses.js'
import type { Transaction } from '../../store/engine/account.js'
import type { Access } from '../../store/model/access.js'
import { MARKER, markerOf, type Marker } from '../../store/model/delegation.js'
import { Failure } from '../../store/model/failure.js'
import { Secret } from '../../store/model/secret.js'
import { withAccessIntegrity } from '../accessIntegrity.js'
import { revoke } from '../accesses/revoke.js'
import type { Call } from '../method.js'
import type { Node } from '../node.js'

/** Those that are found by the relationship alone. */
type SharedKind = 'invite-capability' | 'control' | 'notify'

const NAMES: Record<SharedKind, string> = {
  'invite-capability': '__deleg-inv-',
  control: '__deleg-ctl-',
  notify: '__deleg-ntf-',
}
const SHORT = 8

/** The access of a kind, or the name under which it can be made: with more of the id where somebody has the short one. */
function placeOf(node: Node, t: Transaction, kind: SharedKind, relId: string): { found?: LiveAccess; name: string } {
  for (let length = SHORT; ; length++) {
    const name = NAMES[kind] + relId.slice(0, length)
    const holder = accessNamed(t, t.account, { type: 'shared', name })
    if (holder === undefined) return { name }
    const found = findAccess(t, node.store.seal, t.account, holder)
    if (found !== undefined && isOf(found.access, kind, relId)) return { found, name }
    if (length >= relId.length) throw new Failure('item-already-exists', 'Another access has this name.', { name })
  }
}

const isOf = (access: Access, kind: Marker['kind'], relId: string): boolean => {
  const marker = markerOf(access)
  return marker?.kind === kind && marker.relId === relId
}

/** The access of a kind that a relationship has; undefined when it has none. */
export const managedAccess = (node: Node, t: Transaction, kind: SharedKind, relId: string): LiveAccess | undefined =>
  placeOf(node, t, kind, relId).found

/** The access that a marker is for, made unless it is there; without permissions. `expires` in seconds. */
export function provideManaged(
  node: Node,
  t: Transaction,
  marker: Extract<Marker, { kind: SharedKind }>,
  expires?: number,
): LiveAccess {
  const { found, name } = placeOf(node, t, marker.kind, marker.relId)
  if (found !== undefined) return found
  return putManaged(node, t, { type: 'shared', name, ...(expires === undefined ? {} : { expires }) }, marker)
}

/** Stages an access that carries a marker, with a new token; in the place of `former`, whose id it keeps. */
export function putManaged(
  node: Node,
  t: Transaction,
  about: Pick<Access, 'type' | 'name' | 'expires'>,
  marker: Marker,
  former?: LiveAccess,
): LiveAccess {
  const now = node.clock.now()
  const token = new Secret(node.newId())
  const access: Access = {
    id: former?.access.id ?? node.newId(),
    ...about,
    permissions: [],
    clientData: { [MARKER]: marker },
    created: former?.access.created ?? now,
    createdBy: 'system',
    modified: now,
    modifiedBy: 'system',
  }
  const whole = withAccessIntegrity(node, access, token)
  putAccess(t, node.store.seal, whole, token, former)
  return { access: whole, token }
}

/** Stages the end of the access of a kind, if the relationship has one. */
export function endManaged(node: Node, t: Transaction, kind: SharedKind, relId: string): void {
  const found = managedAccess(node, t, kind, relId)
  if (found !== undefined) revoke(node, t, found, node.clock.now())
}

/**
 * The marker of the access that calls, which must be of a kind: who asks is told by nothing else.
 * @throws Failure `invalid-access-token`, as for a token that is none
 */
export function callersMarker<K extends Marker['kind']>(call: Call, kind: K): Extract<Marker, { kind: K }> {
  const marker = markerOf(call.caller.access)
  if (marker?.kind !== kind) throw new Failure('invalid-access-token', undefined, undefined, 'refused')
  return marker as Extract<Marker, { kind: K }>
}
