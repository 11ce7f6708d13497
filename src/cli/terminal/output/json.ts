/**
 * Writes JSON to stdout: one document, indented for people only, or one line per item. Escapes control and invisible
 * characters, which does not change the parsed data.
 */
import { escapedJson } from '../../../store/model/unprintable.js'

/** Formats a whole document with its line break. */
export function jsonDocument(value: unknown, forPerson: boolean): string {
  return `${escapedJson(JSON.stringify(value, null, forPerson ? 2 : undefined))}\n`
}

/** Formats one line of a stream. */
export function jsonLine(value: unknown): string {
  return jsonTextLine(JSON.stringify(value))
}

/** Formats one line of a stream from JSON text. */
export const jsonTextLine = (json: string): string => `${escapedJson(json)}\n`
