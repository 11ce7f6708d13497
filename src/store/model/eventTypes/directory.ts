/**
 * Event-type directory documents: the built-in one, its two forms, and external ones (docs/interface/event-types.md#directory).
 */
import * as z from 'zod'
import { errorMessage } from '../errorMessage.js'
import { isJsonObject } from '../json.js'
import { createCompiler } from './compile.js'
import { classNames, formatNames } from './names.js'
import type { ClassNames, FormatNames } from './names.js'
import type { Schema } from './schema.js'
import { typeSets } from './sets.js'
import type { TypeSet } from './sets.js'
import { numericFormats, otherTypes, schemaSymbols, tableVersion } from './table.js'

/** The flat form, with schemas by `class/format`. */
export interface EventTypeDirectory {
  version: string
  types: Record<string, Schema>
  extras: Record<string, FormatNames>
  classes: Record<string, ClassNames>
  sets: Record<string, TypeSet>
}

/** The hierarchical form, with schemas by format inside their class. */
interface HierarchicalDirectory extends Omit<EventTypeDirectory, 'types' | 'classes'> {
  classes: Record<string, Partial<ClassNames> & { formats: Record<string, Schema> }>
}

/** Builds the directory of the built-in table; a new document at each call. */
export function builtInDirectory(): EventTypeDirectory {
  const types: Record<string, Schema> = { ...otherTypes }
  for (const [className, formats] of Object.entries(numericFormats)) {
    for (const format of formats.split(' ')) {
      const type = `${className}/${format}`
      const symbol = schemaSymbols[type]
      types[type] = symbol === undefined ? { type: 'number' } : { type: 'number', symbol }
    }
  }
  const names = Object.keys(types).sort()
  return {
    version: tableVersion,
    types: Object.fromEntries(names.map((name) => [name, types[name] ?? {}])),
    extras: formatNames(names),
    classes: classNames(names, (className) => Object.hasOwn(numericFormats, className)),
    sets: typeSets(),
  }
}

/** Converts a directory to its hierarchical form. */
export function hierarchical(directory: EventTypeDirectory): HierarchicalDirectory {
  const classes = new Map<string, Partial<ClassNames> & { formats: Record<string, Schema> }>()
  for (const [type, schema] of Object.entries(directory.types)) {
    const [className = '', format = ''] = type.split('/')
    const known = classes.get(className) ?? { ...directory.classes[className], formats: {} }
    known.formats[format] = schema
    classes.set(className, known)
  }
  const { version, extras, sets } = directory
  return { version, classes: Object.fromEntries(classes), extras, sets }
}

/** `class/format`. Invalid names are harmless; `class/*` documents a class with free formats. */
const typeName = /^[^/]+\/[^/]+$/

/** Maximum nesting depth of a schema. */
const deepest = 100

const localized = z.record(z.string(), z.string())
const formatEntry = z.object({ name: localized, symbol: z.string().exactOptional() })
const classEntry = z.object({ description: z.string(), extras: z.object({ name: localized }) })
const setEntry = z.object({ name: localized, description: z.string(), types: z.record(z.string(), z.array(z.string())) })

/**
 * Reads an external directory document, in flat or hierarchical form, and merges it over the built-in one: its members
 * override, lists are replaced, and a schema of another `type` replaces the built-in schema entirely. Entries of names,
 * classes and sets with an unexpected shape are ignored.
 * @throws Error naming the first type with an invalid schema; nothing of such a document is used
 */
export function readDirectory(document: unknown): EventTypeDirectory {
  if (!isJsonObject(document)) throw new Error('an event-type directory must be a JSON object')
  const given = schemasOf(document)
  const builtIn = builtInDirectory()
  const merged = given.map(([type, schema]): [string, Schema] => [
    type,
    mergedSchema(builtIn.types[type] ?? {}, schema, `the schema of event type ${type}`),
  ])
  const compiler = createCompiler({ checkSchemas: true })
  for (const [type, schema] of merged) {
    try {
      if (JSON.stringify(schema) === JSON.stringify(builtIn.types[type])) continue
      compiler.compile(schema, 'first')
    } catch (cause) {
      const reason = errorMessage(cause)
      throw new Error(`the schema of event type ${type} is not valid: ${reason}`, { cause })
    }
  }
  return {
    version: typeof document.version === 'string' ? document.version : builtIn.version,
    types: { ...builtIn.types, ...Object.fromEntries(merged) },
    extras: { ...builtIn.extras, ...entriesOf(document.extras, formatEntry) },
    classes: { ...builtIn.classes, ...entriesOf(document.classes, classEntry) },
    sets: { ...builtIn.sets, ...entriesOf(document.sets, setEntry) },
  }
}

/** Returns the schemas of a document by type name. Throws when it has none or one of them is not an object. */
function schemasOf(document: Schema): [string, Schema][] {
  const { types, classes } = document
  const found: [string, unknown][] = isJsonObject(types) ? Object.entries(types) : []
  const grouped = (isJsonObject(classes) ? Object.entries(classes) : []).filter(
    ([, described]) => isJsonObject(described) && described.formats !== undefined,
  )
  for (const [className, described] of grouped) {
    const formats = isJsonObject(described) ? described.formats : undefined
    if (!isJsonObject(formats)) throw new Error(`the formats of event-type class ${className} must be a JSON object`)
    for (const [format, schema] of Object.entries(formats)) found.push([`${className}/${format}`, schema])
  }
  if (types === undefined ? grouped.length === 0 : !isJsonObject(types)) {
    throw new Error('an event-type directory must have `types`, or `classes` with `formats`')
  }
  return found.map(([type, schema]) => {
    if (!typeName.test(type)) throw new Error(`${JSON.stringify(type)} is not the name of an event type`)
    if (!isJsonObject(schema)) throw new Error(`the schema of event type ${type} must be a JSON object`)
    return [type, schema]
  })
}

function mergedSchema(base: Schema, over: Schema, subject: string, depth = 0): Schema {
  if (depth > deepest) throw new Error(`${subject} is nested too deeply`)
  const old = new Map(typeOf(over) === undefined || typeOf(over) === typeOf(base) ? Object.entries(base) : [])
  for (const [key, value] of Object.entries(over)) {
    const before = old.get(key)
    old.set(key, isJsonObject(value) ? mergedSchema(isJsonObject(before) ? before : {}, value, subject, depth + 1) : value)
  }
  return Object.fromEntries(old)
}

/** Returns the type of a schema as comparable text; undefined when `type` is absent, or is a property of that name. */
function typeOf({ type }: Schema): string | undefined {
  return typeof type === 'string' || Array.isArray(type) ? JSON.stringify(type) : undefined
}

/** Returns the entries of a section that have the expected shape. */
function entriesOf<T>(section: unknown, shape: z.ZodType<T>): Record<string, T> {
  const entries = isJsonObject(section) ? Object.entries(section) : []
  return Object.fromEntries(
    entries.flatMap(([key, value]): [string, T][] => {
      const parsed = shape.safeParse(value)
      return parsed.success ? [[key, parsed.data]] : []
    }),
  )
}
