/** JSON on stdout: one document, indented for people only, or one line per thing. */

/** A whole document with its line break. */
export function jsonDocument(value: unknown, forPerson: boolean): string {
  return `${JSON.stringify(value, null, forPerson ? 2 : undefined)}\n`
}

/** One line of a stream. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
