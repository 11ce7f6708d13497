/** Computes the next version of an access (docs/interface/accesses.md#updates, docs/interface/messages.md#scope-changes). */
import { findAccess, putNextVersion, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { accessIdOf, isExpired, type Access, type Permission } from '../../../store/model/access.js'
import { withoutNulls } from '../../../store/model/clientData.js'
import { CMC } from '../../../store/model/consentAccess.js'
import { MARKER, markerOf } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { exceeding, inheritedRestrictions, isWithin, lastingRestrictions } from '../../../store/model/grant.js'
import { compileScope } from '../../../store/model/permission.js'
import { withAccessIntegrity } from '../shared/integrity.js'
import { ensureAppRoots, type Maker } from '../consents/streams.js'
import { storedPermissions } from './permissions.js'
import { assertExpiresInTime, assertNameFree } from './rules.js'
import type { AccessUpdateInput, AskedPermission } from './schema.js'

/** Changes of an access, as requested by a client or as stored. */
type Changes = Pick<AccessUpdateInput, 'name' | 'deviceName' | 'clientData' | 'expireAfter' | 'expires'> & {
  permissions?: readonly (AskedPermission | Permission)[] | undefined
}

/**
 * Stages the next version of an access and stores the current one as an earlier version; returns the new state. `children`
 * are the accesses it manages.
 * @throws Failure `item-already-exists` for a name; `invalid-operation` when it would exceed the app managing it, or no
 * longer cover an access it manages
 */
export function updateAccess(
  maker: Maker,
  t: Transaction,
  before: LiveAccess,
  children: readonly LiveAccess[],
  input: Changes,
): LiveAccess {
  const after = changed(maker, t, before.access, input)
  assertNameFree(t, after)
  assertGrantable(maker, children, before.access, after)
  ensureAppRoots(maker, t, input.permissions === undefined ? [] : (after.permissions ?? []))
  const whole = withAccessIntegrity(maker.node, after, before.token)
  putNextVersion(t, maker.node.store.seal, whole, before)
  return { access: whole, token: before.token }
}

function changed(maker: Maker, t: Transaction, before: Access, input: Changes): Access {
  const now = maker.node.clock.now()
  const after: Access = { ...before, serial: (before.serial ?? 0) + 1, modified: now, modifiedBy: maker.author }
  if (input.name !== undefined) after.name = input.name
  if (typeof input.deviceName === 'string') after.deviceName = input.deviceName
  else if (input.deviceName === null) delete after.deviceName
  if (input.clientData !== undefined) setClientData(after, input.clientData)
  if (input.permissions !== undefined) {
    const permissions = storedPermissions(input.permissions)
    after.permissions = [...permissions, ...lastingRestrictions(before.permissions ?? [], permissions)]
  }
  if (input.expireAfter !== undefined) after.expires = now + input.expireAfter
  else if (input.expires === null) delete after.expires
  if (before.manager !== undefined) {
    // An expired access is checked again before it becomes valid.
    boundByManager(maker, t, after, before.manager, input.permissions !== undefined || isExpired(before, now))
  }
  return after
}

/** Replaces client data as a whole, except keys reserved for the node. */
function setClientData(access: Access, clientData: Access['clientData'] | null): void {
  const isMarked = markerOf(access) !== undefined
  const reserved = Object.entries(access.clientData ?? {}).filter(([key]) => key === 'dpop' || key === CMC || (isMarked && key === MARKER))
  if (clientData === null && reserved.length === 0) delete access.clientData
  else access.clientData = Object.fromEntries([...Object.entries(withoutNulls(clientData ?? {})), ...reserved])
}

/** Limits an access managed by an app to the app's permissions, restrictions and expiry. */
function boundByManager(maker: Maker, t: Transaction, access: Access, manager: string, judged: boolean): void {
  const app = findAccess(t, maker.node.store.seal, t.account, manager)?.access
  if (app === undefined) {
    throw new Failure('invalid-operation', 'The app that manages this access no longer exists; the access can only be deleted.')
  }
  assertExpiresInTime(access.expires, app)
  if (!judged) return
  const { tree } = maker.account
  const scope = compileScope(app, false)
  const permissions = access.permissions ?? []
  const outside = exceeding(scope, permissions, tree)
  if (outside !== undefined) {
    throw new Failure('invalid-operation', 'The app that manages this access does not hold these permissions itself.', {
      permission: outside,
    })
  }
  access.permissions = [...permissions, ...inheritedRestrictions(scope, permissions, tree)]
}

/** Refuses to remove permissions that unexpired managed accesses have; the failure lists their ids. */
function assertGrantable(maker: Maker, children: readonly LiveAccess[], before: Access, after: Access): void {
  if (after.type !== 'app') return
  const now = maker.node.clock.now()
  const scope = compileScope(after, false)
  const end = after.expires ?? Infinity
  const formerScope = compileScope(before, false)
  const { tree } = maker.account
  const offending = children.filter(({ access }) => {
    if (isExpired(access, now)) return false
    if ((access.expires ?? Infinity) > end) return true
    const permissions = access.permissions ?? []
    // An access already outside because streams moved is not this update's fault.
    return !isWithin(scope, permissions, tree) && isWithin(formerScope, permissions, tree)
  })
  if (offending.length === 0) return
  throw new Failure('invalid-operation', 'Accesses that the app manages would have more than the app.', {
    offendingChildren: offending.map(({ access }) => accessIdOf(access)),
  })
}
