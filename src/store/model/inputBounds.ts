/**
 * Bounds on input size, checked before schema validation: validating an item costs microseconds and describing an error
 * tens of them, so 10 MB of items would block the process for seconds.
 */
import type * as z from 'zod'

/** Maximum number of array items or map keys where the schema sets no bound. */
export const MAX_ITEMS = 10_000

/** An array or map with more items than its bound. */
export interface Oversized {
  path: readonly PropertyKey[]
  isMap: boolean
  max: number
}

type Schema = z.core.$ZodType
type Def = z.core.$ZodTypes['_zod']['def']
type Find = (value: unknown) => Oversized | undefined

/** `undefined` for schemas without arrays and maps; `pending` while a recursive schema is compiled. */
const compiled = new WeakMap<Schema, { find: Find | undefined } | 'pending'>()

/**
 * Returns the first array or map of `value` with more items than its schema allows, or than MAX_ITEMS if the schema sets no
 * bound. Skips free-form values (`unknown`, `custom`). Takes time proportional to the schema, and stops at the first.
 */
export const findOversized = (schema: Schema, value: unknown): Oversized | undefined => finderOf(schema)?.(value)

function finderOf(schema: Schema): Find | undefined {
  const known = compiled.get(schema)
  // A recursive schema is resolved when a value uses it.
  if (known === 'pending') return (value) => findOversized(schema, value)
  if (known !== undefined) return known.find
  compiled.set(schema, 'pending')
  const find = compile(schema)
  compiled.set(schema, { find })
  return find
}

function compile(schema: Schema): Find | undefined {
  const def = (schema as z.core.$ZodTypes)._zod.def as Def
  switch (def.type) {
    case 'array':
      return ofArray(boundOf(schema), finderOf(def.element))
    case 'record':
      return ofMap(finderOf(def.valueType))
    case 'object':
      return ofObject(Object.entries(def.shape))
    case 'union':
      return firstOf(def.options)
    case 'intersection':
      return firstOf([def.left, def.right])
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return finderOf(def.innerType)
    case 'pipe':
      return finderOf(def.in)
    case 'lazy':
      return (value) => findOversized(def.getter(), value)
    default:
      return undefined
  }
}

function boundOf({ _zod: { def } }: Schema): number {
  for (const { _zod: check } of def.checks ?? []) {
    if (check.def.check === 'max_length' && 'maximum' in check.def) return Number(check.def.maximum)
  }
  return MAX_ITEMS
}

function ofArray(max: number, inItem: Find | undefined): Find {
  return (value) => {
    if (!Array.isArray(value)) return undefined
    if (value.length > max) return { path: [], isMap: false, max }
    if (inItem === undefined) return undefined
    for (const [at, item] of value.entries()) {
      const found = inItem(item)
      if (found !== undefined) return below(at, found)
    }
    return undefined
  }
}

function ofMap(inValue: Find | undefined): Find {
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined
    let count = 0
    for (const key in value) {
      count += 1
      if (count > MAX_ITEMS) return { path: [], isMap: true, max: MAX_ITEMS }
      const found = inValue?.((value as Record<string, unknown>)[key])
      if (found !== undefined) return below(key, found)
    }
    return undefined
  }
}

function ofObject(members: readonly (readonly [string, Schema])[]): Find | undefined {
  const finders = members.flatMap(([key, schema]) => {
    const find = finderOf(schema)
    return find === undefined ? [] : [{ key, find }]
  })
  if (finders.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined
    for (const { key, find } of finders) {
      const found = find((value as Record<string, unknown>)[key])
      if (found !== undefined) return below(key, found)
    }
    return undefined
  }
}

function firstOf(schemas: readonly Schema[]): Find | undefined {
  const finders = schemas.flatMap((schema) => finderOf(schema) ?? [])
  if (finders.length === 0) return undefined
  return (value) => {
    for (const find of finders) {
      const found = find(value)
      if (found !== undefined) return found
    }
    return undefined
  }
}

const below = (key: PropertyKey, { path, ...found }: Oversized): Oversized => ({ ...found, path: [key, ...path] })

/** Checks whether a value has at most `max` members and items at all depths. Stops counting at `max`. */
export function hasAtMost(max: number, value: unknown): boolean {
  let left = max
  const stack: unknown[] = [value]
  for (let item = stack.pop(); item !== undefined || stack.length > 0; item = stack.pop()) {
    if (typeof item !== 'object' || item === null) continue
    if (Array.isArray(item)) {
      left -= item.length
      if (left < 0) return false
      stack.push(...(item as unknown[]))
      continue
    }
    for (const key in item) {
      left -= 1
      if (left < 0) return false
      stack.push((item as Record<string, unknown>)[key])
    }
  }
  return true
}
