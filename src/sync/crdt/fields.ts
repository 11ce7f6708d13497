/**
 * Converts items to flat maps of scalars and back: one key for each value that can change independently. Type and content
 * share a key, so that no merge combines the type of one edit with the content of another.
 */
import type { Attachment, ClientData, Event } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'
import { JsonText, jsonTextOf } from '../../store/model/jsonText.js'
import type { Profile } from '../../store/model/profile.js'
import type { Stream } from '../../store/model/stream.js'
import type { Item } from '../../store/engine/changeRecorder.js'
import type { FieldValue } from './encodeChange.js'
import { fromJson, isRecordText, isStreamId, scalarToText, textToScalar } from './fieldText.js'

/**
 * Fields of a document: `time`, `name` … unchanged; the JSON text of type and content as `body`; one key for each stream
 * (`s:<id>`) and tag (`t:<tag>`) with its position; one for each attachment (`a:<id>`) and each key of client data
 * (`c:<key>`) and of a profile set (`p:<key>`) with its JSON text.
 */
export type Fields = Record<string, FieldValue>

/** Maximum position of a list member; positions start at 0, and equal ones are ordered by id. */
const MAX_POSITION = 0x7fffffff

const damaged = (key: string): Failure => new Failure('corrupted-data', `The field ${JSON.stringify(key)} is damaged.`)

/**
 * Returns the fields of an item without its id and its integrity. `positionOf` returns current positions of list members,
 * which are kept as far as the order allows: a move is an edit that undoes a concurrent removal. Repeated tags and streams
 * count once; empty client data and attachments are omitted.
 */
export function itemToFields(item: Item, positionOf?: (key: string) => number | undefined): Fields {
  switch (item.kind) {
    case 'event':
      return eventToFields(item.item, positionOf)
    case 'stream':
      return streamToFields(item.item)
    case 'profile':
      return profileToFields(item.item)
  }
}

type PositionOf = (key: string) => number | undefined
const nowhere: PositionOf = () => undefined

function eventToFields(event: Event, positionOf: PositionOf = nowhere): Fields {
  const fields: Fields = { body: bodyText(event) }
  addPositions(fields, 's:', event.streamIds, positionOf)
  fields['time'] = fromNumber(event.time)
  if (event.duration !== undefined) fields['duration'] = event.duration === null ? null : fromNumber(event.duration)
  if (event.description !== undefined) fields['description'] = textToScalar(event.description)
  if (event.tags.length > 0) addPositions(fields, 't:', event.tags, positionOf)
  if (event.attachments !== undefined) addAttachments(fields, event.attachments, positionOf)
  addCommon(fields, event)
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

function streamToFields(stream: Stream): Fields {
  const fields: Fields = {
    name: textToScalar(stream.name),
    parentId: stream.parentId === null ? null : textToScalar(stream.parentId),
  }
  if (stream.childrenHidden !== undefined) fields['childrenHidden'] = stream.childrenHidden
  addCommon(fields, stream)
  return fields
}

function profileToFields({ keys, modified }: Profile): Fields {
  const fields: Fields = { modified: fromNumber(modified) }
  addKeys(fields, 'p:', keys)
  return fields
}

function addCommon(fields: Fields, item: Event | Stream): void {
  if (item.clientData !== undefined) addKeys(fields, 'c:', item.clientData)
  if (item.trashed !== undefined) fields['trashed'] = item.trashed
  fields['created'] = fromNumber(item.created)
  fields['createdBy'] = textToScalar(item.createdBy)
  fields['modified'] = fromNumber(item.modified)
  fields['modifiedBy'] = textToScalar(item.modifiedBy)
}

function addKeys(fields: Fields, prefix: string, values: ClientData): void {
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) fields[prefix + textToScalar(key)] = jsonTextOf(value)
  }
}

function addPositions(fields: Fields, prefix: string, members: readonly string[], positionOf: PositionOf): void {
  const next = placing(positionOf)
  for (const member of members) {
    const key = prefix + textToScalar(member)
    if (!(key in fields)) fields[key] = next(key)
  }
}

function addAttachments(fields: Fields, attachments: readonly Attachment[], positionOf: PositionOf): void {
  const next = placing(positionOf)
  for (const { id, fileName, type, size, integrity } of attachments) {
    const key = 'a:' + textToScalar(id)
    fields[key] = JSON.stringify({ position: next(key), fileName, type, size, integrity })
  }
}

/** Assigns positions to list members: the current one if it follows the previous member, else the next free one. */
function placing(positionOf: PositionOf): (key: string) => number {
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
  else if (key.startsWith('a:')) position = attachmentIn(value)?.['position']
  return isWithin(position) ? position : undefined
}

/** Checks whether the value of a field is a position, which is encoded as an integer; other numbers are doubles. */
export const isPosition = (key: string): boolean => key.charCodeAt(1) === 0x3a && (key[0] === 's' || key[0] === 't')

const isWithin = (position: unknown): position is number =>
  Number.isInteger(position) && Number(position) >= 0 && Number(position) <= MAX_POSITION

