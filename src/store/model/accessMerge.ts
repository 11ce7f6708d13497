/**
 * Merges copies of an access that were edited on several nodes: a map of multi-value registers with a causal context
 * (a state-based CRDT). Each field is a register; an edit replaces the values it has seen, and concurrent values stay side
 * by side. The record shows one value of each field, a function of the registers alone:
 *
 * - `accesses/fields.ts` states the rule of each field: the latest value by its time, or one that gives no right that another
 *   value refuses
 * - of client data, each key is a field; a key that is set survives its concurrent removal
 *
 * Deletion is separate: it wins over every edit. `join` is commutative, associative and idempotent. An access that was
 * never updated has no causal state: its initial values count as seen by every copy.
 */
import type { Access, Permission, Causal, Dot } from './access.js'
import { accessFieldNames, accessRegisters, accessRights, mergeRuleOf } from './accesses/fields.js'
import { canonicalText } from './canonicalText.js'
import type { Seconds } from './event.js'
import { accessIntegrity, algorithmIn, type IntegrityAlgorithm } from './integrity.js'
import { intersectPermissions } from './permissionIntersection.js'

interface Value {
  dot: Dot
  value: unknown
}

/** Registers of an access by field, and the edits seen. */
interface State {
  seen: Map<string, readonly [edits: number, versions: number]>
  fields: Map<string, Value[]>
  /** Versions before the first in `seen`. */
  base: number
  /** True for a subset of another access's fields, whose initial values other copies lack. */
  isPart?: true
  absorbed: boolean
}

/** Dot of the initial values of an access. */
const INITIAL: Dot = ['', 0, 0]

/** Time and author of the last change. */
const EDITED = 'edited'
/** Integrity algorithm. */
const ALGORITHM = 'algorithm'
/** Presence of client data, even empty; each key is a field of its own prefixed with KEY. */
const DATA = 'clientData'
const KEY = 'c:'
/** Ids of accesses deleted because they had the same token. */
const ABSORBED = 'token'

const FIXED: ReadonlySet<string> = new Set([...accessRegisters, EDITED, ALGORITHM, DATA, ABSORBED])
/** Fields whose concurrent values are not reported as conflicts. */
const UNREPORTED_FIELDS: ReadonlySet<string> = new Set([EDITED, ALGORITHM, DATA])

/** Checks whether the registers contain a field. */
export const isAccessField = (field: string): boolean => FIXED.has(field) || field.startsWith(KEY)

const isSame = (a: unknown, b: unknown): boolean => canonicalText(a) === canonicalText(b)

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Lists the record's values by field. */
function valuesByField(access: Access): Map<string, unknown> {
  const fields = new Map<string, unknown>(accessRegisters.map((field) => [field, access[field] ?? null]))
  fields.set(EDITED, [access.modified, access.modifiedBy])
  fields.set(ALGORITHM, algorithmIn('ACCESS', access.integrity) ?? null)
  fields.set(DATA, access.clientData === undefined ? null : true)
  fields.set(ABSORBED, null)
  for (const [key, value] of Object.entries(access.clientData ?? {})) fields.set(KEY + key, value)
  return fields
}

function stateOf(access: Access): State {
  const { seen = {}, by = {}, met = {}, absorbed = false } = access.causal ?? {}
  const fields = new Map<string, Value[]>()
  const dots = new Map(Object.entries(by))
  const contested = new Map(Object.entries(met))
  for (const [field, value] of valuesByField(access)) {
    const values = contested.get(field)?.map(([dot, one]): Value => ({ dot, value: one }))
    fields.set(field, values ?? [{ dot: dots.get(field) ?? INITIAL, value }])
  }
  const counts = new Map(Object.entries(seen))
  return { seen: counts, fields, base: Math.max(0, (access.serial ?? 0) - versionsIn(counts)), absorbed }
}

const versionsIn = (seen: State['seen']): number => [...seen.values()].reduce((sum, [, versions]) => sum + versions, 0)

/** Checks whether a copy has seen an edit. */
const hasSeen = ({ seen, isPart }: State, [actor, count]: Dot): boolean =>
  count === 0 ? isPart !== true : count <= (seen.get(actor)?.[0] ?? 0)

