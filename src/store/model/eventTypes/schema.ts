/**
 * Short builders for the content schemas of the table; they return plain JSON Schema (docs/interface/event-types.md#validation).
 */

/** A JSON schema in the draft-04 dialect, as in a directory document. */
export type Schema = Readonly<Record<string, unknown>>

/** Properties by name. */
export type Fields = Readonly<Record<string, Schema>>

export const n: Schema = { type: 'number' }
export const i: Schema = { type: 'integer' }
export const s: Schema = { type: 'string' }
export const b: Schema = { type: 'boolean' }
/** An object of any shape. */
export const o: Schema = { type: 'object' }
export const nothing: Schema = { type: 'null' }
/** Schema without conditions. */
export const any: Schema = {}
/** Non-empty string. */
export const filled: Schema = { type: 'string', minLength: 1 }
export const nullable = (type: string): Schema => ({ type: [type, 'null'] })
export const pattern = (source: string): Schema => ({ type: 'string', pattern: source })
/** A string of `min` to `max` characters. */
export const text = (min: number, max: number): Schema =>
  min === 0 ? { type: 'string', maxLength: max } : { type: 'string', minLength: min, maxLength: max }
/** Creates the schema of an enum from a comma-separated list. */
export const oneOf = (values: string): Schema => ({ type: 'string', enum: values.split(/,\s+/) })
export const list = (items: Schema, minItems = 0): Schema =>
  minItems === 0 ? { type: 'array', items } : { type: 'array', items, minItems }

/**
 * Creates the schema of an object with required and optional properties; others are allowed. Draft-04 forbids an empty
 * `required`.
 */
export function obj(required: Fields, optional: Fields = {}): Schema {
  const names = Object.keys(required)
  const schema = { type: 'object', properties: { ...required, ...optional } }
  return names.length === 0 ? schema : { ...schema, required: names }
}

/** Creates string properties from names separated by spaces. */
export function strings(names: string): Fields {
  return Object.fromEntries(names.split(' ').map((name) => [name, s]))
}
