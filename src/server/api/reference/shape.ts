/** Describes value types in words and in short notation, from JSON schemas. */
import { isJsonObject } from '../../../store/model/json.js'

export type Schema = Readonly<Record<string, unknown>>

/** A parameter or a nested member; its path is `update.name`, or `permissions[].level` within a list. */
export interface Member {
  path: string
  /** Type in words, such as `a text of 6 to 100 characters`. */
  form: string
  isRequired: boolean
  /** Meaning of the member. */
  description: string
  /** True when only the node sets it; values from clients are ignored or refused. */
  isReadOnly: boolean
}

const membersOf = (schema: Schema): [string, Schema][] =>
  Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {}).filter((entry): entry is [string, Schema] => isJsonObject(entry[1]))
const alternativesOf = (schema: Schema): Schema[] => (Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isJsonObject) : [])
const isRequired = (schema: Schema, name: string): boolean => Array.isArray(schema['required']) && schema['required'].includes(name)

/** Names of shared objects, by their JSON (`identityOf`). */
type Names = ReadonlyMap<string, string>

const NO_NAMES: Names = new Map()

/**
 * Lists the members of a schema in order, each followed by its nested members; each path once. Objects in `named` are
 * listed by name, without their members.
 */
export function members(schema: Schema, within = '', named = NO_NAMES): Member[] {
  const { items } = schema
  const found = [
    ...membersOf(schema).flatMap(([name, member]): Member[] => {
      const path = within === '' ? name : `${within}.${name}`
      const own = nameOf(member, named)
      const entry = memberOf(path, member, isRequired(schema, name))
      return own === undefined ? [entry, ...members(member, path, named)] : [{ ...entry, form: own }]
    }),
    ...alternativesOf(schema).flatMap((each) => members(each, within, named)),
    ...(isJsonObject(items) ? members(items, `${within}[]`, named) : []),
  ]
  return [...new Map(found.reverse().map((each) => [each.path, each])).values()].reverse()
}

/** Returns `Event` or `a list of Event` for a named schema; undefined for others. */
function nameOf(schema: Schema, named: Names): string | undefined {
  const { items } = schema
  const own = named.get(identityOf(schema))
  if (own !== undefined || !isJsonObject(items)) return own
  const ofItem = named.get(identityOf(items))
  return ofItem === undefined ? undefined : `a list of ${ofItem}`
}

function memberOf(path: string, member: Schema, required: boolean): Member {
  const { description } = member
  return {
    path,
    form: formOf(member),
    isRequired: required,
    description: typeof description === 'string' ? description : '',
    isReadOnly: member['readOnly'] === true,
  }
}

const ofType: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
}

/** Describes the type of one value: `a text of 6 to 100 characters`, `one of read, manage`, `a list of texts, or null`. */
function formOf(schema: Schema): string {
  const { type, enum: choices, const: only } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(choices)) return choices.length === 1 ? String(choices[0]) : `one of ${choices.join(', ')}`
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return [...new Set(alternatives.map(formOf))].join(', or ')
  if (Array.isArray(type)) return type.map((each) => formOf({ ...schema, type: each })).join(', or ')
  if (typeof type !== 'string') return 'any JSON'
  return `${ofType[type] ?? type}${listed(schema)}${bounds(schema)}`
}

function listed({ type, items, minItems, maxItems }: Schema): string {
  if (type !== 'array' || !isJsonObject(items)) return ''
  const of = items['type'] === undefined && items['anyOf'] === undefined ? '' : ` of ${formOf(items).replace(/^an? (\w+)/, '$1s')}`
  return `${of}${range(minItems, maxItems)}`
}

function bounds({ type, minimum, maximum, exclusiveMinimum, minLength, maxLength, pattern, format }: Schema): string {
  if (type === 'integer' || type === 'number') {
    const widest = (bound: unknown): unknown => (Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER ? undefined : bound)
    return `${range(widest(minimum), widest(maximum))}${exclusiveMinimum === undefined ? '' : `, more than ${String(exclusiveMinimum)}`}`
  }
  if (type !== 'string') return ''
  const size = range(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, ' of')
  return [
    size === '' ? (minLength === 1 ? ', not empty' : '') : `${size} characters`,
    typeof pattern === 'string' ? ` matching ${pattern}` : '',
    typeof format === 'string' && typeof pattern !== 'string' ? ` (${format})` : '',
  ].join('')
}

