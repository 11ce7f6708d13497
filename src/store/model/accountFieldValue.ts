/** Formats of account field values: e-mail addresses, language codes, and the patterns that operators configure. */
import type { ValidationItem } from './failure.js'
import type { AccountField } from './systemStreams.js'

/** Longest e-mail address, in characters (specification, "Limits"). */
export const MAX_EMAIL = 300

// Also excludes what could begin another header, recipient or option of a mail program.
const LOCAL_PART = /^(?!-)[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}\p{Cs}]+$/u
const HOST = /^[\p{L}\p{M}\p{N}]+(?:-+[\p{L}\p{M}\p{N}]+)*(?:\.[\p{L}\p{M}\p{N}]+(?:-+[\p{L}\p{M}\p{N}]+)*)*$/u

/** Checks that a text is one e-mail address: a local part, an at sign and a host name, in 300 characters at most. */
export function isEmail(text: string): boolean {
  const at = text.indexOf('@')
  return text.length <= MAX_EMAIL && LOCAL_PART.test(text.slice(0, Math.max(at, 0))) && HOST.test(text.slice(at + 1))
}

/** A language code: two letters, optionally a region, such as `en` or `pt-BR`. */
export const LANGUAGE = /^[A-Za-z]{2}(?:-[A-Za-z]{2})?$/

/**
 * Checks a value of an account field against the pattern that the operator configures and the format of its type.
 * @returns the refusal of an invalid value, with the code of the field; undefined for a valid one
 */
export function fieldFault(field: AccountField, value: string | number): ValidationItem | undefined {
  const fault = patternFault(field, value)
  if (fault !== undefined) return fault
  const text = String(value)
  const refused = { path: `#/${field.id}`, param: field.id }
  if ((field.id === 'email' || field.type === 'email/string') && !isEmail(text)) {
    return { code: `${field.id}-invalid`, message: `"${shortened(text)}" is not an e-mail address.`, ...refused }
  }
  if (field.type === 'language/iso-639-1' && !LANGUAGE.test(text)) {
    const message = `"${shortened(text)}" is not a language code: two letters, optionally a region, such as en or pt-BR.`
    return { code: `${field.id}-invalid`, message, ...refused }
  }
  return undefined
}

/** Checks a value against the pattern that the operator configures alone: for accounts that are moved with the values they have. */
export function patternFault({ id, regexValidation, regexError }: AccountField, value: string | number): ValidationItem | undefined {
  if (regexValidation === undefined || new RegExp(regexValidation).test(String(value))) return undefined
  const { code, message } = regexError ?? { code: `${id}-invalid`, message: `${id} has an invalid value.` }
  return { code, message, path: `#/${id}`, param: id }
}

const shortened = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`)
