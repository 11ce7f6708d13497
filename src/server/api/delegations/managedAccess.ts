/**
 * Managed accesses of a relationship (docs/interface/delegations.md#reserved-items): created, found and removed by their markers.
 */
import { accessNamed, findAccess, putAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import type { Access } from '../../../store/model/access.js'
import { MARKER, markerOf, type Marker } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { Secret } from '../../../store/model/secret.js'
import { withAccessIntegrity } from '../shared/integrity.js'
import { revoke } from '../accesses/revoke.js'
import type { Context } from '../../call/context.js'

/** Kinds of accesses that are identified by the relationship alone. */
type SharedKind = 'invite-capability' | 'control' | 'notify'

const NAMES: Record<SharedKind, string> = {
  'invite-capability': '__deleg-inv-',
  control: '__deleg-ctl-',
  notify: '__deleg-ntf-',
}
const SHORT = 8

/** Returns the access of a kind, or a free name for it; lengthens the id part until it is free. */
function findOrName(node: Context, t: Transaction, kind: SharedKind, relId: string): { found?: LiveAccess; name: string } {
  for (let length = SHORT; ; length++) {
    const name = NAMES[kind] + relId.slice(0, length)
    const holder = accessNamed(t, t.account, { type: 'shared', name })
    if (holder === undefined) return { name }
    const found = findAccess(t, node.store.seal, t.account, holder)
    if (found !== undefined && isOf(found.access, kind, relId)) return { found, name }
    if (length >= relId.length) throw new Failure('item-already-exists', 'Another access already has this name.', { name })
  }
}

const isOf = (access: Access, kind: Marker['kind'], relId: string): boolean => {
  const marker = markerOf(access)
  return marker?.kind === kind && marker.relId === relId
}

/** Returns the access of a kind of a relationship; undefined when it has none. */
const managedAccess = (node: Context, t: Transaction, kind: SharedKind, relId: string): LiveAccess | undefined =>
  findOrName(node, t, kind, relId).found

/** Returns the access of a marker; creates it without permissions if missing. `expires` in seconds. */
export function provideManaged(
  node: Context,
  t: Transaction,
  marker: Extract<Marker, { kind: SharedKind }>,
  expires?: number,
): LiveAccess {
  const { found, name } = findOrName(node, t, marker.kind, marker.relId)
  if (found !== undefined) return found
  return putManaged(node, t, { type: 'shared', name, ...(expires === undefined ? {} : { expires }) }, marker)
}

/** Stages an access with a marker and a new token. Replaces `former` and keeps its id. */
export function putManaged(
  node: Context,
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

/** Stages the deletion of the access of a kind, if the relationship has one. */
export function endManaged(node: Context, t: Transaction, kind: SharedKind, relId: string): void {
  const found = managedAccess(node, t, kind, relId)
  if (found !== undefined) revoke(node, t, found, node.clock.now())
}