function range(from: unknown, to: unknown, word = ','): string {
  if (from === undefined && to === undefined) return ''
  if (to === undefined) return `${word} ${String(from)} or more`
  return from === undefined ? `${word} at most ${String(to)}` : `${word} ${String(from)} to ${String(to)}`
}

/**
 * Formats a result in short notation, as lines: members by name, `?` after optional ones, `|` between alternatives.
 * Objects in `named` appear by name.
 */
export function notation(schema: Schema, named = NO_NAMES): string[] {
  const name = named.get(identityOf(schema))
  if (name !== undefined) return [name]
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return joined(alternatives.map((each) => notation(each, named)))
  const { type, items, const: only, enum: choices, additionalProperties } = schema
  if (only !== undefined) return [JSON.stringify(only)]
  if (Array.isArray(choices)) return [choices.map((each) => JSON.stringify(each)).join(' | ')]
  if (Array.isArray(type)) return [type.join(' | ')]
  if (type === 'array') return wrapped('[', isJsonObject(items) ? notation(items, named) : ['any'], ']')
  if (type !== 'object') return [typeof type === 'string' ? type : 'any']
  const own = membersOf(schema)
  const more = isJsonObject(additionalProperties) ? notation(additionalProperties, named) : undefined
  if (own.length === 0) return more === undefined ? ['{}'] : wrapped('{ <name>: ', more, ' }')
  const lines = own.map(([key, member]) => wrapped(`${key}${isRequired(schema, key) ? '' : '?'}: `, notation(member, named), ''))
  const flat = `{ ${lines.map((each) => each.join(' ')).join(', ')} }`
  if (flat.length <= 60 && lines.every((each) => each.length === 1)) return [flat]
  return ['{', ...lines.flat().map((line) => `  ${line}`), '}']
}

function wrapped(before: string, [first = '', ...rest]: readonly string[], after: string): string[] {
  const lines = [before + first, ...rest]
  return [...lines.slice(0, -1), (lines.at(-1) ?? '') + after]
}

function joined(alternatives: readonly string[][]): string[] {
  const flat = [...new Set(alternatives.map((each) => each.join(' ')))]
  if (alternatives.every((each) => each.length === 1)) return [flat.join(' | ')]
  return alternatives.flatMap((each, at) => (at === 0 ? each : wrapped('| ', each, '')))
}

/** Returns the JSON of a schema without its description, which differs between results. */
export const identityOf = ({ description: _, ...schema }: Schema): string => JSON.stringify(schema)

/**
 * Finds larger objects that occur several times in schemas, and names each, by its JSON. The name is the most frequent
 * member name, the shorter one of two.
 */
export function commonObjects(schemas: readonly Schema[]): Map<string, string> {
  const seen = new Map<string, string[]>()
  const look = (schema: Schema, name: string): void => {
    if (membersOf(schema).length > 4) {
      const key = identityOf(schema)
      const known = seen.get(key)
      if (known !== undefined) return void known.push(name)
      seen.set(key, [name])
    }
    for (const [key, member] of membersOf(schema)) look(member, key)
    for (const each of alternativesOf(schema)) look(each, name)
    if (isJsonObject(schema['items'])) look(schema['items'], name.replace(/ies$/, 'y').replace(/(ss|s)$/, (end) => (end === 'ss' ? 'ss' : '')))
  }
  for (const schema of schemas) look(schema, 'result')
  const usedNames = new Set<string>()
  const named = [...seen].filter(([, names]) => names.length > 1).map(([key, names]): [string, string] => {
    const name = usualName(names)
    let own = name.charAt(0).toUpperCase() + name.slice(1)
    while (usedNames.has(own)) own += 'Item'
    usedNames.add(own)
    return [key, own]
  })
  return new Map(named)
}

function usualName(names: readonly string[]): string {
  const times = (name: string): number => names.filter((each) => each === name).length
  return names.reduce((best, name) => (times(name) > times(best) || (times(name) === times(best) && name.length < best.length) ? name : best))
}
