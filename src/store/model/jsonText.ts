/**
 * Large free-form JSON values, held as text. Parsing, encoding and hashing 10 MB blocks the event loop for a second;
 * values that arrive as text avoid this. A worker thread prepares them.
 */

import type { Hash } from 'node:crypto'

/** A JSON value as text, as `JSON.stringify` writes it. Other code reads the value with `toJSON`. */
export class JsonText {
  /** Event type whose schema the value is known to satisfy. */
  fits?: string
  /** State of a hash after CONTENT_FIRST (integrity.ts) and the stable text, if computed before; copy it before use. */
  hashed?: { algorithm: string; state: Hash }
  /** The text as UTF-8, if it arrived in this form. */
  readonly bytes: Uint8Array | undefined
  #text: string | undefined
  #stable: string | Uint8Array | undefined

  /**
   * @param text the output of `JSON.stringify` for the value, as text or as UTF-8
   * @param stable the `stableText` of the value, if known
   */
  constructor(text: string | Uint8Array, stable?: string | Uint8Array) {
    if (typeof text === 'string') this.#text = text
    else this.bytes = text
    this.#stable = stable
  }

  /** Returns the text. Decoding bytes takes a millisecond per megabyte, once. */
  get text(): string {
    return (this.#text ??= utf8Text(this.bytes ?? NOTHING))
  }

  /** Returns the text in its current form, without conversion. */
  get source(): string | Uint8Array {
    return this.bytes ?? this.text
  }

  get hasStable(): boolean {
    return this.#stable !== undefined
  }

  /** Returns the stable text as UTF-8, if it arrived in this form. */
  get stableBytes(): Uint8Array | undefined {
    return typeof this.#stable === 'string' ? undefined : this.#stable
  }

  /** Sets the stable text of the value, computed elsewhere. */
  setStable(stable: string): void {
    this.#stable = stable
  }

  /** Returns the stable text of the value, calling `compute` if it is unknown. */
  stable(compute: (value: unknown) => string): string {
    const known = this.#stable
    if (typeof known === 'string') return known
    const stable = known === undefined ? compute(this.toJSON()) : known === this.bytes ? this.text : utf8Text(known)
    this.#stable = stable
    return stable
  }

  /** Parses the text; takes time proportional to its length. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

const NOTHING = new Uint8Array()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes UTF-8. */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Returns the JSON text of a value, as `JSON.stringify` does. */
export const jsonTextOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value))

/** Returns the JSON text of a map whose values may be JsonText, as `JSON.stringify` does. */
export function mapTextOf(map: Readonly<Record<string, unknown>>): string {
  if (!Object.values(map).some((value) => value instanceof JsonText)) return JSON.stringify(map)
  const members: string[] = []
  for (const [key, value] of Object.entries(map)) if (value !== undefined) members.push(`${JSON.stringify(key)}:${jsonTextOf(value)}`)
  return `{${members.join(',')}}`
}

/** Returns the value itself, parsed if held as text. */
export const plainValue = (value: unknown): unknown => (value instanceof JsonText ? value.toJSON() : value)

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Returns the end of the JSON value at `at`, in text written by `JSON.stringify`. */
export function jsonValueEnd(text: string, at: number): number {
  let depth = 0
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = closingQuote(text, i)
      if (depth === 0) return i + 1
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1
    } else if (code === 0x5d || code === 0x7d) {
      // A number, boolean or null ends where its container or member ends.
      if (depth === 0) return i
      depth -= 1
      if (depth === 0) return i + 1
    } else if (code === 0x2c && depth === 0) {
      return i
    }
  }
  return text.length
}

/** Returns the position of the closing quote of the string at `at`. */
export function closingQuote(text: string, at: number): number {
  for (let i = text.indexOf('"', at + 1); i >= 0; i = text.indexOf('"', i + 1)) {
    let backslashes = 0
    while (text.charCodeAt(i - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return i
  }
  return text.length
}

/** Length in characters from which maps are parsed value by value; values of half this length stay text. */
export const MIN_SPLIT_LENGTH = 128 * 1024

/** Parses a map as `parseMap` does if its text is large, else completely. */
export const mapOfText = (text: string): Record<string, unknown> =>
  text.length < MIN_SPLIT_LENGTH ? (JSON.parse(text) as Record<string, unknown>) : parseMap(text, 0).map

/** Returns a large value as JsonText, and parses a small one. */
export const textOrValue = (text: string): unknown => (text.length >= MIN_SPLIT_LENGTH / 2 ? new JsonText(text) : JSON.parse(text))

/**
 * Parses the JSON text of a map that starts at `at`, as written by `JSON.stringify`; large values stay text.
 * @returns the map and the offset after its text
 */
export function parseMap(text: string, at: number): { map: Record<string, unknown>; end: number } {
  const members: [string, unknown][] = []
  let place = at
  // Members, each after a brace or a comma.
  while (text[place] !== '}' && text[place + 1] !== '}') {
    const keyEnd = closingQuote(text, place + 1) + 1
    const valueEnd = jsonValueEnd(text, keyEnd + 1)
    members.push([JSON.parse(text.slice(place + 1, keyEnd)) as string, textOrValue(text.slice(keyEnd + 1, valueEnd))])
    place = valueEnd
  }
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return { map: Object.fromEntries(members), end: place + (text[place] === '}' ? 1 : 2) }
}
