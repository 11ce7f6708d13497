/** Limits the nesting depth of JSON input; measures the text without parsing it. */

/** Maximum number of nesting levels. */
export const MAX_JSON_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Checks whether a JSON text is nested more than `MAX_JSON_DEPTH` levels deep. */
export function isTooDeep(text: string): boolean {
  if (text.length <= MAX_JSON_DEPTH * 2) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > MAX_JSON_DEPTH) return true
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return false
}

/** Returns the offset of the closing quote of the string at `at`. */
function endOfString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKSLASH) i += 1
    else if (code === QUOTE) return i
  }
  return text.length
}
