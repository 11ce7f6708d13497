/**
 * Converts items to flat maps of scalars and back: one key for each value that can change independently. The tables of fields
 * (store/model/events/fields.ts and others) state the form of each; see `DocumentForm`.
 */
import type { Attachment, ClientData, Event } from '../../store/model/event.js'
import { eventDocument } from '../../store/model/events/fields.js'
import { Failure } from '../../store/model/failure.js'
import type { DocumentRow, DocumentRows } from '../../store/model/fieldTable.js'
import { isJsonObject } from '../../store/model/json.js'
import { JsonText, jsonTextOf } from '../../store/model/jsonText.js'
import type { Profile } from '../../store/model/profile.js'
import { profileDocument } from '../../store/model/profiles/fields.js'
import type { Stream } from '../../store/model/stream.js'
import { streamDocument } from '../../store/model/streams/fields.js'
import type { Item } from '../../store/engine/changeRecorder.js'
import type { FieldValue } from './encodeChange.js'
import { fromJson, isRecordText, isStreamId, scalarToText, textToScalar } from './fieldText.js'

/**
 * Fields of a document: `time`, `name` … unchanged; the JSON text of type and content as `body`; one key for each stream
 * (`s:<id>`) and tag (`t:<tag>`) with its position; one for each attachment (`a:<id>`) and each key of client data
 * (`c:<key>`) and of a profile set (`p:<key>`) with its JSON text.
 */
export type Fields = Record<string, FieldValue>

const DOCUMENTS: Readonly<Record<Item['kind'], DocumentRows>> = { event: eventDocument, stream: streamDocument, profile: profileDocument }

/** Returns the first characters of the keys of all fields with one of the forms. */
function prefixesOf(...forms: readonly DocumentRow['as'][]): ReadonlySet<string> {
  const rows = Object.values(DOCUMENTS).flatMap(({ read }) => read)
  return new Set(rows.flatMap((row) => ('prefix' in row && forms.includes(row.as) ? [row.prefix.charAt(0)] : [])))
}
const POSITIONS = prefixesOf('streamIds', 'texts')
const FILES = prefixesOf('files')

/** Maximum position of a list member; positions start at 0, and equal ones are ordered by id. */
const MAX_POSITION = 0x7fffffff

const damaged = (key: string): Failure => new Failure('corrupted-data', `The field ${JSON.stringify(key)} is damaged.`)

type Put = (key: string, value: FieldValue) => void
type PositionOf = (key: string) => number | undefined
const noPosition: PositionOf = () => undefined

/** Puts the keys of a field with a value. `item` is the whole item. */
type Write = (put: Put, row: DocumentRow, value: never, item: Item['item'], positionOf: PositionOf) => void

const writeNumber: Write = (put, { name }, value) => put(name, fromNumber(value))
const writeText: Write = (put, { name }, value) => put(name, textToScalar(value))
const writeScalar: Write = (put, { name }, value) => put(name, value)
const writePositions: Write = (put, row, value, _, positionOf) => putPositions(put, prefixOf(row), value, positionOf)

const writers: Readonly<Record<DocumentRow['as'], Write>> = {
  body: (put, _row, _value, item) => put('body', bodyText(item as Event)),
  number: writeNumber,
  text: writeText,
  optionalText: writeText,
  duration: (put, row, value) => put(row.name, value === null ? null : fromNumber(value)),
  streamId: (put, row, value) => put(row.name, value === null ? null : textToScalar(value)),
  streamIds: writePositions,
  texts: writePositions,
  files: (put, row, value, _, positionOf) => putAttachments(put, prefixOf(row), value, positionOf),
  map: (put, row, value) => putKeys(put, prefixOf(row), value),
  flag: writeScalar,
  optionalBoolean: writeScalar,
}

const prefixOf = (row: DocumentRow): string => ('prefix' in row ? row.prefix : '')

const withWriters = ({ written }: DocumentRows): readonly { name: string; row: DocumentRow; write: Write }[] =>
  written.map((row) => ({ name: row.name, row, write: writers[row.as] }))
const WRITTEN = { event: withWriters(eventDocument), stream: withWriters(streamDocument), profile: withWriters(profileDocument) }

/**
 * Calls `put` with the keys of an item's document and their values, without id and integrity. `positionOf` returns current
 * positions of list members, which are kept as far as the order allows: a move is an edit that undoes a concurrent removal.
 * Repeated tags and streams count once; empty client data and attachments are omitted.
 */
