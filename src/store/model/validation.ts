/**
 * Validates input with zod schemas and converts issues to the validation items of the API
 * (docs/interface/conventions.md#validation-items).
 */
import type * as z from 'zod'
import { invalidFormat, type ValidationItem } from './failure.js'
import { findOversized, hasAtMost, type Oversized } from './inputBounds.js'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Maximum number of validation items in a failure, and of names in one item. */
export const MAX_VALIDATION_ITEMS = 10
/** Maximum length of a path or name repeated in a failure. */
const MAX_NAME_LENGTH = 100
/** Maximum number of members of input that is validated completely, for a failure with up to ten problems. */
const MAX_FULLY_VALIDATED = 1000

/** Result of a check: the output of the schema, or at least one issue. */
type Checked<T> = { success: true; data: T } | { success: false; issues: readonly Issue[] }

/**
 * Checks a value with a schema, in bounded time. Checks sizes before items. Reports every problem of a small value, and the
 * first of a large one.
 */
export function checkInput<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  const oversized = findOversized(schema, value)
  if (oversized !== undefined) return { success: false, issues: [oversizedIssue(oversized, value)] }
  const result = schema.safeParse(value, FIRST_PROBLEM)
  if (result.success) return result
  const error = hasAtMost(MAX_FULLY_VALIDATED, value) ? schema.safeParse(value, EVERY_PROBLEM).error : undefined
  return { success: false, issues: (error ?? result.error).issues }
}

const EVERY_PROBLEM = { reportInput: true }
/** `abortEarly` is an option of zod's own `validate`: containers stop at the first invalid item. */
const FIRST_PROBLEM = { reportInput: true, abortEarly: true }

const oversizedIssue = ({ path, isMap, max }: Oversized, input: unknown): Issue => ({
  code: 'too_big',
  origin: isMap ? 'object' : 'array',
  maximum: max,
  inclusive: true,
  path: [...path],
  message: `Expected at most ${max} ${isMap ? 'properties' : 'items'}.`,
  input,
})

/**
 * Parses a value with a schema and returns the schema's output.
 * @throws Failure `invalid-parameters-format` with at most MAX_VALIDATION_ITEMS validation items
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = checkInput(schema, value)
  if (result.success) return result.data
  throw invalidFormat(zodItems(result))
}

/**
 * Returns the first MAX_VALIDATION_ITEMS validation items of a zod error. `root` prefixes every path: `update` gives
 * `#/update/name`.
 * Items never contain values, which may be secrets. Without `reportInput`, only a message names missing properties.
 * A refinement sets its code with `params: { code }`; the default is `NOT_PASSED`.
 */
export function zodItems({ issues }: { issues: readonly Issue[] }, root?: string): ValidationItem[] {
  const items: ValidationItem[] = []
  for (const issue of issues) {
    items.push(...itemsOf(issue, root === undefined ? [] : [root]))
    if (items.length >= MAX_VALIDATION_ITEMS) break
  }
  return items.slice(0, MAX_VALIDATION_ITEMS)
}

function itemsOf(issue: Issue, base: Path): ValidationItem[] {
  const path = [...base, ...issue.path]
  const item = (code: string, params?: unknown[], message = issue.message): ValidationItem[] => [
    { code, message, path: pointer(path), ...(params && { params }) },
  ]
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'never') return unexpected(path)
      return isMissing(issue) ? missing(path, issue.message) : item('INVALID_TYPE', [issue.expected])
    case 'invalid_value':
      return isMissing(issue) ? missing(path, issue.message) : item('ENUM_MISMATCH', [issue.values])
    case 'unrecognized_keys':
      return unexpectedIn(path, issue.keys)
    case 'invalid_key':
      return unexpected(path)
    case 'invalid_format':
      return issue.format in patterned ? item('PATTERN', patternOf(issue)) : item('FORMAT', [issue.format])
    case 'not_multiple_of':
      return item('MULTIPLE_OF', [issue.divisor])
    case 'too_small':
      return item(lowerBound(issue.origin, issue.inclusive), [issue.minimum])
    case 'too_big':
      return item(upperBound(issue.origin, issue.inclusive), [issue.maximum])
    case 'invalid_union':
      return unionItems(issue, path)
    case 'invalid_element':
      return issue.issues.flatMap((inner) => itemsOf(inner, path))
    case 'custom':
      return item(typeof issue.params?.code === 'string' ? issue.params.code : 'NOT_PASSED')
  }
}