function joinStates(a: State, b: State): State {
  const seen = new Map(a.seen)
  for (const [actor, [edits, versions]] of b.seen) {
    const [others, more] = seen.get(actor) ?? [0, 0]
    seen.set(actor, [Math.max(edits, others), Math.max(versions, more)])
  }
  const fields = new Map<string, Value[]>()
  for (const field of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    const values = joinValues(a, a.fields.get(field) ?? [], b, b.fields.get(field) ?? [])
    if (values.length > 0) fields.set(field, values)
  }
  const isPart = a.isPart === true && b.isPart === true
  return { seen, fields, base: Math.max(a.base, b.base), absorbed: a.absorbed || b.absorbed, ...(isPart ? { isPart } : {}) }
}

const nameOfDot = ([actor, count]: Dot): string => `${count} ${actor}`

/** Keeps the values that both copies have, and those that the other copy has not seen. */
function joinValues(a: State, ours: readonly Value[], b: State, theirs: readonly Value[]): Value[] {
  const dots = (values: readonly Value[]): Set<string> => new Set(values.map(({ dot }) => nameOfDot(dot)))
  const [inA, inB] = [dots(ours), dots(theirs)]
  return ordered([
    ...ours.filter(({ dot }) => inB.has(nameOfDot(dot)) || !hasSeen(b, dot)),
    ...theirs.filter(({ dot }) => inA.has(nameOfDot(dot)) || !hasSeen(a, dot)),
  ])
}

/** Lists the distinct values of each edit, ordered by edit and text. */
function ordered(values: readonly Value[]): Value[] {
  const unique = new Map<string, Value>()
  for (const one of values) {
    const name = `${nameOfDot(one.dot)} ${canonicalText(one.value)}`
    const former = unique.get(name)
    if (former === undefined || former.dot[2] < one.dot[2]) unique.set(name, one)
  }
  return [...unique].sort(([a], [b]) => byText(a, b)).map(([, value]) => value)
}

/** Returns the merged value of a field. */
function mergedValue(field: string, values: readonly Value[]): unknown {
  const [first] = values
  if (first === undefined) return null
  if (values.length === 1) return first.value
  const given = values.flatMap(({ value }) => (value === null ? [] : [value]))
  switch (mergeRuleOf(field)) {
    case 'intersection':
      return given.length === 0 ? null : intersectPermissions(given as Permission[][])
    case 'earliest':
      return given.length === 0 ? null : Math.min(...(given as Seconds[]))
  }
  switch (field) {
    case EDITED:
      return (given as [Seconds, string][]).reduce((a, b) => (a[0] - b[0] || byText(a[1], b[1])) >= 0 ? a : b)
    case ALGORITHM:
      return ALGORITHMS.find((algorithm) => given.includes(algorithm)) ?? null
    case DATA:
      return given.length > 0 ? true : null
    default:
      return values.reduce((a, b) => (isLater(b, a) ? b : a)).value
  }
}

/** Integrity algorithms, strongest first. */
const ALGORITHMS: readonly IntegrityAlgorithm[] = ['sha512', 'sha256', 'sha1', 'md5']

function isLater(a: Value, b: Value): boolean {
  const order = a.dot[2] - b.dot[2] || byText(a.dot[0], b.dot[0]) || a.dot[1] - b.dot[1]
  return (order || byText(canonicalText(a.value), canonicalText(b.value))) > 0
}

/** Builds the access record from a state. Deletions keep their time. */
function recordOf<A extends Access>(former: A, state: State, token: string): A {
  const merged = new Map([...state.fields].map(([field, values]) => [field, mergedValue(field, values)]))
  const record: Record<string, unknown> = { id: former.id }
  for (const field of accessRegisters) {
    const value = merged.get(field) ?? null
    if (value !== null) record[field] = value
  }
  const keys = [...merged].flatMap(([field, value]) => (field.startsWith(KEY) ? [[field.slice(KEY.length), value] as const] : []))
  if (keys.length > 0 || merged.get(DATA) === true) record['clientData'] = Object.fromEntries(keys)
  const serial = state.base + versionsIn(state.seen)
  if (serial > 0) record['serial'] = serial
  const [modified, modifiedBy] = (merged.get(EDITED) ?? [former.modified, former.modifiedBy]) as [Seconds, string]
  Object.assign(record, { modified, modifiedBy })
  if ('deleted' in former) record['deleted'] = former.deleted
  const algorithm = merged.get(ALGORITHM) ?? undefined
  // Every member of an access is a field.
  const access = sealed(record as unknown as A, algorithm as IntegrityAlgorithm | undefined, token)
  return inOrder({ ...access, ...causalOf(state, access) })
}

