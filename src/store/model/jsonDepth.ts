/** How deep JSON may be nested, whoever sends it: a text is measured without making its value. */

/** Most levels of nesting. */
export const MAX_JSON_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether a JSON text is nested more than `DEEPEST_JSON` levels deep. */
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

/** Where the string ends that begins at `at`: at its closing quote. */
function endOfString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKSLASH) i += 1
    else if (code === QUOTE) return i
  }
  return text.length
}
