/**
 * Parses fields of query strings and urlencoded forms. Lists are repeated names, `name[]` or `name[0]`, and objects
 * `name[member]`: the notations of PHP and of the npm package qs (docs/interface/conventions.md#query-strings).
 */
import { invalidFormat, type Failure } from '../../store/model/failure.js'

/** Maximum number of items of a list whose names have indexes. */
export const MAX_INDEXED_ITEMS = 1000
/** Maximum number of brackets in a name. */
const MAX_BRACKETS = 8
/** Maximum length of a name repeated in a failure. */
const MAX_NAME_LENGTH = 100

/** A list under construction, or an object once it `hasNames`. */
interface Branch {
  entries: Map<string, string | Branch>
  /** Index of the next appended item. */
  next: number
  hasNames: boolean
}

/**
 * Parses fields into strings, lists and objects, at most MAX_BRACKETS deep. Lists are ordered by index, without gaps.
 * @param accepts decides by parameter name and full field name whether a field is read; others are skipped
 * @param unreadable action for a name with malformed or too many brackets, or an index above the maximum
 * @throws Failure `invalid-parameters-format` when `unreadable` is `refuse`
 */
export function readFields(
  sent: Iterable<[string, string]>,
  accepts: (name: string, key: string) => boolean,
  unreadable: 'refuse' | 'keep' = 'refuse',
): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  let branches: Map<string, Branch> | undefined
  for (const [key, text] of sent) {
    const name = parameterName(key)
    if (!accepts(name, key)) continue
    const former = fields[name]
    if (name === key && former === undefined) {
      fields[name] = text
      continue
    }
    const segments = name === key ? [''] : segmentsOf(key, name)
    if (!Array.isArray(segments)) {
      if (unreadable === 'refuse') throw segments
      fields[key] = text
      continue
    }
    branches ??= new Map()
    let branch = branches.get(name)
    if (branch === undefined) branches.set(name, (branch = branchOf(typeof former === 'string' ? former : undefined)))
    setField(branch, segments, text)
    fields[name] = branch
  }
  if (branches !== undefined) for (const [name, branch] of branches) fields[name] = built(branch)
  return fields
}

/** Returns the parameter name of a field: the part before the brackets. */
function parameterName(key: string): string {
  const bracket = key.indexOf('[')
  return bracket > 0 ? key.slice(0, bracket) : key
}

const BRACKETS = /^(?:\[[^[\]]*\])+$/
const INDEX = /^(?:0|[1-9]\d{0,8})$/

/** Returns the strings within the brackets of a field's name, or the failure for a malformed name. */
function segmentsOf(key: string, name: string): string[] | Failure {
  const brackets = key.slice(name.length)
  const path = `#/${name.slice(0, MAX_NAME_LENGTH)}`
  if (!BRACKETS.test(brackets)) return invalidFormat([{ code: 'PATTERN', message: 'The brackets of the name are not closed, or not at its end.', path }])
  const segments = brackets.slice(1, -1).split('][')
  if (segments.length > MAX_BRACKETS) {
    return invalidFormat([{ code: 'ARRAY_LENGTH_LONG', message: `Expected at most ${MAX_BRACKETS} brackets in a name.`, path, params: [MAX_BRACKETS] }])
  }
  if (segments.some((segment) => INDEX.test(segment) && Number(segment) >= MAX_INDEXED_ITEMS)) {
    const message = `Expected at most ${MAX_INDEXED_ITEMS} items, with indexes from 0.`
    return invalidFormat([{ code: 'ARRAY_LENGTH_LONG', message, path, params: [MAX_INDEXED_ITEMS] }])
  }
  return segments
}

function branchOf(first?: string | Branch): Branch {
  const branch: Branch = { entries: new Map(), next: 0, hasNames: false }
  if (first !== undefined) branch.entries.set(String(branch.next++), first)
  return branch
}

/** Inserts a string at a path below a branch. A path that already has a value becomes a list of both. */
function setField(branch: Branch, segments: readonly string[], text: string): void {
  let at = branch
  for (const [depth, segment] of segments.entries()) {
    const key = segment === '' ? String(at.next) : segment
    if (INDEX.test(key)) at.next = Math.max(at.next, Number(key) + 1)
    else at.hasNames = true
    const former = at.entries.get(key)
    if (depth === segments.length - 1) {
      if (former === undefined) at.entries.set(key, text)
      else setField(branchAt(at, key, former), [''], text)
      return
    }
    at = branchAt(at, key, former)
  }
}

function branchAt(holder: Branch, key: string, former: string | Branch | undefined): Branch {
  if (typeof former === 'object') return former
  const made = branchOf(former)
  holder.entries.set(key, made)
  return made
}

function built(value: string | Branch): unknown {
  if (typeof value === 'string') return value
  const { entries, hasNames } = value
  if (!hasNames) return [...entries].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => built(item))
  const object: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [key, member] of entries) object[key] = built(member)
  return object
}
