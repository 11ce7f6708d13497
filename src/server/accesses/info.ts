import * as z from 'zod'
import { effectivePermissions } from '../../store/model/permission.js'
import { method } from '../method.js'
import { passwordTimes } from '../auth/answer.js'
import { delegationTold } from './lineage.js'
import { shownMembers } from './view.js'

const IdentityView = z.object({ username: z.string(), hostSlug: z.string() })

const DelegationView = z.union([
  z.object({
    isDelegatedAccess: z.literal(true),
    controlledUsername: z.string(),
    delegate: IdentityView,
    grantedVia: z.literal('app').optional(),
  }),
  z.object({ kind: z.literal('control'), controlledUsername: z.string(), delegate: IdentityView }),
])

/** Specification, "Access"; data supplement 6.2; consent supplement 6.5. */
export const info = method({
  id: 'getAccessInfo',
  summary: 'Tells about the access of the token.',
  http: { verb: 'GET', path: '/access-info' },
  input: z.strictObject({ auth: z.string().optional() }),
  output: z.object({
    id: z.string(),
    token: z.string(),
    type: z.enum(['personal', 'app', 'shared']),
    name: z.string(),
    alias: z.string().optional(),
    deviceName: z.string().optional(),
    permissions: z.array(z.record(z.string(), z.unknown())).optional(),
    lastUsed: z.number().optional(),
    expires: z.number().optional(),
    clientData: z.record(z.string(), z.unknown()).optional(),
    created: z.number(),
    createdBy: z.string(),
    modified: z.number(),
    modifiedBy: z.string(),
    calls: z.record(z.string(), z.number()),
    user: z.object({ username: z.string() }),
    passwordExpires: z.number().optional(),
    passwordCanBeChanged: z.number().optional(),
    delegation: DelegationView.optional(),
  }),
  fails: ['invalid-access-token', 'forbidden'],
  run({ node, account, user, caller }) {
    const { access, token } = caller
    const { lastUsed, calls } = node.usage.read(account, access.id)
    const permissions = effectivePermissions(access, node.audit.isActive)
    const delegation = delegationTold(access, user.username)
    const { integrity: _, permissions: _stored, ...own } = shownMembers(access)
    return {
      ...own,
      token: token.reveal(),
      ...(permissions === undefined ? {} : { permissions }),
      ...(lastUsed === undefined ? {} : { lastUsed }),
      calls: Object.fromEntries(Object.entries(calls).map(([id, count]) => [id.replace('.', ':'), count])),
      user: { username: access.alias ?? user.username },
      ...(caller.scope.personal ? passwordTimes(node, user) : {}),
      ...(delegation === undefined ? {} : { delegation }),
    }
  },
})
