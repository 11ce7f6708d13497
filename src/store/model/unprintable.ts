/**
 * Characters that steer a terminal or show nothing: control characters, format characters such as those that turn the direction of
 * text, and separators of lines. Whoever reads a text on a screen must see what it is.
 */

/** Of these, those that JSON text may hold as they are. */
const IN_JSON = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu
const PLAIN = /^[\x20-\x7e\n]*$/

/** JSON text with such characters escaped: it shows them, and whoever parses it gets the same. */
export function escapedJson(json: string): string {
  if (PLAIN.test(json)) return json
  return json.replace(IN_JSON, (character) => {
    let escaped = ''
    for (let at = 0; at < character.length; at++) escaped += '\\u' + character.charCodeAt(at).toString(16).padStart(4, '0')
    return escaped
  })
}
