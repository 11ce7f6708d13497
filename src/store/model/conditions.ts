/**
 * Parses and evaluates conditions on an event's content or client data: path, operator, value
 * (docs/interface/events.md#conditions).
 */
import { invalidFormat } from './failure.js'
import { isJsonObject } from './json.js'
import { plainValue } from './jsonText.js'

type Scalar = string | number | boolean

type Comparison =
  | { operator: 'eq' | 'neq'; value: Scalar }
  | { operator: 'in'; value: readonly Scalar[] }
  | { operator: 'exists'; value: boolean }
  | { operator: 'gt' | 'gte' | 'lt' | 'lte'; value: number }
  | { operator: 'prefix'; value: string }

/** A condition. `path` lists member names from the root; empty for the value itself (`$`). */
type Condition = Comparison & { readonly path: readonly string[] }

const maxConditions = 10
const maxValues = 100
const pathPattern = /^[a-zA-Z0-9_:-]+(\.[a-zA-Z0-9_:-]+)*$/

/**
 * Parses the `content` or `clientData` parameter: an array of conditions or its JSON text. Absent means none.
 * @throws Failure `invalid-parameters-format` with the parameter and the 1-based number of the condition
 */
export function parseConditions(raw: unknown, parameter: 'content' | 'clientData'): Condition[] {
  if (raw === undefined) return []
  const list = typeof raw === 'string' ? fromText(raw) : raw
  if (!Array.isArray(list)) throw refusal(parameter, 'INVALID_TYPE', 'must be an array of conditions or its JSON text')
  if (list.length > maxConditions) {
    throw refusal(parameter, 'ARRAY_LENGTH_LONG', `at most ${maxConditions} conditions are allowed`)
  }
  return list.map((item: unknown, index) => {
    const condition = toCondition(item)
    if (typeof condition === 'string') throw refusal(parameter, 'INVALID_TYPE', condition, index)
    return condition
  })
}

function fromText(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text)
    return parsed
  } catch {
    return undefined
  }
}

function refusal(parameter: string, code: string, reason: string, index?: number): Error {
  const where = index === undefined ? '' : `, condition ${index + 1}`
  const path = index === undefined ? `#/${parameter}` : `#/${parameter}/${index}`
  return invalidFormat([{ code, message: `Error in '${parameter}' parameter${where}: ${reason}`, path }])
}

/** Parses a condition; returns the reason as text when it is invalid. */
function toCondition(item: unknown): Condition | string {
  if (!isJsonObject(item)) return 'must be an object'
  const members = new Map<string, unknown>(Object.entries(item))
  const path = members.get('path')
  if (typeof path !== 'string') return "'path' must be a string"
  if (path !== '$' && !pathPattern.test(path)) return "'path' must be '$' or names joined by dots"
  members.delete('path')
  const [entry, ...others] = members
  if (entry === undefined || others.length > 0) return 'must have exactly one operator'
  const comparison = toComparison(...entry)
  return typeof comparison === 'string' ? comparison : { ...comparison, path: path === '$' ? [] : path.split('.') }
}

function toComparison(operator: string, value: unknown): Comparison | string {
  switch (operator) {
    case 'eq':
    case 'neq':
      return isScalar(value) ? { operator, value } : `'${operator}' takes a string, a finite number or a boolean`
    case 'in':
      return Array.isArray(value) && value.length >= 1 && value.length <= maxValues && value.every(isScalar)
        ? { operator, value }
        : `'in' takes 1 to ${maxValues} strings, finite numbers or booleans`
    case 'exists':
      return typeof value === 'boolean' ? { operator, value } : "'exists' takes a boolean"
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isFinite(value) ? { operator, value } : `'${operator}' takes a finite number`
    case 'prefix':
      return typeof value === 'string' && value !== '' ? { operator, value } : "'prefix' takes a non-empty string"
    default:
      return `unknown operator '${operator.slice(0, 50)}'`
  }
}

const isFinite = (value: unknown): value is number => Number.isFinite(value)

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || isFinite(value)

/** Checks whether a value meets every condition: an event's content or client data, undefined without one. */
export function matchesConditions(conditions: readonly Condition[], value: unknown): boolean {
  if (conditions.length === 0) return true
  const plain = plainValue(value)
  return conditions.every((condition) => meets(condition, valueAt(plain, condition.path)))
}

/** Returns the value at a path of own members, without descending into arrays; undefined if there is none. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const name of path) {
    if (!isJsonObject(current) || !Object.hasOwn(current, name)) return undefined
    current = plainValue(current[name])
  }
  return current
}

function meets(condition: Comparison, found: unknown): boolean {
  switch (condition.operator) {
    case 'eq':
      return found === condition.value
    case 'neq':
      return found !== undefined && found !== condition.value
    case 'in':
      return condition.value.some((value) => value === found)
    case 'exists':
      return (found !== undefined) === condition.value
    case 'gt':
      return typeof found === 'number' && found > condition.value
    case 'gte':
      return typeof found === 'number' && found >= condition.value
    case 'lt':
      return typeof found === 'number' && found < condition.value
    case 'lte':
      return typeof found === 'number' && found <= condition.value
    case 'prefix':
      return typeof found === 'string' && found.startsWith(condition.value)
  }
}
