/** Validation: refusals of zod schemas as the validation items that clients know (data supplement 1.9). */
import type * as z from 'zod'
import { invalidFormat, type ValidationItem } from './failure.js'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/**
 * Parses a value with a schema and returns the schema's output.
 * @throws Failure `invalid-parameters-format` with every validation item
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  throw invalidFormat(zodItems(result.error))
}

/**
 * The validation items of a zod error. `root` is put before every path: `update` gives `#/update/name`.
 * Values are never repeated in items: they may be secrets. Without `reportInput`, only a message tells what is missing.
 * A refinement chooses its code by `params: { code }`; otherwise it is `NOT_PASSED`.
 */
export function zodItems(error: z.core.$ZodError, root?: string): ValidationItem[] {
  return error.issues.flatMap((issue) => itemsOf(issue, root === undefined ? [] : [root]))
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

/** Formats that are patterns in disguise. */
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
  return inclusive === false ? 'MAXIMUM_EXCLUSIVE' : 'MAXIMUM'
}

/** A union says what its one fitting branch says; with no branch of the right type it is a matter of type. */
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

/** The path of a missing property is that of the object it is missing in, with a final slash. */
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
  const message = `Additional properties not allowed: ${names.join(', ')}`
  return [{ code: 'OBJECT_ADDITIONAL_PROPERTIES', message, path: pointer(path), params: [names] }]
}

function pointer(path: Path): string {
  return '#/' + path.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}