export function eachField({ kind, item }: Item, put: Put, positionOf: PositionOf = noPosition): void {
  // The form of a field determines the type of its value.
  const members = item as unknown as Readonly<Record<string, never>>
  for (const { name, row, write } of WRITTEN[kind]) {
    const value = members[name]
    if (value !== undefined) write(put, row, value, item, positionOf)
  }
}

/** Returns the fields of an item as `eachField` lists them. */
export function itemToFields(item: Item, positionOf?: PositionOf): Fields {
  const fields: Fields = {}
  eachField(item, (key, value) => (fields[key] = value), positionOf)
  return fields
}

/** Cached texts of type and large content, so that comparing them after edits of other fields is cheap. */
const bodyTexts = new WeakMap<JsonText, { type: string; text: string }>()

/** Returns the JSON text of type and content. */
function bodyText({ type, content }: Event): string {
  if (!(content instanceof JsonText)) return JSON.stringify({ type, content })
  const known = bodyTexts.get(content)
  if (known?.type === type) return known.text
  const text = `{"type":${JSON.stringify(type)},"content":${content.text}}`
  bodyTexts.set(content, { type, text })
  return text
}

/** Returns the JSON text of type and content in three parts when the content is UTF-8 already; see LargeText. */
export const largeBody = ({ type, content }: Event): [before: string, bytes: Uint8Array, after: string] | undefined =>
  content instanceof JsonText && content.bytes !== undefined ? [`{"type":${JSON.stringify(type)},"content":`, content.bytes, '}'] : undefined

function putKeys(put: Put, prefix: string, values: ClientData): void {
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) put(prefix + textToScalar(key), jsonTextOf(value))
  }
}

function putPositions(put: Put, prefix: string, members: readonly string[], positionOf: PositionOf): void {
  if (members.length === 0) return
  const next = createPositionAllocator(positionOf)
  for (const member of members.length === 1 ? members : new Set(members)) {
    const key = prefix + textToScalar(member)
    put(key, next(key))
  }
}

function putAttachments(put: Put, prefix: string, attachments: readonly Attachment[], positionOf: PositionOf): void {
  const next = createPositionAllocator(positionOf)
  for (const { id, fileName, type, size, integrity } of attachments) {
    const key = prefix + textToScalar(id)
    put(key, JSON.stringify({ position: next(key), fileName, type, size, integrity }))
  }
}

/** Assigns positions to list members: the current one if it follows the previous member, else the next free one. */
function createPositionAllocator(positionOf: PositionOf): (key: string) => number {
  let last = -1
  let lastKey = ''
  return (key) => {
    const has = positionOf(key)
    last = has !== undefined && (has > last || (has === last && key > lastKey)) ? has : last + 1
    lastKey = key
    return last
  }
}

/** Returns the position in the value of a field; undefined for fields that are not list members. */
export function positionIn(key: string, value: FieldValue): number | undefined {
  let position: unknown
  if (isPosition(key)) position = value
  else if (isPrefixed(key) && FILES.has(key.charAt(0))) position = attachmentIn(value)?.['position']
  return isWithin(position) ? position : undefined
}

const isPrefixed = (key: string): boolean => key.charCodeAt(1) === 0x3a

/** Checks whether the value of a field is a position, which is encoded as an integer; other numbers are doubles. */
export const isPosition = (key: string): boolean => isPrefixed(key) && POSITIONS.has(key.charAt(0))

const isWithin = (position: unknown): position is number =>
  Number.isInteger(position) && Number(position) >= 0 && Number(position) <= MAX_POSITION

/**
 * Returns the item of a document's fields. Lists are ordered by position, maps by key.
 * @throws Failure `corrupted-data` when a field is missing or invalid
 */
export function fieldsToItem(kind: Item['kind'], id: string, fields: Fields): Item {
  const item: Record<string, unknown> = { id }
  const keys = prefixedKeys(fields)
  for (const row of DOCUMENTS[kind].read) readField(item, row, fields, keys)
  // The form of a field determines the type of its value.
  return { kind, item } as unknown as Item
}

/** Returns the event of a document's fields; throws as `fieldsToItem` does. */
export const fieldsToEvent = (id: string, fields: Fields): Event => fieldsToItem('event', id, fields).item as Event

/** Returns the stream of a document's fields; throws as `fieldsToItem` does. */
export const fieldsToStream = (id: string, fields: Fields): Stream => fieldsToItem('stream', id, fields).item as Stream

/** Returns the profile set of a document's fields; throws as `fieldsToItem` does. */
export const fieldsToProfile = (id: string, fields: Fields): Profile => fieldsToItem('profile', id, fields).item as Profile

/** Keys of a document that have a prefix, by the prefix. */
type PrefixedKeys = ReadonlyMap<string, readonly string[]>