/** Formats implemented as patterns. */
const patterned = { regex: true, starts_with: true, ends_with: true, includes: true, lowercase: true, uppercase: true }

function patternOf(issue: z.core.$ZodIssueInvalidStringFormat): string[] | undefined {
  return issue.pattern === undefined ? undefined : [issue.pattern]
}

function lowerBound(origin: string, inclusive: boolean | undefined): string {
  if (origin === 'string') return 'MIN_LENGTH'
  if (origin === 'array' || origin === 'set') return 'ARRAY_LENGTH_SHORT'
  return inclusive === false ? 'MINIMUM_EXCLUSIVE' : 'MINIMUM'
}

function upperBound(origin: string, inclusive: boolean | undefined): string {
  if (origin === 'string') return 'MAX_LENGTH'
  if (origin === 'array' || origin === 'set') return 'ARRAY_LENGTH_LONG'
  if (origin === 'object') return 'OBJECT_PROPERTIES_MAXIMUM'
  return inclusive === false ? 'MAXIMUM_EXCLUSIVE' : 'MAXIMUM'
}

/** Returns the items of the only matching branch of a union; without a branch of the right type it is a type error. */
function unionItems(issue: z.core.$ZodIssueInvalidUnion, path: Path): ValidationItem[] {
  const at = (code: string, params?: unknown[]): ValidationItem[] => [
    { code, message: issue.message, path: pointer(path), ...(params && { params }) },
  ]
  if (isMissing(issue)) return missing(path, issue.message)
  if (issue.discriminator !== undefined) {
    return hasMember(issue.input, issue.discriminator)
      ? at('ENUM_MISMATCH', 'options' in issue ? [issue.options] : undefined)
      : missing(path, issue.message)
  }
  if (issue.errors.length === 0) return at('ONE_OF_MISSING')
  const fitting = issue.errors.filter((branch) => !branch.some((inner) => isOfType(inner) && inner.path.length === 0))
  if (fitting.length > 1) return at('ANY_OF_MISSING')
  if (fitting[0]) return fitting[0].flatMap((inner) => itemsOf(inner, path))
  const expected = issue.errors.flat().filter(isOfType)
  if (expected.every((inner) => inner.code === 'invalid_value')) return at('ENUM_MISMATCH')
  return at('INVALID_TYPE', [expected.map((inner) => ('expected' in inner ? inner.expected : 'constant'))])
}

function isOfType(issue: Issue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value'
}

function isMissing(issue: Issue): boolean {
  if (issue.path.length === 0) return false
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) return false
  if ('input' in issue) return issue.input === undefined
  return issue.code === 'invalid_type' && / received undefined$/.test(issue.message)
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}

/** Creates the item of a missing property; its path is that of the containing object, with a final slash. */
function missing(path: Path, message: string): ValidationItem[] {
  const holder = pointer(path.slice(0, -1))
  return [
    {
      code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
      message: / received undefined$/.test(message) ? `Missing required property: ${String(path.at(-1))}` : message,
      path: holder.endsWith('/') ? holder : holder + '/',
      params: [String(path.at(-1))],
    },
  ]
}

const unexpected = (path: Path): ValidationItem[] => unexpectedIn(path.slice(0, -1), [String(path.at(-1))])

function unexpectedIn(path: Path, names: string[]): ValidationItem[] {
  const named = names.slice(0, MAX_VALIDATION_ITEMS).map(shortened)
  const more = names.length > named.length ? ` and ${names.length - named.length} more` : ''
  const message = `Additional properties not allowed: ${named.join(', ')}${more}`
  return [{ code: 'OBJECT_ADDITIONAL_PROPERTIES', message, path: pointer(path), params: [named] }]
}

function pointer(path: Path): string {
  return '#/' + path.map((name) => shortened(String(name)).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}

/** Truncates a name from a client to the length that failures repeat. */
const shortened = (name: string): string => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name)
