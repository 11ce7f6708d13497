/** Integrity hashes over the stable text of an event or access, reproducible by clients (docs/interface/integrity.md). */
import { createHash, hash } from 'node:crypto'
import type { Access } from './access.js'
import { unhashedInAccesses } from './accesses/fields.js'
import type { Event, EventDeletion, EventRemains } from './event.js'
import { unhashedInEvents } from './events/fields.js'
import { Failure } from './failure.js'
import { isJsonObject } from './json.js'
import { JsonText } from './jsonText.js'

export type IntegrityAlgorithm = 'sha256' | 'sha512' | 'sha1' | 'md5'

/**
 * Computes `EVENT:0:<algorithm>-<Base64 digest>` of an event or a tombstone. Also accepts an event as returned: handles
 * read tokens and `streamId`.
 * @throws Failure `corrupted-data` when `streamId` is not the first of `streamIds`
 */
export function eventIntegrity(event: EventRemains, algorithm: IntegrityAlgorithm): string {
  return `EVENT:0:${algorithm}-${largeDigest(event, algorithm) ?? hash(algorithm, eventText(event), 'base64')}`
}

/** Start of an event's text when content is its first member: without attachments and client data. */
export const CONTENT_FIRST = '{"content":'

/** Computes the digest of an event with large UTF-8 content directly over its bytes, or continues a prepared hash. */
function largeDigest(event: EventRemains, algorithm: IntegrityAlgorithm): string | undefined {
  const { content } = event
  if (!(content instanceof JsonText) || content.stableBytes === undefined) return undefined
  const entries = Object.entries(hashedMembers(event))
  // fromEntries defines own properties, so a key named __proto__ stays data.
  const textOf = (isWanted: (key: string) => boolean): string => objectText(Object.fromEntries(entries.filter(([key]) => isWanted(key))), notInEvent).slice(1, -1)
  const [before, after] = [textOf((key) => key < 'content'), textOf((key) => key > 'content')]
  const rest = after === '' ? '}' : `,${after}}`
  const { hashed, stableBytes } = content
  if (before === '' && hashed?.algorithm === algorithm) return hashed.state.copy().update(rest).digest('base64')
  const head = before === '' ? CONTENT_FIRST : `{${before},"content":`
  return createHash(algorithm).update(head).update(stableBytes).update(rest).digest('base64')
}

const INTEGRITY = {
  EVENT: /^EVENT:0:(sha256|sha512|sha1|md5)-/,
  ACCESS: /^ACCESS:0:(sha256|sha512|sha1|md5)-/,
}

/** Returns the algorithm in the integrity of an event or access; undefined for none. */
export function algorithmIn(of: keyof typeof INTEGRITY, integrity: string | undefined): IntegrityAlgorithm | undefined {
  const name = INTEGRITY[of].exec(integrity ?? '')?.[1]
  return name === 'sha256' || name === 'sha512' || name === 'sha1' || name === 'md5' ? name : undefined
}

/**
 * Computes `ACCESS:0:<algorithm>-<Base64 digest>` of an access with its token and base id, without injected permissions
 * and internal members.
 */
export function accessIntegrity(access: Access & { token: string }, algorithm: IntegrityAlgorithm): string {
  return `ACCESS:0:${algorithm}-${hash(algorithm, objectText(access, notInAccess), 'base64')}`
}

/** Returns the key of an event's integrity record: `EVENT:0:<id>:<modified, else deleted>`. */
export function eventRecordKey(event: Event | EventDeletion): string {
  return `EVENT:0:${event.id}:${event.modified ?? ('deleted' in event ? event.deleted : '')}`
}

/** Returns the key of an access's integrity record: `ACCESS:0:<id>:<modified>`. */
export function accessRecordKey(access: Access): string {
  return `ACCESS:0:${access.id}:${access.modified}`
}

/**
 * Serialises a JSON value independently of key order: no white space, keys by UTF-16 code units, null and undefined
 * members dropped at every depth, invisible and control characters escaped.
 */
export function stableText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (value instanceof JsonText) return value.stable(stableText)
      return Array.isArray(value) ? arrayText(value) : objectText(value, nothing)
    default:
      return 'null'
  }
}

/** Returns the text hashed for an event's integrity. */
const eventText = (event: EventRemains): string => objectText(hashedMembers(event), notInEvent)

/** Returns the members of an event, with streamIds in place of a streamId. */
function hashedMembers(event: EventRemains): object {
  if (!('streamId' in event)) return event
  const { streamId, ...rest } = event
  if (rest.streamIds !== undefined && rest.streamIds[0] !== streamId) throw new Failure('corrupted-data')
  return { ...rest, streamIds: rest.streamIds ?? [streamId] }
}

type Omission = (key: string, value: unknown) => boolean

const nothing: Omission = () => false

const notInEvent: Omission = (key, value) => {
  switch (key) {
    case 'headId':
      return true
    case 'duration':
      return value === 0
    case 'trashed':
      return value !== true
    default:
      return unhashedInEvents.has(key)
  }
}

const notInAttachment: Omission = (key) => key === 'readToken'

/** Also leaves out members of answers that are not stored with the access. */
const notInAccess: Omission = (key) =>
  unhashedInAccesses.has(key) || key === 'lastUsed' || key === 'calls' || key === 'apiEndpoint'

function objectText(value: object, omitted: Omission): string {
  if (!isJsonObject(value)) return stableText(value)
  let text = '{'
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member === null || member === undefined || omitted(key, member)) continue
    if (text.length > 1) text += ','
    text += quote(key) + ':'
    text += omitted === notInEvent && key === 'attachments' ? attachmentsText(member) : stableText(member)
  }
  return text + '}'
}

function attachmentsText(attachments: unknown): string {
  if (!Array.isArray(attachments)) return stableText(attachments)
  const textOf = (file: unknown): string =>
    typeof file === 'object' && file !== null ? objectText(file, notInAttachment) : stableText(file)
  return '[' + attachments.map(textOf).join(',') + ']'
}

function arrayText(values: readonly unknown[]): string {
  let text = '['
  for (let i = 0; i < values.length; i++) text += i === 0 ? stableText(values[i]) : ',' + stableText(values[i])
  return text + ']'
}

const special = new RegExp(
  '["\\\\\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0604\\u070f\\u17b4\\u17b5' +
    '\\u200c-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff\\ufff0-\\uffff]',
)
const everySpecial = new RegExp(special, 'g')

const short: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}

function quote(text: string): string {
  return special.test(text) ? `"${text.replace(everySpecial, escape)}"` : `"${text}"`
}

function escape(character: string): string {
  return short[character] ?? '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0')
}
