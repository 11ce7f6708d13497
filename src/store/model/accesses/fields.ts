/**
 * Fields of stored accesses: one row per field, in the order of records and export lines. The merge (`accessMerge.ts`), the
 * integrity hash and the validation of received accesses (`sync/merge/accessShape.ts`) derive from this table. Requests and
 * answers differ from the stored form; their schemas are in `server/api/accesses/schema.ts`.
 */
import type { AccessDeletion } from '../access.js'

/**
 * Result of concurrent edits of a field. `latest`: the value with the latest time. `intersection` and `earliest`: the value
 * that gives no right that one of the edits refuses. `keys`: each key of the map merges by itself, as `latest`. `derived`: set by
 * the merge from other fields. `fixed`: the same in all copies.
 */
type MergeRule = 'latest' | 'intersection' | 'earliest' | 'keys' | 'derived' | 'fixed'

interface AccessField {
  merge: MergeRule
  /** True when every app and shared access has the field. */
  isRequired: boolean
  /** True when the integrity hash covers the field. */
  isHashed: boolean
}

const required = { isRequired: true, isHashed: true } as const
const optional = { isRequired: false, isHashed: true } as const
/** Optional, and not visible to clients. */
const internal = { isRequired: false, isHashed: false } as const

export const accessFields = {
  id: { merge: 'fixed', ...required },
  type: { merge: 'latest', ...required },
  name: { merge: 'latest', ...required },
  deviceName: { merge: 'latest', ...optional },
  permissions: { merge: 'intersection', ...required },
  expires: { merge: 'earliest', ...optional },
  clientData: { merge: 'keys', ...optional },
  alias: { merge: 'latest', ...optional },
  serial: { merge: 'derived', ...internal },
  manager: { merge: 'latest', ...internal },
  created: { merge: 'latest', ...required },
  createdBy: { merge: 'latest', ...required },
  modified: { merge: 'derived', ...required },
  modifiedBy: { merge: 'derived', ...required },
  deleted: { merge: 'derived', ...optional },
  integrity: { merge: 'derived', isRequired: false, isHashed: false },
  causal: { merge: 'derived', ...internal },
} as const satisfies Record<keyof AccessDeletion, AccessField>

type Table = typeof accessFields

/** Fields that merge as a whole, each as one register. */
type AccessRegister = { [K in keyof Table]: Table[K]['merge'] extends 'latest' | 'intersection' | 'earliest' ? K : never }[keyof Table]

const entries = Object.entries(accessFields) as [keyof Table, AccessField][]

/** Names of all fields, in the order of records. */
export const accessFieldNames = entries.map(([name]) => name)

/** Returns the fields with one of the rules. */
const merging = (...rules: readonly MergeRule[]): (keyof Table)[] => entries.flatMap(([name, { merge }]) => (rules.includes(merge) ? [name] : []))

export const accessRegisters = merging('latest', 'intersection', 'earliest') as AccessRegister[]

/** Fields that decide the rights of the token. */
export const accessRights = merging('intersection', 'earliest') as AccessRegister[]

/** Returns the rule by which a field of the registers merges; keys of client data merge as `latest`. */
export const mergeRuleOf = (field: string): MergeRule => (Object.hasOwn(accessFields, field) ? accessFields[field as keyof Table].merge : 'latest')

/** Fields that every app and shared access has. */
export const requiredAccessFields = entries.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))

/** Names of the members that the integrity hash leaves out. */
export const unhashedInAccesses: ReadonlySet<string> = new Set(entries.flatMap(([name, { isHashed }]) => (isHashed ? [] : [name])))
