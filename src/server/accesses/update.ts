import { z } from 'zod'
import { findAccess, findAccessRecord, listManaged, putNextVersion, type LiveAccess } from '../../store/accesses.js'
import type { Transaction } from '../../store/account.js'
import { accessIdOf, isExpired, parseAccessId, type Access } from '../../store/model/access.js'
import { CMC } from '../../store/model/consentAccess.js'
import { MARKER, markerOf } from '../../store/model/delegation.js'
import { Failure } from '../../store/model/failure.js'
import { exceeding, inheritedRestrictions, isWithin, lastingRestrictions } from '../../store/model/grant.js'
import { compileScope } from '../../store/model/permission.js'
import { withAccessIntegrity } from '../accessIntegrity.js'
import { changeAlone } from '../change.js'
import { ensureAppRoots } from '../consent/streams.js'
import { method, type Call } from '../method.js'
import { refuseManaged, refuseMarker } from './lineage.js'
import { provideStreams, refuseImpossible, storedPermissions } from './permissions.js'
import {
  foundAccess,
  isCreateOnlyCaller,
  refuseDevice,
  refuseOutliving,
  refuseReservedData,
  refuseStale,
  refuseTakenName,
} from './rules.js'
import { AccessUpdate, AccessView, protectedFields, updatable, type AccessUpdateInput } from './schema.js'
import { viewOf } from './view.js'

/** Specification, "Data methods"; data supplement 6.5, 22. The former state stays as an earlier version. */
export const update = method({
  id: 'accesses.update',
  summary: 'Changes an access: name, permissions, expiry, client data.',
  http: { verb: 'PUT', path: '/accesses/:id' },
  body: 'update',
  input: z.strictObject({ id: z.string(), update: AccessUpdate }),
  output: z.object({ access: AccessView }),
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-item-id',
    'invalid-operation',
    'unknown-resource',
    'item-already-exists',
    'removed-method',
    'stale-resource',
    'api-unavailable',
    'forbidden',
  ],
  run(call, { id, update: asked }) {
    const { account, node } = call
    const { seal } = node.store
    refuseManagedTarget(call, id)
    refuseCaller(call)
    refuseOtherFields(call, asked)
    refuseReservedData(asked.clientData)
    refuseImpossible(call, asked.permissions ?? [])
    return changeAlone(call, async (write) => {
      const children = await listManaged(account, seal, foundAccess(call, account.db, id).access.id)
      return write((t) => {
        const before = foundAccess(call, t, id)
        refuseManaged(before.access)
        if (before.access.type === 'personal') throw new Failure('forbidden', 'Personal accesses do not change.')
        refuseStale(id, before)
        refuseDevice(before.access.type, asked.deviceName, '#/update/')
        refuseMarker(asked.clientData, before.access)
        const after = changed(call, t, before.access, asked)
        refuseTakenName(t, after)
        refuseOffending(call, children, before.access, after)
        provideStreams(call, t, asked.permissions ?? [])
        ensureAppRoots(call, t, asked.permissions === undefined ? [] : (after.permissions ?? []))
        const whole = withAccessIntegrity(node, after, before.token)
        putNextVersion(t, seal, whole, before)
        return { access: viewOf(call, { access: whole, token: before.token }) }
      })
    })
  },
})

/** What belongs to a delegation is refused before it matters who asks. */
function refuseManagedTarget({ account }: Call, id: string): void {
  const target = findAccessRecord(account.db, account.prefix, parseAccessId(id).base)
  if (target !== undefined) refuseManaged(target)
}

/** Only the owner changes accesses; for apps this was taken away. */
function refuseCaller(call: Call): void {
  const { access } = call.caller
  if (access.type === 'personal') return
  if (access.type === 'shared' || isCreateOnlyCaller(call)) throw new Failure('forbidden')
  throw new Failure('removed-method', 'Apps cannot change accesses any more: delete the access and make another.')
}

function refuseOtherFields(call: Call, asked: AccessUpdateInput): void {
  const ignored = call.node.config.get('updates.ignoreProtectedFields')
  const others = Object.keys(asked).filter(
    (field) => !updatable.has(field) && asked[field] !== undefined && !(ignored && protectedFields.has(field)),
  )
  if (others.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${others.join(', ')}.`)
}

function changed(call: Call, t: Transaction, before: Access, asked: AccessUpdateInput): Access {
  const now = call.node.clock.now()
  const after: Access = { ...before, serial: (before.serial ?? 0) + 1, modified: now, modifiedBy: call.author }
  if (asked.name !== undefined) after.name = asked.name
  if (typeof asked.deviceName === 'string') after.deviceName = asked.deviceName
  else if (asked.deviceName === null) delete after.deviceName
  if (asked.clientData !== undefined) setClientData(after, asked.clientData)
  if (asked.permissions !== undefined) {
    const permissions = storedPermissions(asked.permissions)
    after.permissions = [...permissions, ...lastingRestrictions(before.permissions ?? [], permissions)]
  }
  if (asked.expireAfter !== undefined) after.expires = now + asked.expireAfter
  else if (asked.expires === null) delete after.expires
  if (before.manager !== undefined) {
    // What had expired is judged anew before it gives rights again.
    boundByManager(call, t, after, before.manager, asked.permissions !== undefined || isExpired(before, now))
  }
  return after
}

/** Replaces client data as a whole; the keys that the node keeps for itself stay as they are. */
function setClientData(access: Access, clientData: Access['clientData'] | null): void {
  const isMarked = markerOf(access) !== undefined
  const kept = Object.entries(access.clientData ?? {}).filter(([key]) => key === 'dpop' || key === CMC || (isMarked && key === MARKER))
  if (clientData === null && kept.length === 0) delete access.clientData
  else access.clientData = Object.fromEntries([...Object.entries(clientData ?? {}), ...kept])
}

/** Holds what an app manages within the app: its permissions, its restrictions, its end. */
function boundByManager(call: Call, t: Transaction, access: Access, manager: string, judged: boolean): void {
  const app = findAccess(t, call.node.store.seal, t.account, manager)?.access
  if (app === undefined) {
    throw new Failure('invalid-operation', 'The app that manages this access is gone; the access can only be deleted.')
  }
  refuseOutliving(access.expires, app)
  if (!judged) return
  const { tree } = call.account
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

/** Refuses to take from an app what accesses that it manages have, by their ids; expired ones have nothing. */
function refuseOffending(call: Call, children: readonly LiveAccess[], before: Access, after: Access): void {
  if (after.type !== 'app') return
  const now = call.node.clock.now()
  const scope = compileScope(after, false)
  const end = after.expires ?? Infinity
  const formerScope = compileScope(before, false)
  const { tree } = call.account
  const offending = children.filter(({ access }) => {
    if (isExpired(access, now)) return false
    if ((access.expires ?? Infinity) > end) return true
    const permissions = access.permissions ?? []
    // Streams that moved since may have put an access outside already: that is not this change's doing.
    return !isWithin(scope, permissions, tree) && isWithin(formerScope, permissions, tree)
  })
  if (offending.length === 0) return
  throw new Failure('invalid-operation', 'Accesses that the app manages would have more than the app.', {
    offendingChildren: offending.map(({ access }) => accessIdOf(access)),
  })
}