/** Sorts members and client-data keys, so that all nodes return the same text. */
function inOrder<A extends Access>(access: A): A {
  const members = new Map<string, unknown>(Object.entries(access))
  const data = access.clientData
  const entries = accessFieldNames.flatMap((name): [string, unknown][] => {
    if (name !== 'clientData' || data === undefined) return members.get(name) === undefined ? [] : [[name, members.get(name)]]
    return [[name, Object.fromEntries(Object.entries(data).sort(([a], [b]) => byText(a, b)))]]
  })
  return Object.fromEntries(entries) as unknown as A
}

/** Computes the integrity of an access with an algorithm; without one, none is set. */
function sealed<A extends Access>(access: A, algorithm: IntegrityAlgorithm | undefined, token: string): A {
  const { integrity: _, ...rest } = access
  const bare = rest as A
  if (algorithm === undefined) return inOrder(bare)
  return inOrder({ ...bare, integrity: accessIntegrity({ ...bare, token }, algorithm) })
}

/** Returns the causal state to store beside its record; undefined without edits. */
function causalOf({ seen, fields, absorbed }: State, access: Access): { causal?: Causal } {
  const merged = valuesByField(access)
  const by: [string, Dot][] = []
  const met: [string, [Dot, unknown][]][] = []
  for (const [field, values] of [...fields].sort(([a], [b]) => byText(a, b))) {
    const [first] = values
    // A set key implies client data, even where an edit removed the previous ones.
    const isShown = values.length === 1 && isSame(first?.value, merged.get(field) ?? null)
    if (values.length > 0 && !isShown) met.push([field, values.map(({ dot, value }) => [dot, value])])
    else if (first !== undefined && first.dot[1] > 0) by.push([field, first.dot])
  }
  if (seen.size === 0 && by.length === 0 && met.length === 0 && !absorbed) return {}
  const causal: Causal = {
    seen: Object.fromEntries([...seen].sort(([a], [b]) => byText(a, b))),
    ...(by.length > 0 ? { by: Object.fromEntries(by) } : {}),
    ...(met.length > 0 ? { met: Object.fromEntries(met) } : {}),
    ...(absorbed ? { absorbed } : {}),
  }
  return { causal }
}

/** Joins two copies of one access. Of two deletions, the later time wins. */
export function joinAccesses<A extends Access>(a: A, b: A, token: string): A {
  const joined = recordOf(a, joinStates(stateOf(a), stateOf(b)), token)
  const times = [a, b].flatMap((one) => ('deleted' in one && typeof one.deleted === 'number' ? [one.deleted] : []))
  return times.length === 0 ? joined : endedAt(joined, Math.max(...times), token)
}

/** Checks whether a record matches its causal state. */
export const isConsistent = (access: Access, token: string): boolean =>
  access.causal === undefined || isSame(recordOf(access, stateOf(access), token), access)

const endedAt = <A extends Access>(access: A, deleted: Seconds, token: string): A & { deleted: Seconds } =>
  sealed({ ...access, deleted }, algorithmIn('ACCESS', access.integrity), token)

/**
 * Records an edit: `actor`, which names the process, sets the fields in which `after` differs from `before`. The new
 * values supersede those in `before`. An edit that changes the serial creates a version.
 */
export function editAccess(before: Access, after: Access, actor: string): Access {
  const { causal: _, ...bare } = after
  const state = stateOf(before)
  const [edits, versions] = state.seen.get(actor) ?? [0, 0]
  const isVersion = (after.serial ?? 0) > (before.serial ?? 0)
  const dot: Dot = [actor, edits + 1, after.modified]
  const [from, to] = [valuesByField(before), valuesByField(bare)]
  for (const [field, value] of to) {
    // An update by the owner also acknowledges that another access lost its token.
    const isSet = field === ABSORBED ? isVersion && (state.fields.get(field) ?? []).length > 1 : !from.has(field) || !isSame(from.get(field), value)
    if (isSet) state.fields.set(field, [{ dot, value }])
  }
  for (const field of from.keys()) if (!to.has(field)) state.fields.delete(field)
  state.seen.set(actor, [edits + 1, versions + (isVersion ? 1 : 0)])
  return inOrder({ ...bare, ...causalOf(state, bare) })
}

