/** Registry of the event types in use: known types, content validation, series fields (docs/interface/event-types.md). */
import type { ValidateFunction } from 'ajv'
import type { ValidationItem } from '../failure.js'
import { JsonText, plainValue } from '../jsonText.js'
import { createCompiler } from './compile.js'
import type { Compiler } from './compile.js'
import type { EventTypeDirectory } from './directory.js'
import { notPassed, validationItems, wrongType } from './items.js'
import type { Schema } from './schema.js'
import { isSeriesType, SERIES_PREFIX, seriesColumns, seriesFields, type SeriesFields, type SeriesType } from './series.js'

export interface EventTypes {
  /** Source document of the types. */
  readonly directory: EventTypeDirectory
  /** Checks whether the directory contains this `class/format`; false for `series:` types. */
  knows(type: string): boolean
  /**
   * Validates a content; returns its violations, or undefined when valid. An absent content counts as null. Any content is valid
   * for types outside the directory (docs/interface/event-types.md#validation). Never throws.
   */
  check(type: string, content: unknown): ValidationItem[] | undefined
  /** Returns the structure of a `series:<class/format>` event; undefined when its element type is unknown or has no columns. */
  seriesType(type: string): SeriesType | undefined
  /** Returns the fields of points of a `series:<class/format>` event; undefined as with `seriesType`. */
  seriesFields(type: string): SeriesFields | undefined
}

type Check = (content: unknown) => ValidationItem[] | undefined

/** For content with more values, only the first violation is reported, to bound memory. */
const maxExamined = 2000

const maxItems = 100

/** Keywords without conditions. */
const annotations = new Set(['type', 'title', 'description', 'symbol', 'attachmentRequired', 'attrs'])

const plainTypes: Readonly<Record<string, (content: unknown) => boolean>> = {
  number: Number.isFinite,
  string: (content) => typeof content === 'string',
  boolean: (content) => typeof content === 'boolean',
  null: (content) => content === null,
}

/** Returns the check of a schema that only requires one basic type, as most types do. */
function plainCheck(schema: Schema): Check | undefined {
  const { type } = schema
  if (typeof type !== 'string' || !Object.hasOwn(plainTypes, type)) return undefined
  const accepts = plainTypes[type]
  if (!accepts || !Object.keys(schema).every((keyword) => annotations.has(keyword))) return undefined
  return (content) => (accepts(content) ? undefined : [wrongType(type, content)])
}

/** Checks whether a value contains at most `maxExamined` values. Iterative, since the sender controls the depth. */
function isSmall(value: unknown): boolean {
  const waiting: unknown[] = [value]
  for (let seen = 0; seen < waiting.length; seen += 1) {
    const next = waiting[seen]
    if (typeof next !== 'object' || next === null) continue
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next)
    if (waiting.length + inner.length > maxExamined) return false
    waiting.push(...inner)
  }
  return true
}

/** Returns the check of any other schema, compiled when first used. */
function schemaCheck(schema: Schema, compiler: Compiler): Check {
  let first: ValidateFunction | undefined
  let all: ValidateFunction | undefined
  return (content) => {
    try {
      first ??= compiler.compile(schema, 'first')
      if (first(content)) return undefined
      let failed = first
      if (isSmall(content)) {
        failed = all ??= compiler.compile(schema, 'all')
        failed(content)
      }
      const items = validationItems(failed.errors ?? [], maxItems)
      // The errors reference the content.
      first.errors = failed.errors = null
      return items.length > 0 ? items : [notPassed()]
    } catch {
      // A self-referencing schema overflows the stack on deeply nested content.
      return [notPassed()]
    }
  }
}

/**
 * Creates the registry of a directory from `builtInDirectory` or `readDirectory`. Schemas are compiled when a type is first
 * used; schemas of a plain number, string, boolean or null are never compiled.
 */
export function createEventTypes(directory: EventTypeDirectory): EventTypes {
  const schemas = new Map(Object.entries(directory.types))
  const checks = new Map<string, Check>()
  const fields = new Map<string, SeriesFields>()
  const compiler = createCompiler({ checkSchemas: false })

  /** Creates the check of a known type. Unknown types are not cached, since clients may invent any number of them. */
  function newCheck(type: string): Check | undefined {
    const schema = schemas.get(type)
    if (!schema) return undefined
    const check = plainCheck(schema) ?? schemaCheck(schema, compiler)
    checks.set(type, check)
    return check
  }

  /** Returns the element schema of a `series:` type. */
  function elementSchema(type: string): Schema | undefined {
    return isSeriesType(type) ? schemas.get(type.slice(SERIES_PREFIX.length)) : undefined
  }

  return {
    directory,
    knows: (type) => schemas.has(type),
    check(type, content) {
      const check = checks.get(type) ?? newCheck(type)
      if (check === undefined || (content instanceof JsonText && content.fits === type)) return undefined
      return check(plainValue(content) ?? null)
    },
    seriesType(type) {
      const schema = elementSchema(type)
      const columns = schema && seriesColumns(schema)
      return columns && { elementType: type.slice(SERIES_PREFIX.length), ...columns }
    },
    seriesFields(type) {
      const known = fields.get(type)
      const schema = known === undefined ? elementSchema(type) : undefined
      if (schema === undefined || seriesColumns(schema) === undefined) return known
      const found = seriesFields(schema)
      fields.set(type, found)
      return found
    },
  }
}
