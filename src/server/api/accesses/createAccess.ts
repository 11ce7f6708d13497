/** Creates accesses, for accesses.create and for accepted app requests (docs/interface/accesses.md#creation). */
import { accountOfAlias, isTokenTaken, putAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import type { Access, Permission } from '../../../store/model/access.js'
import { withoutNulls } from '../../../store/model/clientData.js'
import { Failure } from '../../../store/model/failure.js'
import { inheritedRestrictions, ungrantable } from '../../../store/model/grant.js'
import { accessRecordKey } from '../../../store/model/integrity.js'
import { assertIdLength, isDotSegment, isReservedToken, slugify } from '../../../store/model/slug.js'
import { Secret } from '../../../store/model/secret.js'
import { withAccessIntegrity } from '../shared/integrity.js'
import { ensureAppRoots } from '../consents/streams.js'
import type { ClaimedAlias } from './aliases.js'
import { newAlias } from '../../base/ids.js'
import type { Call } from '../../call/method.js'
import { assertNoMarker, withLineage } from './delegationMarker.js'
import { provideStreams, assertPermissionsPossible, storedPermissions } from './permissions.js'
import { takeName } from './replace.js'
import { assertNoDevice, assertExpiresInTime, assertNoReservedData } from './rules.js'
import type { NewAccessInput } from './schema.js'
import type { ConsentDeps } from '../consents/service.js'

type CreatableType = 'app' | 'shared'

/** Checks whether an access of the type can be created from the input, before anything is staged. */
export function assertMayGrant(call: Call, type: CreatableType, input: NewAccessInput): void {
  assertNoDevice(type, input.deviceName)
  assertNoReservedData(input.clientData)
  assertNoMarker(input.clientData)
  assertPermissionsPossible(call, input.permissions)
  if (input.token !== undefined) chosenToken(input.token)
}

/**
 * Stages a new access and the streams that its permissions need; call `assertMayGrant` first. Replaces an expired access of
 * the same name; `managed` are the accesses managed by that one. `claimed` is the alias of the access, where the platform has
 * several cores.
 * @throws Failure `item-already-exists` for a token or a name, `forbidden` for permissions that an app may not delegate
 */
export function createAccess(
  call: Call<ConsentDeps>,
  t: Transaction,
  type: CreatableType,
  input: NewAccessInput,
  { managed = [], claimed }: { managed?: readonly LiveAccess[]; claimed?: ClaimedAlias | undefined } = {},
): LiveAccess {
  claimed?.enter(t)
  const { account, node } = call
  const { seal } = node.store
  const chosen = input.token === undefined ? undefined : chosenToken(input.token)
  const access = newAccess(call, type, input)
  const token = new Secret(chosen ?? node.newId())
  // The new access may reuse the token of the one it replaces.
  takeName(call, t, access, managed)
  if (chosen !== undefined && isTokenTaken(t, seal, account.prefix, chosen)) {
    throw new Failure('item-already-exists', 'The token is taken.', { token: '(hidden)' })
  }
  if (call.caller.scope.personal) provideStreams(call, t, input.permissions)
  ensureAppRoots(call, t, access.permissions ?? [])
  if (input.randomAlias === true) access.alias = claimed?.alias ?? freeAlias(call, t)
  const whole = withAccessIntegrity(node, access, token)
  putAccess(t, seal, whole, token)
  call.trail?.recordWrite(accessRecordKey(whole), whole.integrity)
  return { access: whole, token }
}

function chosenToken(input: string): string {
  assertIdLength(input, 'token')
  const token = slugify(input)
  assertIdLength(token, 'token')
  if (!isReservedToken(input) && !isReservedToken(token) && !isDotSegment(token)) return token
  throw new Failure('invalid-item-id', 'This access token is reserved.')
}

function newAccess(call: Call, type: CreatableType, input: NewAccessInput): Access {
  const { node, caller, author } = call
  const now = node.clock.now()
  const access: Access = {
    id: node.newId(),
    type,
    name: input.name,
    permissions: grantedPermissions(call, storedPermissions(input.permissions)),
    created: now,
    createdBy: author,
    modified: now,
    modifiedBy: author,
  }
  if (typeof input.deviceName === 'string') access.deviceName = input.deviceName
  const clientData = withLineage(caller.access, input.clientData === undefined ? undefined : withoutNulls(input.clientData))
  if (clientData !== undefined) access.clientData = clientData
  if (input.expireAfter !== undefined) access.expires = now + input.expireAfter
  if (caller.access.type !== 'app') return access
  access.manager = caller.access.id
  if (input.expireAfter === undefined && caller.access.expires !== undefined) access.expires = caller.access.expires
  assertExpiresInTime(access.expires, caller.access)
  return access
}

/** Returns the permissions to grant: an app may only delegate what it holds, and passes on its restrictions. */
function grantedPermissions({ caller, account }: Call, input: Permission[]): Permission[] {
  const { scope } = caller
  if (scope.personal) return input
  const { tree } = account
  if (input.every((permission) => 'feature' in permission) || ungrantable(scope, input, tree) !== undefined) {
    throw new Failure('forbidden', 'An app can only grant permissions that it holds itself.')
  }
  return [...input, ...inheritedRestrictions(scope, input, tree)]
}

/** Generates an unused alias. */
function freeAlias({ node }: Call, t: Transaction): string {
  for (;;) {
    const alias = newAlias(node.newId)
    if (accountOfAlias(t, alias) === undefined) return alias
  }
}