/** Renames an access; every node that does so makes the same edit. */
export function renameAccess(access: Access, name: string, token: string): Access {
  const next = editAccess(access, { ...access, name, serial: (access.serial ?? 0) + 1 }, `=${name}`)
  return sealed(next, algorithmIn('ACCESS', next.integrity), token)
}

/** Maps the edits of an absorbed access into its absorber's. Nested ones are mapped already. */
const absorbedName = (id: string, actor: string): string =>
  actor.startsWith('@') ? actor : actor === '' ? `@${id}` : `@${id}/${actor}`

/** Lists the ids of the accesses that an access absorbed. */
export function absorbedBy({ causal }: Access): string[] {
  return Object.keys(causal?.seen ?? {}).flatMap((actor) => (/^@[^/]+$/.test(actor) ? [actor.slice(1)] : []))
}

/** Builds the deletion of an access whose token another one has; its registers stay, so that concurrent edits still count. */
export function absorbedDeletion<A extends Access>(access: A, deleted: Seconds, token: string): A & { deleted: Seconds } {
  const causal: Causal = { seen: {}, ...access.causal, absorbed: true }
  return endedAt({ ...access, causal }, deleted, token)
}

/** Builds the deletion of an access whose token was withdrawn with another access. */
export function withdrawnDeletion({ causal: _, ...access }: Access, deleted: Seconds, token: string): Access & { deleted: Seconds } {
  return endedAt(access, deleted, token)
}

/** Checks whether a deletion was caused by an absorption. */
export const isAbsorbed = ({ causal }: Pick<Access, 'causal'>): boolean => causal?.absorbed === true

/** Restricts an access by another with the same token: both sets of permissions must allow a call. */
export function absorbAccess(winner: Access, other: Access, token: string): Access {
  const { seen, fields } = stateOf(other)
  const initial: Dot = [absorbedName(other.id, ''), 1, other.created]
  const renamed = (dot: Dot): Dot => (dot[1] === 0 ? initial : [absorbedName(other.id, dot[0]), dot[1], dot[2]])
  const part: State = {
    seen: new Map([[initial[0], [1, 1]], ...[...seen].map(([actor, counts]) => [absorbedName(other.id, actor), counts] as const)]),
    fields: new Map(),
    base: 0,
    isPart: true,
    absorbed: false,
  }
  for (const field of accessRights) part.fields.set(field, (fields.get(field) ?? []).map(({ dot, value }) => ({ dot: renamed(dot), value })))
  const nested = (fields.get(ABSORBED) ?? []).filter(({ value }) => value !== null)
  part.fields.set(ABSORBED, [{ dot: initial, value: other.id }, ...nested])
  return recordOf(winner, joinStates(stateOf(winner), part), token)
}

/** Lifts the restrictions of an absorbed access once its owner has deleted it. */
export function releaseAbsorbed(access: Access, id: string, token: string): Access {
  const state = stateOf(access)
  const name = absorbedName(id, '')
  const counts = state.seen.get(name)
  if (counts === undefined) return access
  const isOf = ([actor]: Dot): boolean => actor === name || actor.startsWith(`${name}/`)
  for (const [field, values] of state.fields) state.fields.set(field, values.filter(({ dot }) => !isOf(dot)))
  state.seen.set(name, [Math.max(2, counts[0]), Math.max(2, counts[1])])
  return recordOf(access, state, token)
}

/** A field with concurrent values. */
interface ContestedField {
  field: string
  shown: unknown
  others: unknown[]
}

/** Lists the fields with different concurrent values; an update by the owner settles them. */
export function contestedFields(access: Access): ContestedField[] {
  const { fields } = stateOf(access)
  return [...fields].flatMap(([field, values]) => {
    if (values.length < 2 || UNREPORTED_FIELDS.has(field)) return []
    if (field === ABSORBED) return [{ field, shown: access.id, others: values.flatMap(({ value }) => value ?? []) }]
    const merged = mergedValue(field, values)
    const distinct = new Map(values.map(({ value }) => [canonicalText(value), value]))
    if (distinct.size < 2) return []
    distinct.delete(canonicalText(merged))
    return [{ field, shown: merged, others: [...distinct.values()] }]
  })
}
