/**
 * Escapes characters that control a terminal or are invisible: control characters, format characters such as text
 * direction, and line separators.
 */

/** The subset that JSON text may contain unescaped. */
const IN_JSON = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu
const PLAIN = /^[\x20-\x7e\n]*$/

/** Escapes such characters in JSON text: they become visible, and the parsed value is unchanged. */
export function escapedJson(json: string): string {
  if (PLAIN.test(json)) return json
  return json.replace(IN_JSON, (character) => {
    let escaped = ''
    for (let at = 0; at < character.length; at++) escaped += '\\u' + character.charCodeAt(at).toString(16).padStart(4, '0')
    return escaped
  })
}
