/** Schemas of access parameters and results (docs/interface/accesses.md). */
import * as z from 'zod'
import { LEVELS } from '../../../store/model/access.js'
import { clientData } from '../../base/tableSchema.js'
import { ignoredMember } from '../../base/readOnlyMembers.js'

/** Name for creating a missing stream: at least one letter, digit or underscore of any script. */
const defaultName = z.string().regex(/[\p{L}\p{N}_]/u)

const StreamPermission = z.strictObject({
  /** null means `*`, as in the first-generation API. */
  streamId: z.string().min(1).nullable().describe('Id of the stream; applies to its children. * or null: all streams.'),
  level: z.enum(LEVELS).describe('none, read, create-only, contribute (events) or manage (events and child streams).'),
  defaultName: defaultName.optional().describe('Name to create a missing stream with.'),
  name: z.string().optional().describe('Name of the stream; ignored.'),
})

const TagPermission = z.strictObject({
  tag: z.string().min(1).describe('The tag; * for all.'),
  level: z.enum(['read', 'contribute', 'manage']).describe('read, contribute or manage the events with the tag.'),
})

const FeaturePermission = z.strictObject({
  feature: z.enum(['selfRevoke', 'selfAudit', 'secretSharing', 'webhooks', 'forcedStreams']).describe('Feature that the permission is about.'),
  setting: z.enum(['forbidden', 'allowed']).describe('Whether the feature is allowed.'),
  streams: z.array(z.string()).optional().describe('Streams that new events are forced into; for forcedStreams.'),
})

export const PermissionInput = z.union([StreamPermission, TagPermission, FeaturePermission])
export type AskedPermission = z.output<typeof PermissionInput>
export type AskedStreamPermission = z.output<typeof StreamPermission>

const expireAfter = z.number().min(0, { error: 'expireAfter cannot be negative.' })

/** Read-only fields, ignored in a new access. */
const ignoredFields = {
  alias: ignoredMember,
  apiEndpoint: ignoredMember,
  calls: ignoredMember,
  created: ignoredMember,
  createdBy: ignoredMember,
  integrity: ignoredMember,
  lastUsed: ignoredMember,
  modified: ignoredMember,
  modifiedBy: ignoredMember,
}

export const NewAccess = z.strictObject({
  name: z.string().min(1).describe('Name of the access, unique for its type and device; for app accesses the id of the app.'),
  /** Required except for personal accesses, which are refused by type. */
  permissions: z.array(PermissionInput).optional().describe('Permissions on streams, tags and features; required for app and shared accesses.'),
  type: z.enum(['personal', 'app', 'shared']).optional().describe('app or shared; default shared. personal is refused: auth.login creates those.'),
  token: z.string().min(1).optional().describe('Token of the access; default: a random one.'),
  deviceName: z.string().nullish().describe('Name of the device; for app accesses.'),
  expireAfter: expireAfter.optional().describe('Seconds until the access expires; default: never.'),
  clientData: clientData.optional().describe('Client data.'),
  randomAlias: z.boolean().optional().describe('true: give the access an address that does not reveal the user name; default false.'),
  ...ignoredFields,
})
/** Checked separately, so that a missing list is reported like other errors. */
export const GrantedPermissions = z.looseObject({ permissions: z.array(z.unknown()) })

export type NewAccessInput = z.output<typeof NewAccess> & { permissions: z.output<typeof PermissionInput>[] }

/** Update of an access; unknown members are refused together, by name. */
export const AccessUpdate = z.looseObject({
  name: z.string().min(1).optional().describe('New name.'),
  permissions: z.array(PermissionInput).optional().describe('New permissions; replace all.'),
  deviceName: z.string().nullish().describe('New name of the device; null removes it.'),
  expireAfter: expireAfter.optional().describe('Seconds from now until the access expires.'),
  /** Read-only time; set by `expireAfter`. */
  expires: z.number().nullish().describe('null removes the expiry; a number is read-only, see expireAfter.'),
  clientData: clientData.nullish().describe('New client data; replace all. null removes all.'),
  deleted: z.never().optional().describe('Refused: accesses.delete deletes accesses.'),
})
export type AccessUpdateInput = z.output<typeof AccessUpdate>

export const updatable = new Set(['name', 'permissions', 'deviceName', 'expireAfter', 'expires', 'clientData'])

/** Read-only fields: an update that names one is refused, or the field ignored, depending on the settings. */
export const protectedFields = new Set(['id', 'type', 'token', 'randomAlias', ...Object.keys(ignoredFields)])

export const AccessView = z.object({
  id: z.string().describe('Id of the access; with a serial once it was changed (id:1).'),
  /** Absent when the caller is a delegate who may not see it. */
  token: z.string().optional().describe('The token; absent where the caller may not see it.'),
  apiEndpoint: z.string().describe('Address of the account, with the token where the caller may see it.'),
  alias: z.string().optional().describe('Random name in the address of the account that does not reveal the user name.'),
  type: z.enum(['personal', 'app', 'shared']).describe('Type of the access.'),
  name: z.string().describe('Name of the access; for app accesses the id of the app.'),
  deviceName: z.string().nullable().optional().describe('Name of the device.'),
  permissions: z.array(z.record(z.string(), z.unknown())).optional().describe('Permissions on streams, tags and features; absent for personal accesses.'),
  expires: z.number().optional().describe('Time at which the access expires, in seconds since 1970; absent: never.'),
  clientData: clientData.optional().describe('Client data.'),
  lastUsed: z.number().optional().describe('Time of the last call, in seconds since 1970.'),
  deleted: z.number().optional().describe('Time of the deletion, in seconds since 1970.'),
  integrity: z.string().optional().describe('Hash of the access; where integrity is on.'),
  created: z.number().describe('Creation time, in seconds since 1970.'),
  createdBy: z.string().describe('Id of the access that created it.'),
  modified: z.number().describe('Time of the last change, in seconds since 1970.'),
  modifiedBy: z.string().describe('Id of the access that last changed it.'),
})

export const AccessDeletionView = z.object({ id: z.string().describe('Id of the deleted access.') })
