/** Converts schema violations of a content to validation items (docs/interface/conventions.md#validation-items). */
import type { ErrorObject } from 'ajv'
import type { ValidationItem } from '../failure.js'

/** JSON pointer of the event content in the parameters of a call. */
const root = '#/content'

const codes: Readonly<Record<string, string>> = {
  additionalItems: 'ARRAY_LENGTH_LONG',
  additionalProperties: 'OBJECT_ADDITIONAL_PROPERTIES',
  anyOf: 'ANY_OF_MISSING',
  const: 'ENUM_MISMATCH',
  dependencies: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  enum: 'ENUM_MISMATCH',
  exclusiveMaximum: 'MAXIMUM_EXCLUSIVE',
  exclusiveMinimum: 'MINIMUM_EXCLUSIVE',
  format: 'FORMAT',
  maxItems: 'ARRAY_LENGTH_LONG',
  maxLength: 'MAX_LENGTH',
  maximum: 'MAXIMUM',
  minItems: 'ARRAY_LENGTH_SHORT',
  minLength: 'MIN_LENGTH',
  minimum: 'MINIMUM',
  multipleOf: 'MULTIPLE_OF',
  oneOf: 'ONE_OF_MISSING',
  pattern: 'PATTERN',
  required: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  type: 'INVALID_TYPE',
  uniqueItems: 'ARRAY_UNIQUE',
}

/** Returns the JSON type of a value as named in schemas. */
function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Creates the item of a value of the wrong type, at a pointer below the content. */
export function wrongType(expected: string, value: unknown, pointer = ''): ValidationItem {
  const found = typeName(value)
  const message = `Expected type ${expected} but found type ${found}`
  return { code: 'INVALID_TYPE', message, ...place(pointer), params: [expected, found] }
}

/** Creates the item of a content that could not be validated completely. */
export function notPassed(): ValidationItem {
  return { code: 'NOT_PASSED', message: 'The content could not be checked', ...place(''), params: [] }
}

/** Returns the path of a value, and the name of the property that contains it. */
function place(pointer: string): { path: string; param: string } {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  return { path: root + pointer, param: pointer === '' ? 'content' : unescaped(name) }
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function item(error: ErrorObject): ValidationItem {
  const { keyword, instancePath, params } = error
  const code = codes[keyword] ?? 'NOT_PASSED'
  if (keyword === 'type') return wrongType([params.type].flat().map(String).join(','), error.data, instancePath)
  if (code === 'OBJECT_MISSING_REQUIRED_PROPERTY') {
    const missing = String(params.missingProperty)
    const message = `Missing required property: ${missing}`
    return { code, message, path: `${root}${instancePath}/`, param: missing, params: [missing] }
  }
  if (keyword === 'additionalProperties') {
    const extra = String(params.additionalProperty)
    const message = `Additional properties not allowed: ${extra}`
    return { code, message, path: root + instancePath, param: extra, params: [extra] }
  }
  const { path, param } = place(instancePath)
  return { code, message: `${param}: ${error.message ?? 'not valid'}`, path, param, params: limits(error) }
}

/** Returns the constraint of the schema: bound, pattern or allowed values. */
function limits({ keyword, params }: ErrorObject): unknown[] {
  if (keyword === 'enum') return [params.allowedValues].flat()
  if (keyword === 'const') return [params.allowedValue]
  const limit: unknown = params.limit ?? params.pattern ?? params.format ?? params.multipleOf
  return limit === undefined ? [] : [limit]
}

/**
 * Returns the items of a failed validation, `max` at most. Omits violations inside single alternatives of a `oneOf` or
 * `anyOf`, because the content need not satisfy each; the keyword itself stays.
 */
export function validationItems(errors: readonly ErrorObject[], max: number): ValidationItem[] {
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
  const described = errors.filter(
    (error) =>
      !choices.some(
        (choice) =>
          error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
          (error.instancePath === choice.instancePath || error.instancePath.startsWith(`${choice.instancePath}/`)),
      ),
  )
  return described.slice(0, max).map(item)
}
