/** Validates accesses received from other nodes, member by member; code that reads them later does not check again. */
import { ACCESS_ID, isAlias, LEVELS, type Access, type AccessDeletion } from '../../store/model/access.js'
import { requiredAccessFields } from '../../store/model/accesses/fields.js'
import { isAccessField } from '../../store/model/accessMerge.js'
import { accessIntegrity, algorithmIn } from '../../store/model/integrity.js'
import { isJsonObject } from '../../store/model/json.js'
import { MAX_JSON_DEPTH } from '../../store/model/jsonDepth.js'
import type { Secret } from '../../store/model/secret.js'
import { isReservedToken } from '../../store/model/slug.js'

/** Maximum serial number, beyond practical use; per-version records are removed with the access. */
const MAX_SERIAL = 100_000

const SETTINGS: readonly unknown[] = ['forbidden', 'allowed']

type Test = (value: unknown) => boolean

const isText: Test = (value) => typeof value === 'string' && value !== ''
const isNumber: Test = (value) => typeof value === 'number' && Number.isFinite(value)
const isTexts: Test = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')
const isOf = (values: readonly unknown[]): Test => (value) => values.includes(value)

const isSerial: Test = (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SERIAL

function isWithinDepth(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth < MAX_JSON_DEPTH && Object.values(value).every((member) => isWithinDepth(member, depth + 1))
}

const PERMISSIONS: readonly Readonly<Record<string, Test>>[] = [
  { streamId: isText, level: isOf(LEVELS) },
  { tag: isText, level: isOf(LEVELS) },
  { feature: isText, setting: isOf(SETTINGS) },
  { feature: isText, setting: isOf(SETTINGS), streams: isTexts },
]

const isPermission: Test = (value) =>
  isJsonObject(value) &&
  PERMISSIONS.some((form) => {
    const names = Object.keys(value)
    return names.length === Object.keys(form).length && names.every((name) => form[name]?.(value[name]) === true)
  })

/** Maximum number of processes that edit one access, beyond practical use. */
const MAX_ACTORS = 10_000
/** Maximum number of concurrent values of one field, beyond practical use. */
const MAX_VALUES = 1000

const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_SERIAL
const isDot: Test = (value) =>
  Array.isArray(value) && value.length === 3 && typeof value[0] === 'string' && isCount(value[1]) && isNumber(value[2])
const isCounts: Test = (value) => Array.isArray(value) && value.length === 2 && value.every(isCount)
const isEach = (value: unknown, isOne: (member: unknown, name: string) => boolean): boolean =>
  isJsonObject(value) && Object.entries(value).length <= MAX_ACTORS && Object.entries(value).every(([name, one]) => isOne(one, name))

/** Checks whether a record may have this value of a contested field. */
function isValueOf(field: string, value: unknown): boolean {
  if (!isAccessField(field)) return false
  if (field === 'edited') return Array.isArray(value) && value.length === 2 && isNumber(value[0]) && isText(value[1])
  if (field === 'algorithm') return value === null || algorithmIn('ACCESS', `ACCESS:0:${String(value)}-`) === value
  if (field === 'clientData') return value === null || value === true
  if (field === 'token') return value === null || (typeof value === 'string' && ACCESS_ID.test(value))
  if (field.startsWith('c:')) return value !== undefined
  return (value === null && !REQUIRED.has(field)) || testOf(field)?.(value) === true
}

const isValues = (values: unknown, field: string): boolean =>
  Array.isArray(values) &&
  values.length > 0 &&
  values.length <= MAX_VALUES &&
  values.every((one) => Array.isArray(one) && one.length === 2 && isDot(one[0]) && isValueOf(field, one[1]))

/** Checks whether a value is the causal state of an access (store/model/accessMerge.ts). */
function isCausal(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { seen, by = {}, met = {}, absorbed = true, ...others } = value
  return (
    Object.keys(others).length === 0 &&
    isEach(seen, isCounts) &&
    isEach(by, (dot, field) => isAccessField(field) && isDot(dot)) &&
    isEach(met, isValues) &&
    absorbed === true
  )
}

const TESTS: Readonly<Record<keyof AccessDeletion, Test>> = {
  id: (value) => typeof value === 'string' && ACCESS_ID.test(value),
  type: isOf(['app', 'shared']),
  name: isText,
  deviceName: (value) => typeof value === 'string',
  permissions: (value) => Array.isArray(value) && value.every(isPermission),
  expires: isNumber,
  clientData: isJsonObject,
  alias: (value) => typeof value === 'string' && isAlias(value),
  serial: isSerial,
  manager: (value) => typeof value === 'string' && ACCESS_ID.test(value),
  created: isNumber,
  createdBy: isText,
  modified: isNumber,
  modifiedBy: isText,
  deleted: isNumber,
  integrity: isText,
  causal: isCausal,
}

const testOf = (name: string): Test | undefined => (Object.hasOwn(TESTS, name) ? TESTS[name as keyof typeof TESTS] : undefined)

const REQUIRED: ReadonlySet<string> = new Set(requiredAccessFields)

/** Returns the error of an app or shared access, or of its deletion, with its token; undefined when valid. */
export function accessFault(access: Access | AccessDeletion, token: Secret<string>): string | undefined {
  const members: unknown = access
  if (!isJsonObject(members)) return 'It is not an access.'
  if (!isWithinDepth(members)) return 'It is nested too deeply.'
  for (const name of requiredAccessFields) {
    if (!Object.hasOwn(members, name) || !TESTS[name](members[name])) return `Its ${name} is invalid.`
  }
  for (const [name, value] of Object.entries(members)) {
    if (REQUIRED.has(name)) continue
    const isFit = testOf(name)
    if (isFit === undefined) return 'It has an unknown member.'
    if (!isFit(value)) return `Its ${name} is invalid.`
  }
  const secret: unknown = token.reveal()
  if (!isText(secret) || isReservedToken(token.reveal())) return 'Its token is invalid.'
  const { integrity } = access
  if (integrity === undefined) return undefined
  const algorithm = algorithmIn('ACCESS', integrity)
  if (algorithm === undefined) return 'Its integrity has an unknown algorithm.'
  const isWhole = accessIntegrity({ ...access, token: token.reveal() }, algorithm) === integrity
  return isWhole ? undefined : 'It does not match its integrity.'
}
