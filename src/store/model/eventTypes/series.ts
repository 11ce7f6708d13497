/** Columns and fields of series by event type (docs/interface/event-types.md#series-types). */
import { isJsonObject } from '../json.js'
import type { Column } from '../points.js'
import type { Schema } from './schema.js'

/** Prefix of the type of a series event; the type of its points follows. */
export const SERIES_PREFIX = 'series:'

/** Checks whether an event type is a series. */
export const isSeriesType = (type: string): boolean => type.startsWith(SERIES_PREFIX)

/** Content of a series event: the structure of its points. */
export interface SeriesType {
  elementType: string
  /** Columns: `deltaTime`, then the required ones, then the others. */
  fields: string[]
  required: string[]
}

/** Type of one field of a series. */
export interface SeriesField {
  kind: Column['kind']
  /** Numbers without a fraction. */
  isWhole: boolean
  /** True when every point must have a value. */
  isRequired: boolean
  /** True when null is allowed, even if required. */
  takesNull: boolean
}

/** Fields by column name, without the time; names of nested properties are joined by dots. */
export type SeriesFields = ReadonlyMap<string, SeriesField>

const KINDS: Readonly<Record<string, Column['kind']>> = {
  number: 'number',
  integer: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
}

/** Returns the columns of a series as in its holder event; undefined when its type has none. */
export function seriesColumns(schema: Schema): Pick<SeriesType, 'fields' | 'required'> | undefined {
  const { type, properties, required } = schema
  if (typeof type === 'string' && Object.hasOwn(KINDS, type)) {
    return { fields: ['deltaTime', 'value'], required: ['deltaTime', 'value'] }
  }
  if (type !== 'object' || !isJsonObject(properties)) return undefined
  const names = Object.keys(properties)
  const needed = Array.isArray(required) ? names.filter((name) => required.includes(name)) : []
  const others = names.filter((name) => !needed.includes(name))
  return { fields: ['deltaTime', ...needed, ...others], required: ['deltaTime', ...needed] }
}

/** Returns the fields that points of a type can have, in column order. Lists and free-form objects are not fields. */
export function seriesFields(schema: Schema): SeriesFields {
  const fields = new Map<string, SeriesField>()
  const basic = basicField(schema, true)
  if (basic === undefined) addProperties(fields, schema, '', true)
  else fields.set('value', basic)
  return fields
}

function addProperties(fields: Map<string, SeriesField>, schema: Schema, prefix: string, isNeeded: boolean): void {
  const columns = seriesColumns(schema)
  const { properties } = schema
  if (columns === undefined || !isJsonObject(properties)) return
  for (const name of columns.fields.slice(1)) {
    const property = properties[name]
    if (!isJsonObject(property)) continue
    const isRequired = isNeeded && columns.required.includes(name, 1)
    const field = basicField(property, isRequired)
    if (field === undefined) addProperties(fields, property, `${prefix}${name}.`, isRequired)
    else fields.set(prefix + name, field)
  }
}

/** Returns the field of a basic type, nullable or not; undefined for every other schema. */
function basicField({ type }: Schema, isRequired: boolean): SeriesField | undefined {
  const types: unknown[] = Array.isArray(type) ? type : [type]
  const named = types.length === 1 ? types : types.filter((one) => one !== 'null')
  const [name] = named
  if (named.length !== 1 || typeof name !== 'string' || !Object.hasOwn(KINDS, name)) return undefined
  const kind = KINDS[name] ?? 'null'
  return { kind, isWhole: name === 'integer', isRequired, takesNull: !isRequired || types.includes('null') }
}