function prefixedKeys(fields: Fields): PrefixedKeys {
  const keys = new Map<string, string[]>()
  for (const key of Object.keys(fields)) {
    if (!isPrefixed(key)) continue
    const prefix = key.slice(0, 2)
    const others = keys.get(prefix)
    if (others === undefined) keys.set(prefix, [key])
    else others.push(key)
  }
  return keys
}

const NONE: readonly string[] = []

/** Sets the member of an item for a field of its document; absent fields without a required value stay unset. */
function readField(item: Record<string, unknown>, row: DocumentRow, fields: Fields, keys: PrefixedKeys): void {
  const { name } = row
  switch (row.as) {
    case 'body':
      readBody(item, fields['body'])
      break
    case 'number':
      item[name] = numberIn(fields, name)
      break
    case 'text':
      item[name] = textIn(fields, name)
      break
    case 'optionalText':
      if (name in fields) item[name] = textIn(fields, name)
      break
    case 'duration':
      if (fields[name] !== undefined && fields[name] !== 0) item[name] = fields[name] === null ? null : numberIn(fields, name)
      break
    case 'streamId':
      item[name] = fields[name] === null ? null : asStreamId(name, textIn(fields, name))
      break
    case 'streamIds':
      item[name] = membersOf(fields, keys.get(row.prefix)).map((id) => asStreamId(row.prefix, id))
      break
    case 'texts':
      item[name] = membersOf(fields, keys.get(row.prefix))
      break
    case 'files': {
      const files = keys.get(row.prefix)
      if (files !== undefined) item[name] = attachmentsOf(fields, files)
      break
    }
    case 'map': {
      const own = keys.get(row.prefix)
      if (own !== undefined || row.isRequired === true) item[name] = mapOf(fields, own)
      break
    }
    case 'flag':
      if (fields[name] === true) item[name] = true
      break
    case 'optionalBoolean':
      if (fields[name] === undefined) break
      if (typeof fields[name] !== 'boolean') throw damaged(name)
      item[name] = fields[name]
  }
}

function readBody(item: Record<string, unknown>, value: FieldValue | undefined): void {
  const body = fromJson(value)
  if (!isJsonObject(body)) throw damaged('body')
  const { type } = body
  if (typeof type !== 'string' || !isRecordText(type)) throw damaged('body')
  item['type'] = type
  if ('content' in body) item['content'] = body['content']
}

function membersOf(fields: Fields, keys = NONE): string[] {
  const members = keys.map((key): Placed<string> => {
    const position = fields[key]
    if (!isWithin(position)) throw damaged(key)
    return { position, key, member: scalarToText(key.slice(2)) }
  })
  return inOrder(members)
}

function attachmentsOf(fields: Fields, keys: readonly string[]): Attachment[] {
  const attachments = keys.map((key): Placed<Attachment> => {
    const { position, fileName, type, size, integrity } = attachmentIn(fields[key]) ?? {}
    if (!isWithin(position) || typeof fileName !== 'string' || typeof type !== 'string') throw damaged(key)
    if (typeof size !== 'number' || (integrity !== undefined && typeof integrity !== 'string')) throw damaged(key)
    const file = { id: scalarToText(key.slice(2)), fileName, type, size }
    return { position, key, member: integrity === undefined ? file : { ...file, integrity } }
  })
  return inOrder(attachments)
}

function attachmentIn(value: FieldValue | undefined): Record<string, unknown> | undefined {
  const attachment = fromJson(value)
  return isJsonObject(attachment) ? attachment : undefined
}

interface Placed<T> {
  position: number
  key: string
  member: T
}

const inOrder = <T>(members: Placed<T>[]): T[] =>
  members.sort((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1)).map(({ member }) => member)

function mapOf(fields: Fields, keys = NONE): ClientData {
  const entries = keys.map((key): [string, unknown] => {
    const value = fromJson(fields[key])
    if (value === undefined) throw damaged(key)
    return [scalarToText(key.slice(2)), value]
  })
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

// Minus zero is zero in JSON, and therefore in records.
const fromNumber = (value: number): number => value + 0

function numberIn(fields: Fields, key: string): number {
  const value = fields[key]
  if (typeof value !== 'number' || !Number.isFinite(value)) throw damaged(key)
  return fromNumber(value)
}

function textIn(fields: Fields, key: string): string {
  const value = fields[key]
  if (typeof value !== 'string') throw damaged(key)
  return scalarToText(value)
}

function asStreamId(key: string, id: string): string {
  if (!isStreamId(id)) throw damaged(key)
  return id
}
