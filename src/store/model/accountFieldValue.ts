/** Validates account field values: e-mail addresses, language codes, and patterns set by the operator. */
import type { ValidationItem } from './failure.js'
import type { AccountField } from './systemStreams.js'

/** Longest e-mail address, in characters (docs/interface/registration.md#parameters). */
export const MAX_EMAIL = 300

// Excludes characters that could start another header, recipient or option of a mail program.
const LOCAL_PART = /^(?!-)[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}\p{Cs}]+$/u
const HOST = /^[\p{L}\p{M}\p{N}]+(?:-+[\p{L}\p{M}\p{N}]+)*(?:\.[\p{L}\p{M}\p{N}]+(?:-+[\p{L}\p{M}\p{N}]+)*)*$/u

/** Checks that a text is one e-mail address: local part, at sign and host name, at most 300 characters. */
export function isEmail(text: string): boolean {
  const at = text.indexOf('@')
  return text.length <= MAX_EMAIL && LOCAL_PART.test(text.slice(0, Math.max(at, 0))) && HOST.test(text.slice(at + 1))
}

/** A language code: two letters, optionally a region, such as `en` or `pt-BR`. */
export const LANGUAGE = /^[A-Za-z]{2}(?:-[A-Za-z]{2})?$/

/**
 * Checks an account field value against the operator's pattern and the format of its type.
 * @returns the validation item of an invalid value, with the code of the field; undefined for a valid one
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

/** Checks a value against the operator's pattern only, for accounts imported with existing values. */
export function patternFault({ id, regexValidation, regexError }: AccountField, value: string | number): ValidationItem | undefined {
  if (regexValidation === undefined || new RegExp(regexValidation).test(String(value))) return undefined
  const { code, message } = regexError ?? { code: `${id}-invalid`, message: `${id} has an invalid value.` }
  return { code, message, path: `#/${id}`, param: id }
}

const shortened = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`)
