/** Event types in use: which are known, what content they take, what series of them hold (specification, "Event"). */
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
  /** The document the types come from. */
  readonly directory: EventTypeDirectory
  /** Whether the directory holds this `class/format`; `series:` types are never held. */
  knows(type: string): boolean
  /**
   * What a content violates, or undefined when it is fine. An absent content counts as null, and any content is fine
   * for a type the directory does not hold (data supplement 16.2). Never throws, whatever the content.
   */
  check(type: string, content: unknown): ValidationItem[] | undefined
  /** What a `series:<class/format>` event holds; undefined when its element type is not known or has no columns. */
  seriesType(type: string): SeriesType | undefined
  /** What the points of a `series:<class/format>` event can have; undefined as with `seriesType`. */
  seriesFields(type: string): SeriesFields | undefined
}

type Check = (content: unknown) => ValidationItem[] | undefined

/** Of content with more values than this only the first violation is told: a list of all could exhaust the memory. */
const maxExamined = 2000

const maxItems = 100

/** Keywords that ask for nothing. */
const annotations = new Set(['type', 'title', 'description', 'symbol', 'attachmentRequired', 'attrs'])

const plainTypes: Readonly<Record<string, (content: unknown) => boolean>> = {
  number: Number.isFinite,
  string: (content) => typeof content === 'string',
  boolean: (content) => typeof content === 'boolean',
  null: (content) => content === null,
}

/** The check of a schema that asks for one basic type and nothing else, which most types do. */
function plainCheck(schema: Schema): Check | undefined {
  const { type } = schema
  if (typeof type !== 'string' || !Object.hasOwn(plainTypes, type)) return undefined
  const accepts = plainTypes[type]
  if (!accepts || !Object.keys(schema).every((keyword) => annotations.has(keyword))) return undefined
  return (content) => (accepts(content) ? undefined : [wrongType(type, content)])
}

/** Whether a value holds at most `mostExamined` values. Walks without recursion: the depth is the sender's choice. */
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

/** The check of any other schema, compiled when first used. */
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
      // The errors hold on to the content.
      first.errors = failed.errors = null
      return items.length > 0 ? items : [notPassed()]
    } catch {
      // A schema that refers to itself runs out of stack on content nested deeply enough.
      return [notPassed()]
    }
  }
}

/**
 * The event types of a directory, which comes from `builtInDirectory` or `readDirectory`. Schemas are compiled when a
 * type is first used; one that asks for a plain number, string, boolean or null is never compiled.
 */
export function createEventTypes(directory: EventTypeDirectory): EventTypes {
  const schemas = new Map(Object.entries(directory.types))
  const checks = new Map<string, Check>()
  const fields = new Map<string, SeriesFields>()
  const compiler = createCompiler({ checkSchemas: false })

  /** Makes the check of a known type; unknown types leave no trace, since anybody may invent any number of them. */
  function newCheck(type: string): Check | undefined {
    const schema = schemas.get(type)
    if (!schema) return undefined
    const check = plainCheck(schema) ?? schemaCheck(schema, compiler)
    checks.set(type, check)
    return check
  }

  /** The schema behind a `series:` type. */
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
