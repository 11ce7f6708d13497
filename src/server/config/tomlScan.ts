/**
 * Locates keys and values in a TOML text. The parser returns values without positions; messages need lines, and edits that
 * preserve comments need offsets. Requires text that the parser has accepted.
 */
import { parse } from 'smol-toml'

/** One `key = value`. Offsets are into the text. */
export interface Pair {
  /** The path from the root: the names of its table, then its own. */
  path: string[]
  /** Number of names of `path` written in the pair itself; the others come from its header or inline table. */
  own: number
  keyStart: number
  valueStart: number
  valueEnd: number
  /** Present when the pair is inside `{ … }`. */
  inline?: InlineTable
}

/** The offsets of the two braces and the pairs between them. */
interface InlineTable {
  open: number
  close: number
  pairs: Pair[]
}

/** A `[table]` or `[[list of tables]]` line. */
interface Header {
  path: string[]
  list: boolean
  /** Offset of the start of its line, and of the line after it. */
  start: number
  end: number
}

export interface TomlLayout {
  headers: Header[]
  pairs: Pair[]
}

/** Scans a valid TOML text. Contents of arrays are not listed. */
export function scanToml(text: string): TomlLayout {
  const headers: Header[] = []
  const pairs: Pair[] = []
  let table: string[] = []
  let at = skipBlank(text, 0)
  while (at < text.length) {
    if (text[at] === '[') {
      const list = text[at + 1] === '['
      const nameEnd = keyEnd(text, list ? at + 2 : at + 1, ']')
      table = keyPath(text.slice(list ? at + 2 : at + 1, nameEnd))
      const end = nextLine(text, nameEnd)
      headers.push({ path: table, list, start: lineStart(text, at), end })
      at = end
    } else {
      at = nextLine(text, readPair(text, at, table, pairs))
    }
    at = skipBlank(text, at)
  }
  return { headers, pairs }
}

/** Returns the line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Returns the offset after the line break that ends the line of `offset`. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end + 1
}

/** Records the pair at `at`, and those of an inline table as its value; returns the offset after it. */
function readPair(text: string, at: number, table: string[], pairs: Pair[], inline?: InlineTable): number {
  const equals = keyEnd(text, at, '=')
  const names = keyPath(text.slice(at, equals))
  const valueStart = skipSpace(text, equals + 1)
  const pair: Pair = {
    path: [...table, ...names],
    own: names.length,
    keyStart: at,
    valueStart,
    valueEnd: valueEnd(text, valueStart),
    ...(inline === undefined ? {} : { inline }),
  }
  pairs.push(pair)
  inline?.pairs.push(pair)
  if (text[valueStart] === '{') {
    const own: InlineTable = { open: valueStart, close: pair.valueEnd - 1, pairs: [] }
    let inside = skipSeparators(text, valueStart + 1)
    while (inside < own.close) inside = skipSeparators(text, readPair(text, inside, pair.path, pairs, own))
  }
  return pair.valueEnd
}

/** Parses a key as written: bare, quoted, dotted. */
function keyPath(written: string): string[] {
  const path: string[] = []
  let inside: unknown = parse(`${written} = 0`)
  while (typeof inside === 'object' && inside !== null) {
    const entry = Object.entries(inside)[0]
    if (entry === undefined) break
    path.push(entry[0])
    inside = entry[1]
  }
  return path
}

/** Returns the offset of `mark` after a key, skipping quoted names. */
function keyEnd(text: string, from: number, mark: string): number {
  let at = from
  while (at < text.length && text[at] !== mark) {
    at = text[at] === '"' || text[at] === "'" ? stringEnd(text, at) : at + 1
  }
  return at
}

function valueEnd(text: string, at: number): number {
  const first = text[at]
  if (first === '"' || first === "'") return stringEnd(text, at)
  if (first === '[' || first === '{') {
    const close = first === '[' ? ']' : '}'
    let inside = skipSeparators(text, at + 1)
    while (inside < text.length && text[inside] !== close) {
      if (close === '}') inside = skipSpace(text, keyEnd(text, inside, '=') + 1)
      inside = skipSeparators(text, valueEnd(text, inside))
    }
    return inside + 1
  }
  let end = at
  while (end < text.length && !/[,\]}#\r\n]/.test(text.charAt(end))) end++
  while (end > at && /[ \t]/.test(text.charAt(end - 1))) end--
  return end
}

function stringEnd(text: string, at: number): number {
  const quote = text.charAt(at)
  const long = text.startsWith(quote.repeat(3), at)
  let end = at + (long ? 3 : 1)
  while (end < text.length) {
    if (quote === '"' && text[end] === '\\') end += 2
    else if (long ? text.startsWith(quote.repeat(3), end) : text[end] === quote) break
    else end++
  }
  if (!long) return end + 1
  end += 3
  // Up to two quotes may directly precede the closing three.
  for (let more = 0; more < 2 && text[end] === quote; more++) end++
  return end
}

function skipSpace(text: string, at: number): number {
  let next = at
  while (text[next] === ' ' || text[next] === '\t') next++
  return next
}

/** Skips spaces, line breaks and comments. */
function skipBlank(text: string, at: number): number {
  let next = at
  for (;;) {
    while (next < text.length && /[\s\uFEFF]/.test(text.charAt(next))) next++
    if (text[next] !== '#') return next
    next = nextLine(text, next)
  }
}

function skipSeparators(text: string, at: number): number {
  let next = skipBlank(text, at)
  while (text[next] === ',') next = skipBlank(text, next + 1)
  return next
}
