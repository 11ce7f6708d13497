/** Measures and sanitises text for a terminal, and formats JSON for stdout. */
import { escapedJson } from '../../../store/model/unprintable.js'

let segmenter: Intl.Segmenter | undefined

/** Splits a text into graphemes. The segmenter takes 20 ms to create, which commands with plain text save. */
const graphemes = (text: string): Iterable<{ segment: string }> => (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })).segment(text)

const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F/u
const eastAsian = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u

/** Returns the number of terminal columns of a text. */
export function columnsOf(text: string): number {
  // Most text is plain ASCII, and the segmenter is slow.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes(text)) columns += columnsOfSegment(segment)
  return columns
}

function columnsOfSegment(segment: string): number {
  if (emoji.test(segment) || eastAsian.test(segment)) return 2
  return /^[\p{M}\p{Cf}]+$/u.test(segment) ? 0 : 1
}

/** Cuts a text to at most `columns`, with an ellipsis for the removed part. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let used = 1
  for (const { segment } of graphemes(text)) {
    used += columnsOf(segment)
    if (used > columns) break
    kept += segment
  }
  return `${kept}…`
}

/**
 * Returns one line without control and format characters: foreign text (names, contents) must not move the cursor, change
 * colours, add table columns, or disguise itself.
 */
export function oneLine(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.replace(/\p{Cf}/gu, '').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/** Removes control and format characters but keeps line breaks. */
export function printable(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** Breaks a paragraph at spaces into lines of at most `width` columns. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    if (line !== '' && columnsOf(line) + 1 + columnsOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}

/** Joins the parts of a line that is not in a table: with two spaces and without empty ones on a terminal, with tabs in a pipe. */
export const joinedLine = (parts: readonly string[], isTerminal: boolean): string =>
  isTerminal ? parts.filter((part) => part !== '').join('  ') : parts.map(oneLine).join('\t')

/** Breaks a paragraph as `wrap` does, and words that are longer than a line too. `width` is 2 or more. */
export function wrapAnywhere(text: string, width: number): string[] {
  return wrap(text, width).flatMap((line) => {
    const parts: string[] = []
    let part = ''
    for (const { segment } of columnsOf(line) > width ? graphemes(line) : []) {
      if (columnsOf(part) + columnsOf(segment) > width) {
        parts.push(part)
        part = ''
      }
      part += segment
    }
    return parts.length === 0 ? [line] : [...parts, part]
  })
}

/**
 * Formats a whole JSON document with its line break, indented for people. Like the lines below, it escapes control and invisible
 * characters, which does not change the parsed data.
 */
export function jsonDocument(value: unknown, forPerson: boolean): string {
  return `${escapedJson(JSON.stringify(value, null, forPerson ? 2 : undefined))}\n`
}

/** Formats one line of a JSON stream. */
export function jsonLine(value: unknown): string {
  return jsonTextLine(JSON.stringify(value))
}

/** Formats one line of a JSON stream from JSON text. */
export const jsonTextLine = (json: string): string => `${escapedJson(json)}\n`
