/** Making an access: for the method that does it, and for an app whose request its owner accepts (data supplement 6.4). */
import { accountOfAlias, isTokenTaken, putAccess, type LiveAccess } from '../../store/accesses.js'
import type { Transaction } from '../../store/account.js'
import type { Access, Permission } from '../../store/model/access.js'
import { withoutNulls } from '../../store/model/clientData.js'
import { Failure } from '../../store/model/failure.js'
import { inheritedRestrictions, ungrantable } from '../../store/model/grant.js'
import { accessRecordKey } from '../../store/model/integrity.js'
import { assertIdLength, isDotSegment, isReservedToken, slugify } from '../../store/model/slug.js'
import { Secret } from '../../store/model/secret.js'
import { withAccessIntegrity } from '../accessIntegrity.js'
import { ensureAppRoots } from '../consent/streams.js'
import { newAlias } from '../ids.js'
import type { Call } from '../method.js'
import { refuseMarker, withLineage } from './lineage.js'
import { provideStreams, refuseImpossible, storedPermissions } from './permissions.js'
import { takeName } from './replace.js'
import { refuseDevice, refuseOutliving, refuseReservedData } from './rules.js'
import type { NewAccessInput } from './schema.js'

type Made = 'app' | 'shared'

/** Refuses what no access of the type can be made of, before anything is staged. */
export function refuseUnmakeable(call: Call, type: Made, asked: NewAccessInput): void {
  refuseDevice(type, asked.deviceName)
  refuseReservedData(asked.clientData)
  refuseMarker(asked.clientData)
  refuseImpossible(call, asked.permissions)
  if (asked.token !== undefined) chosenToken(asked.token)
}

/**
 * Stages a new access, with the streams that its permissions need. The caller has refused what cannot be made. It takes the place of
 * an expired access of its name; `managed` are the accesses that this one manages.
 * @throws Failure `item-already-exists` for a token or a name, `forbidden` for what an app may not hand down
 */
export function makeAccess(call: Call, t: Transaction, type: Made, asked: NewAccessInput, managed: readonly LiveAccess[] = []): LiveAccess {
  const { account, node } = call
  const { seal } = node.store
  const chosen = asked.token === undefined ? undefined : chosenToken(asked.token)
  const access = newAccess(call, type, asked)
  const token = new Secret(chosen ?? node.newId())
  // The new one may have the token of the one that it replaces.
  takeName(call, t, access, managed)
  if (chosen !== undefined && isTokenTaken(t, seal, account.prefix, chosen)) {
    throw new Failure('item-already-exists', 'The token is taken.', { token: '(hidden)' })
  }
  if (call.caller.scope.personal) provideStreams(call, t, asked.permissions)
  ensureAppRoots(call, t, access.permissions ?? [])
  if (asked.randomAlias === true) access.alias = freeAlias(call, t)
  const whole = withAccessIntegrity(node, access, token)
  putAccess(t, seal, whole, token)
  call.trail?.wrote(accessRecordKey(whole), whole.integrity)
  return { access: whole, token }
}

function chosenToken(asked: string): string {
  assertIdLength(asked, 'token')
  const token = slugify(asked)
  assertIdLength(token, 'token')
  if (!isReservedToken(asked) && !isReservedToken(token) && !isDotSegment(token)) return token
  throw new Failure('invalid-item-id', 'This access token is reserved.')
}

function newAccess(call: Call, type: Made, asked: NewAccessInput): Access {
  const { node, caller, author } = call
  const now = node.clock.now()
  const access: Access = {
    id: node.newId(),
    type,
    name: asked.name,
    permissions: grantedPermissions(call, storedPermissions(asked.permissions)),
    created: now,
    createdBy: author,
    modified: now,
    modifiedBy: author,
  }
  if (typeof asked.deviceName === 'string') access.deviceName = asked.deviceName
  const clientData = withLineage(caller.access, asked.clientData === undefined ? undefined : withoutNulls(asked.clientData))
  if (clientData !== undefined) access.clientData = clientData
  if (asked.expireAfter !== undefined) access.expires = now + asked.expireAfter
  if (caller.access.type !== 'app') return access
  access.manager = caller.access.id
  if (asked.expireAfter === undefined && caller.access.expires !== undefined) access.expires = caller.access.expires
  refuseOutliving(access.expires, caller.access)
  return access
}

/** What is given: by an app, nothing that it does not hold, and its restrictions with it. */
function grantedPermissions({ caller, account }: Call, asked: Permission[]): Permission[] {
  const { scope } = caller
  if (scope.personal) return asked
  const { tree } = account
  if (asked.every((permission) => 'feature' in permission) || ungrantable(scope, asked, tree) !== undefined) {
    throw new Failure('forbidden', 'An app can only share what it may do itself.')
  }
  return [...asked, ...inheritedRestrictions(scope, asked, tree)]
}

/** An alias that nobody has. */
function freeAlias({ node }: Call, t: Transaction): string {
  for (;;) {
    const alias = newAlias(node.newId)
    if (accountOfAlias(t, alias) === undefined) return alias
  }
}
