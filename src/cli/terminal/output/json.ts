/**
 * JSON on stdout: one document, indented for people only, or one line per thing. Characters that steer a terminal or show nothing are
 * escaped, so that a screen shows them and a program reads the same data.
 */
import { escapedJson } from '../../../store/model/unprintable.js'

/** A whole document with its line break. */
export function jsonDocument(value: unknown, forPerson: boolean): string {
  return `${escapedJson(JSON.stringify(value, null, forPerson ? 2 : undefined))}\n`
}

/** One line of a stream. */
export function jsonLine(value: unknown): string {
  return jsonTextLine(JSON.stringify(value))
}

/** One line of a stream, of something that is JSON text already. */
export const jsonTextLine = (json: string): string => `${escapedJson(json)}\n`
