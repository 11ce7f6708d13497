import * as z from 'zod'
import type { Access } from '../../../store/model/access.js'
import { effectivePermissions } from '../../../store/model/permission.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Result } from '../../call/method.js'
import { passwordTimes } from '../auth/answer.js'
import { delegationView } from './delegationMarker.js'
import { visibleMembers } from './view.js'

const IdentityView = z.object({
  username: z.string().describe('User name of the delegate.'),
  hostSlug: z.string().describe("Host of the account's platform, as a slug."),
})

const DelegationView = z.union([
  z.object({
    isDelegatedAccess: z.literal(true).describe('The access was granted through a delegation.'),
    controlledUsername: z.string().describe('User name of the controlled account.'),
    delegate: IdentityView.describe('The account that acts for it.'),
    grantedVia: z.literal('app').optional().describe('app for an access that the delegate granted to an app.'),
  }),
  z.object({
    kind: z.literal('control').describe('control for the access that holds the delegation itself.'),
    controlledUsername: z.string().describe('User name of the controlled account.'),
    delegate: IdentityView.describe('The account that acts for it.'),
  }),
])

/**
 * Route that describes the caller's access. See docs/interface/accesses.md#access-info and
 * docs/interface/delegations.md#delegate-tokens.
 */
export const info = method({
  id: 'getAccessInfo',
  summary: 'Describes the access of the token.',
  http: { verb: 'GET', path: '/access-info' },
  caller: anyAccess,
  input: z.strictObject({ auth: z.string().optional() }),
  output: () => z.object({
    id: z.string().describe('Id of the access; with a serial once it was changed (id:1).'),
    token: z.string().describe('The token.'),
    type: z.enum(['personal', 'app', 'shared']).describe('Type of the access.'),
    name: z.string().describe('Name of the access; for app accesses the id of the app.'),
    alias: z.string().optional().describe('Random name in the address of the account that does not reveal the user name.'),
    deviceName: z.string().optional().describe('Name of the device.'),
    permissions: z.array(z.record(z.string(), z.unknown())).optional().describe('Permissions on streams, tags and features.'),
    lastUsed: z.number().optional().describe('Time of the last call, in seconds since 1970.'),
    expires: z.number().optional().describe('Time at which the access expires, in seconds since 1970; absent: never.'),
    clientData: z.record(z.string(), z.unknown()).optional().describe('Client data.'),
    created: z.number().describe('Creation time, in seconds since 1970.'),
    createdBy: z.string().describe('Id of the access that created it.'),
    modified: z.number().describe('Time of the last change, in seconds since 1970.'),
    modifiedBy: z.string().describe('Id of the access that last changed it.'),
    calls: z.record(z.string(), z.number()).describe('Number of calls by method; the dot of a method id is a colon (events:get).'),
    user: z.object({
      username: z.string().describe('Current user name; the alias of the access where it has one.'),
    }).describe('The account.'),
    passwordExpires: z.number().optional().describe('Time at which the password expires, in seconds since 1970; personal accesses only.'),
    passwordCanBeChanged: z.number().optional().describe('Time from which the password can be changed again, in seconds since 1970; personal accesses only.'),
    delegation: DelegationView.optional().describe('Present for accesses of a delegation.'),
  }),
  fails: ['invalid-access-token', 'forbidden'],
  run({ node, account, user, caller }) {
    const { access, token } = caller
    const { lastUsed, calls } = node.usage.read(account, access.id)
    const shownCalls: Record<string, number> = {}
    for (const id in calls) shownCalls[id.replace('.', ':')] = calls[id] ?? 0
    return {
      ...membersOf(access, node.audit.isActive),
      token: token.reveal(),
      lastUsed,
      calls: shownCalls,
      user: { username: access.alias ?? user.username },
      delegation: delegationView(access, user.username),
      ...(caller.scope.personal ? passwordTimes(node, user) : {}),
    }
  },
})

/** The members of the answer that follow from an access, for the two states of the audit log. */
const known = { audited: new WeakMap<Access, Result>(), unaudited: new WeakMap<Access, Result>() }

/**
 * Returns the members of the answer that follow from an access, and undefined for the others: an object that has all members is
 * copied in a fraction of the time of one that gets them.
 */
function membersOf(access: Access, isAudited: boolean): Result {
  const memory = isAudited ? known.audited : known.unaudited
  let members = memory.get(access)
  if (members === undefined) {
    const { integrity: _, ...own } = visibleMembers(access)
    const others = { token: undefined, lastUsed: undefined, calls: undefined, user: undefined, delegation: undefined }
    members = { ...own, permissions: effectivePermissions(access, isAudited), ...others }
    memory.set(access, members)
  }
  return members
}
