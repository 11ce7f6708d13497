/** What clients send of accesses, and what they get (data supplement 6). */
import * as z from 'zod'
import { LEVELS } from '../../store/model/access.js'
import { clientData } from '../streams/schema.js'

/** A name to create a missing stream with: at least one letter, digit or underscore of any script. */
const defaultName = z.string().regex(/[\p{L}\p{N}_]/u)

const StreamPermission = z.strictObject({
  /** null stands for `*`, as it did in the first generation. */
  streamId: z.string().min(1).nullable(),
  level: z.enum(LEVELS),
  defaultName: defaultName.optional(),
  name: z.string().optional(),
})

const TagPermission = z.strictObject({
  tag: z.string().min(1),
  level: z.enum(['read', 'contribute', 'manage']),
})

const FeaturePermission = z.strictObject({
  feature: z.enum(['selfRevoke', 'selfAudit', 'secretSharing', 'webhooks', 'forcedStreams']),
  setting: z.enum(['forbidden', 'allowed']),
  streams: z.array(z.string()).optional(),
})

export const PermissionInput = z.union([StreamPermission, TagPermission, FeaturePermission])
export type AskedPermission = z.output<typeof PermissionInput>
export type AskedStreamPermission = z.output<typeof StreamPermission>

const expireAfter = z.number().min(0, { error: 'expireAfter cannot be negative.' })

/** Fields that are read-only and merely left aside in a new access. */
const leftAside = {
  alias: z.unknown().optional(),
  apiEndpoint: z.unknown().optional(),
  calls: z.unknown().optional(),
  created: z.unknown().optional(),
  createdBy: z.unknown().optional(),
  integrity: z.unknown().optional(),
  lastUsed: z.unknown().optional(),
  modified: z.unknown().optional(),
  modifiedBy: z.unknown().optional(),
}

export const NewAccess = z.strictObject({
  name: z.string().min(1),
  /** Needed by all but personal accesses, which are refused for what they are. */
  permissions: z.array(PermissionInput).optional(),
  type: z.enum(['personal', 'app', 'shared']).optional(),
  token: z.string().min(1).optional(),
  deviceName: z.string().nullish(),
  expireAfter: expireAfter.optional(),
  clientData: clientData.optional(),
  randomAlias: z.boolean().optional(),
  ...leftAside,
})
/** What is missing is told of in the form of any other mistake. */
export const GrantedPermissions = z.looseObject({ permissions: z.array(z.unknown()) })

export type NewAccessInput = z.output<typeof NewAccess> & { permissions: z.output<typeof PermissionInput>[] }

/** Members that are not named here are refused as a whole, by their names. */
export const AccessUpdate = z.looseObject({
  name: z.string().min(1).optional(),
  permissions: z.array(PermissionInput).optional(),
  deviceName: z.string().nullish(),
  expireAfter: expireAfter.optional(),
  /** A time is what answers say, and read-only: `expireAfter` sets it. */
  expires: z.number().nullish(),
  clientData: clientData.nullish(),
  deleted: z.never().optional(),
})
export type AccessUpdateInput = z.output<typeof AccessUpdate>

export const updatable = new Set(['name', 'permissions', 'deviceName', 'expireAfter', 'expires', 'clientData'])

/** Read-only fields: an update that names one is refused, or taken without it where the settings say so. */
export const protectedFields = new Set(['id', 'type', 'token', 'randomAlias', ...Object.keys(leftAside)])

export const AccessView = z.object({
  id: z.string(),
  /** Absent where a delegate may not see it. */
  token: z.string().optional(),
  apiEndpoint: z.string(),
  alias: z.string().optional(),
  type: z.enum(['personal', 'app', 'shared']),
  name: z.string(),
  deviceName: z.string().nullable().optional(),
  permissions: z.array(z.record(z.string(), z.unknown())).optional(),
  expires: z.number().optional(),
  clientData: clientData.optional(),
  lastUsed: z.number().optional(),
  deleted: z.number().optional(),
  integrity: z.string().optional(),
  created: z.number(),
  createdBy: z.string(),
  modified: z.number(),
  modifiedBy: z.string(),
})

export const AccessDeletionView = z.object({ id: z.string() })