/**
 * Returns the item of a document's fields.
 * @throws Failure `corrupted-data` when a field is missing or invalid
 */
export function fieldsToItem(kind: Item['kind'], id: string, fields: Fields): Item {
  switch (kind) {
    case 'event':
      return { kind, item: fieldsToEvent(id, fields) }
    case 'stream':
      return { kind, item: fieldsToStream(id, fields) }
    case 'profile':
      return { kind, item: fieldsToProfile(id, fields) }
  }
}

/**
 * Returns the event of a document's fields. Lists are ordered by position, client data by key.
 * @throws Failure `corrupted-data` when a field is missing or invalid
 */
export function fieldsToEvent(id: string, fields: Fields): Event {
  const duration = fields['duration']
  const attachments = attachmentsOf(fields)
  return {
    id,
    streamIds: membersOf(fields, 's:').map((stream) => asStreamId('s:', stream)),
    ...bodyOf(fields),
    time: numberIn(fields, 'time'),
    ...(duration === undefined || duration === 0
      ? {}
      : { duration: duration === null ? null : numberIn(fields, 'duration') }),
    tags: membersOf(fields, 't:'),
    ...('description' in fields ? { description: textIn(fields, 'description') } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...commonOf(fields),
  }
}

/**
 * Returns the stream of a document's fields.
 * @throws Failure `corrupted-data` when a field is missing or invalid
 */
export function fieldsToStream(id: string, fields: Fields): Stream {
  const { childrenHidden } = fields
  if (childrenHidden !== undefined && typeof childrenHidden !== 'boolean') throw damaged('childrenHidden')
  return {
    id,
    name: textIn(fields, 'name'),
    parentId: fields['parentId'] === null ? null : asStreamId('parentId', textIn(fields, 'parentId')),
    ...(childrenHidden === undefined ? {} : { childrenHidden }),
    ...commonOf(fields),
  }
}

/**
 * Returns the profile set of a document's fields, ordered by key.
 * @throws Failure `corrupted-data` when a field is missing or invalid
 */
export function fieldsToProfile(id: string, fields: Fields): Profile {
  return { id, keys: keysOf(fields, 'p:'), modified: numberIn(fields, 'modified') }
}

type Common = Pick<Event & Stream, 'created' | 'createdBy' | 'modified' | 'modifiedBy' | 'clientData' | 'trashed'>

function commonOf(fields: Fields): Common {
  const clientData = keysOf(fields, 'c:')
  return {
    ...(Object.keys(clientData).length === 0 ? {} : { clientData }),
    ...(fields['trashed'] === true ? { trashed: true } : {}),
    created: numberIn(fields, 'created'),
    createdBy: textIn(fields, 'createdBy'),
    modified: numberIn(fields, 'modified'),
    modifiedBy: textIn(fields, 'modifiedBy'),
  }
}

function bodyOf(fields: Fields): { type: string; content?: unknown } {
  const body = fromJson(fields['body'])
  if (!isRecord(body)) throw damaged('body')
  const { type } = body
  if (typeof type !== 'string' || !isRecordText(type)) throw damaged('body')
  return 'content' in body ? { type, content: body['content'] } : { type }
}

function membersOf(fields: Fields, prefix: string): string[] {
  const members: Placed<string>[] = []
  for (const [key, position] of Object.entries(fields)) {
    if (!key.startsWith(prefix)) continue
    if (!isWithin(position)) throw damaged(key)
    members.push({ position, key, member: scalarToText(key.slice(prefix.length)) })
  }
  return inOrder(members)
}

function attachmentsOf(fields: Fields): Attachment[] {
  const attachments: Placed<Attachment>[] = []
  for (const [key, value] of Object.entries(fields)) {
    if (!key.startsWith('a:')) continue
    const { position, fileName, type, size, integrity } = attachmentIn(value) ?? {}
    if (!isWithin(position) || typeof fileName !== 'string' || typeof type !== 'string') throw damaged(key)
    if (typeof size !== 'number' || (integrity !== undefined && typeof integrity !== 'string')) throw damaged(key)
    const file = { id: scalarToText(key.slice(2)), fileName, type, size }
    attachments.push({ position, key, member: integrity === undefined ? file : { ...file, integrity } })
  }
  return inOrder(attachments)
}

function attachmentIn(value: FieldValue): Record<string, unknown> | undefined {
  const attachment = fromJson(value)
  return isRecord(attachment) ? attachment : undefined
}

interface Placed<T> {
  position: number
  key: string
  member: T
}

const inOrder = <T>(members: Placed<T>[]): T[] =>
  members.sort((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1)).map(({ member }) => member)

function keysOf(fields: Fields, prefix: string): ClientData {
  const entries: [string, unknown][] = []
  for (const [key, text] of Object.entries(fields)) {
    if (!key.startsWith(prefix)) continue
    const value = fromJson(text)
    if (value === undefined) throw damaged(key)
    entries.push([scalarToText(key.slice(prefix.length)), value])
  }
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
