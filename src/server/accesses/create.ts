import { z } from 'zod'
import { accountOfAlias, isTokenTaken, putAccess } from '../../store/accesses.js'
import type { Transaction } from '../../store/account.js'
import type { Access, Permission } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import { inheritedRestrictions, ungrantable } from '../../store/model/grant.js'
import { accessRecordKey } from '../../store/model/integrity.js'
import { isReservedToken, slugify } from '../../store/model/slug.js'
import { Secret } from '../../store/model/secret.js'
import { withAccessIntegrity } from '../accessIntegrity.js'
import { grow } from '../change.js'
import { newAlias } from '../ids.js'
import { method, type Call } from '../method.js'
import { provideStreams, refuseImpossible, storedPermissions } from './permissions.js'
import { isCreateOnlyCaller, refuseDevice, refuseOutliving, refuseReservedData, refuseTakenName } from './rules.js'
import { AccessView, NewAccess, type NewAccessInput } from './schema.js'
import { viewOf } from './view.js'

/** Specification, "Access"; data supplement 6.4. */
export const create = method({
  id: 'accesses.create',
  summary: 'Gives access to an app, or shares with somebody.',
  http: { verb: 'POST', path: '/accesses' },
  input: NewAccess,
  output: z.object({ access: AccessView }),
  status: 201,
  staging: true,
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-item-id',
    'invalid-operation',
    'item-already-exists',
    'api-unavailable',
    'forbidden',
    'user-intervention-required',
  ],
  run(call, asked) {
    const { type = 'shared' } = asked
    if (type === 'personal') throw new Failure('forbidden', 'Personal accesses are made by logging in.')
    refuseCaller(call, type)
    refuseDevice(type, asked.deviceName)
    refuseReservedData(asked.clientData)
    refuseImpossible(call, asked.permissions)
    const chosen = asked.token === undefined ? undefined : chosenToken(asked.token)
    const { account, node } = call
    const { seal } = node.store
    return grow(call, (t) => {
      const access = newAccess(call, type, asked)
      const token = new Secret(chosen ?? node.newId())
      if (chosen !== undefined && isTokenTaken(t, seal, account.prefix, chosen)) {
        throw new Failure('item-already-exists', 'The token is taken.', { token: '(hidden)' })
      }
      refuseTakenName(t, access)
      if (call.caller.scope.personal) provideStreams(call, t, asked.permissions)
      if (asked.randomAlias === true) access.alias = freeAlias(call, t)
      const whole = withAccessIntegrity(node, access, token)
      putAccess(t, seal, whole, token)
      call.trail?.wrote(accessRecordKey(whole), whole.integrity)
      return { access: viewOf(call, { access: whole, token }) }
    })
  },
})

/** Refuses those that give no accesses: shared accesses, holders of nothing but `create-only`, apps beyond sharing. */
function refuseCaller(call: Call, type: 'app' | 'shared'): void {
  const { access } = call.caller
  if (access.type === 'personal') return
  if (access.type === 'shared') throw new Failure('forbidden', 'Shared accesses cannot give accesses.')
  if (isCreateOnlyCaller(call)) throw new Failure('forbidden', 'An access that may only create gives no accesses.')
  if (type !== 'shared') throw new Failure('forbidden', 'Apps can only make shared accesses.')
}

function chosenToken(asked: string): string {
  const token = slugify(asked)
  if (!isReservedToken(asked) && !isReservedToken(token)) return token
  throw new Failure('invalid-item-id', 'This access token is reserved.')
}

function newAccess(call: Call, type: 'app' | 'shared', asked: NewAccessInput): Access {
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
  if (asked.clientData !== undefined) access.clientData = asked.clientData
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
