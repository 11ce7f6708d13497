/**
 * Ids that clients choose: slugs, store prefixes, reserved words, refused characters
 * (docs/interface/conventions.md#stores-and-id-prefixes, docs/interface/streams.md#ids).
 */
import { Failure } from './failure.js'
import { transliterate } from './transliteration.js'

/**
 * Maximum length of a client-chosen id, in characters. Existing items with longer ids can be read and deleted, but not
 * created, imported or exchanged between nodes.
 */
export const MAX_ID_LENGTH = 1024

/** Checks the length of an id. @throws Failure `invalid-parameters-format` */
export function assertIdLength(id: string, parameter = 'id'): void {
  if (id.length <= MAX_ID_LENGTH) return
  const message = `The ${parameter} has ${id.length} characters; an id has at most ${MAX_ID_LENGTH}.`
  throw new Failure('invalid-parameters-format', message, { parameter, length: id.length, max: MAX_ID_LENGTH })
}

/**
 * Converts a text to an id: ASCII letters and digits, `_ . ~`, and single hyphens between words; case is preserved. A text
 * without such characters becomes the slug of its Base64; only the empty text gives ''. Serves stream ids and access tokens
 * chosen by clients (docs/interface/streams.md#ids).
 */
export function slugify(text: string): string {
  const slug = hyphenate(transliterate(text))
  return slug === '' ? hyphenate(Buffer.from(text, 'utf8').toString('base64')) : slug
}

function hyphenate(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_.~\-\s]/g, '')
    .replace(/[-\s]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** Returns the slug of a stream id from a client. Its store prefix stays; ids of the consent area are paths and unchanged. */
export function slugifyStreamId(id: string): string {
  if (id.startsWith(':_cmc:')) return id
  const prefix = prefixPattern.exec(id)?.[0] ?? ''
  const rest = id.slice(prefix.length)
  return prefix !== '' && rest === '' ? prefix : prefix + slugify(rest)
}

/** Result of `splitStorePrefix`. `prefix + item` is the original id. */
interface StoreItem {
  /** `local`, `_system` for account streams of both prefixes, `_audit`, or the id of an operator's store. */
  store: string
  /** `''` for local ids, `:<name>:` otherwise. */
  prefix: string
  /** Id inside its store; `''` stands for the whole store (`*` in the local store). */
  item: string
}

const prefixPattern = /^:[^:]+:/
const localPrefixes = new Set([':_cmc:', ':_shared-secrets:', ':_emails:', ':_delegation:'])
const accountPrefixes = new Set([':_system:', ':system:'])

/**
 * Splits an id into store and item (docs/interface/conventions.md#stores-and-id-prefixes). Ids that merely look prefixed are
 * local and unchanged.
 */
export function splitStorePrefix(id: string): StoreItem {
  const prefix = id.startsWith(':') ? prefixPattern.exec(id)?.[0] : undefined
  if (prefix === undefined || localPrefixes.has(prefix)) return { store: 'local', prefix: '', item: id }
  const item = id.slice(prefix.length)
  return { store: accountPrefixes.has(prefix) ? '_system' : prefix.slice(1, -1), prefix, item }
}

/** Checks whether an id names an account stream, built in (`:_system:`) or configured by the operator (`:system:`). */
export function isAccountStreamId(id: string): boolean {
  return id.startsWith(':_system:') || id.startsWith(':system:')
}

/** Checks whether a stream id is a reserved word; test before and after slugging (docs/interface/streams.md#ids). */
export function isReservedId(id: string): boolean {
  return id === 'null' || id === 'undefined' || id === '*'
}

/**
 * Checks whether an id is a dot segment, which clients and proxies remove from paths, so the item has no URL. Existing
 * items with such an id stay readable.
 */
export const isDotSegment = (id: string): boolean => id === '.' || id === '..'

/** Checks whether an access token is a reserved word; for tokens, inherited members of objects are reserved too. */
export function isReservedToken(token: string): boolean {
  return isReservedId(token) || token === 'prototype' || token in Object.prototype
}

/** Checks whether an id has a character that is refused in streams queries and permissions (docs/interface/streams.md#ids). */
export function hasForbiddenCharacter(id: string): boolean {
  return /["'\\\0\b\t\n\r\u001a]/.test(id)
}
