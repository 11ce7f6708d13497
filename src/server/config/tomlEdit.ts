/** Changes one value in a TOML text; preserves every other byte, including comments. */
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { isJsonObject } from '../../store/model/json.js'
import { lineStart, nextLine, scanToml } from './tomlScan.js'
import type { Pair, TomlLayout } from './tomlScan.js'

/**
 * Returns the text with the value at `path` set, or removed when `value` is undefined. Removing a missing value changes
 * nothing. Tries several edits and parses each result; returns the first one with exactly the requested meaning.
 * @throws Error when `text` is not TOML, or when no edit gives the requested meaning (a plain value is in the way).
 */
export function editToml(text: string, path: readonly string[], value: unknown): string {
  const expected = withValue(parse(text), path, value)
  for (const edited of value === undefined ? [remove(text, path)] : editsToSet(text, path, tomlLiteral(value))) {
    if (hasMeaning(edited, expected)) return edited
  }
  throw new Error(`${path.join('.')} cannot be changed by an edit of this file; change it by hand`)
}

/** Formats a value as TOML on one line. `null` and undefined, which TOML lacks, are left out of tables. */
export function tomlLiteral(value: unknown): string {
  // JSON escapes are valid in TOML, except that TOML also requires U+007F to be escaped.
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
  if (Array.isArray(value)) return `[${value.map(tomlLiteral).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).filter(([, member]) => member !== undefined && member !== null)
    if (pairs.length === 0) return '{}'
    return `{ ${pairs.map(([name, member]) => `${tomlKey(name)} = ${tomlLiteral(member)}`).join(', ')} }`
  }
  // TOML reads an integer beyond the safe range as a float, which needs an exponent.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return Number(value).toExponential()
  return String(value)
}

/** Yields candidate texts, the one closest to the style of the file first. */
function* editsToSet(text: string, path: readonly string[], literal: string): Generator<string> {
  const present = scanToml(text).pairs.find((pair) => isSame(pair.path, path))
  if (present !== undefined) {
    yield text.slice(0, present.valueStart) + literal + text.slice(present.valueEnd)
    return
  }
  yield* editsToAdd(remove(text, path), path, literal)
}

/** Yields candidate texts that add a missing value. */
function* editsToAdd(text: string, path: readonly string[], literal: string): Generator<string> {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const layout = scanToml(text)
  const parent = path.slice(0, -1)
  const name = tomlKey(path[path.length - 1] ?? '')

  const sibling = layout.pairs.findLast((pair) => isSame(pair.path.slice(0, -1), parent))
  if (sibling !== undefined) yield besidePair(text, sibling, name, literal, eol)

  for (let depth = parent.length; depth > 0; depth--) {
    const table = layout.pairs.find((pair) => isSame(pair.path, path.slice(0, depth)) && text[pair.valueStart] === '{')
    if (table === undefined) continue
    const dotted = `${path.slice(depth).map(tomlKey).join('.')} = ${literal}`
    const inside = text.slice(table.valueStart + 1, table.valueEnd - 1).trimEnd()
    const extended = inside.trim() === '' ? ` ${dotted}` : `${inside}, ${dotted}`
    yield `${text.slice(0, table.valueStart)}{${extended} }${text.slice(table.valueEnd)}`
  }

  const header = layout.headers.findLast((each) => !each.list && isSame(each.path, parent))
  if (header !== undefined) yield insertLine(text, header.end, `${name} = ${literal}`, eol)

  if (parent.length > 0) {
    const gap = text === '' || /\n\r?\n$/.test(text) ? '' : eol
    const start = text === '' || text.endsWith('\n') ? text : text + eol
    yield `${start}${gap}[${parent.map(tomlKey).join('.')}]${eol}${name} = ${literal}${eol}`
  }

  // A dotted key under the closest header, or at the root.
  for (let depth = parent.length; depth >= 0; depth--) {
    const dotted = `${path.slice(depth).map(tomlKey).join('.')} = ${literal}`
    const above = layout.headers.findLast((each) => !each.list && isSame(each.path, path.slice(0, depth)))
    if (depth > 0 && above !== undefined) yield insertLine(text, above.end, dotted, eol)
    if (depth === 0) yield insertLine(text, endOfRoot(text, layout), dotted, eol)
  }
}

function besidePair(text: string, sibling: Pair, name: string, literal: string, eol: string): string {
  if (sibling.inline !== undefined) {
    const end = sibling.inline.pairs[sibling.inline.pairs.length - 1]?.valueEnd ?? sibling.valueEnd
    const prefix = sibling.path.slice(-sibling.own, -1).map((each) => `${tomlKey(each)}.`)
    return `${text.slice(0, end)}, ${prefix.join('')}${name} = ${literal}${text.slice(end)}`
  }
  const start = lineStart(text, sibling.keyStart)
  const indent = text.slice(start, sibling.keyStart)
  const prefix = sibling.path.slice(-sibling.own, -1).map((each) => `${tomlKey(each)}.`)
  return insertLine(text, nextLine(text, sibling.valueEnd), `${indent}${prefix.join('')}${name} = ${literal}`, eol)
}

function insertLine(text: string, at: number, line: string, eol: string): string {
  const before = text.slice(0, at)
  return `${before === '' || before.endsWith('\n') ? before : before + eol}${line}${eol}${text.slice(at)}`
}

/** Returns the offset of a new line at the root: after the last pair there, else before the first header and its comments. */
function endOfRoot(text: string, layout: TomlLayout): number {
  const first = layout.headers[0]?.start ?? text.length
  const last = layout.pairs.findLast((pair) => pair.inline === undefined && pair.keyStart < first)
  if (last !== undefined) return nextLine(text, last.valueEnd)
  let at = first
  while (at > 0) {
    const line = lineStart(text, at - 1)
    if (!text.slice(line, at).trimStart().startsWith('#')) break
    at = line
  }
  return at
}

/** Returns the text without the value at `path` and everything below it; comments are preserved. */
function remove(text: string, path: readonly string[]): string {
  const layout = scanToml(text)
  const cuts = layout.headers
    .filter((header) => startsWith(header.path, path))
    .map((header): [number, number] => [header.start, header.end])
  for (const pair of layout.pairs) {
    // A pair inside a removed pair is removed with it.
    const above = layout.pairs.some((other) => other !== pair && startsWith(other.path, path) && covers(other, pair))
    if (startsWith(pair.path, path) && !above) cuts.push(cutOf(text, pair))
  }
  return cuts
    .sort((a, b) => b[0] - a[0])
    .reduce((left, [start, end]) => left.slice(0, start) + left.slice(end), text)
}

function covers(outer: Pair, inner: Pair): boolean {
  return outer.valueStart <= inner.keyStart && inner.valueEnd <= outer.valueEnd
}

/** Returns the range to remove with a pair: its lines, or inside `{ … }` the pair and one comma. */
function cutOf(text: string, pair: Pair): [number, number] {
  if (pair.inline === undefined) return [lineStart(text, pair.keyStart), nextLine(text, pair.valueEnd)]
  const { pairs, open, close } = pair.inline
  const place = pairs.indexOf(pair)
  const before = pairs[place - 1]
  if (before !== undefined) return [before.valueEnd, pair.valueEnd]
  const after = pairs[place + 1]
  return after === undefined ? [open + 1, close] : [pair.keyStart, after.keyStart]
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b)
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((name, index) => path[index] === name)
}

function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name)
}

/** Returns the expected meaning of a text after the edit, without empty tables. */
function withValue(root: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value === undefined ? undefined : parse(`v = ${tomlLiteral(value)}`)['v']
  if (root !== undefined && !isTable(root)) throw new Error(`${name} is below a plain value; change it by hand`)
  return { ...root, [name]: withValue(root?.[name], rest, value) }
}

function hasMeaning(text: string, expected: unknown): boolean {
  try {
    return isDeepStrictEqual(withoutEmpty(parse(text)), withoutEmpty(expected))
  } catch {
    return false
  }
}

function withoutEmpty(value: unknown): unknown {
  if (!isTable(value)) return value
  const members = Object.entries(value).map(([name, each]) => [name, withoutEmpty(each)] as const)
  const full = members.filter(([, each]) => each !== undefined)
  return full.length === 0 ? undefined : Object.fromEntries(full)
}

function isTable(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value) && !(value instanceof Date)
}
