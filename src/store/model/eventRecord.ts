/**
 * Encodes events as stored: the JSON text returned by reads, with members in a fixed order, so that filters can inspect
 * the head of a record without parsing it:
 *   {["trashed":true,]"id":"…","streamIds":["…"],"streamId":"…","type":"…","time":N[,"duration":N|null]
 *   [,"attachments":[{"id":"…", …}, …]], …
 * Ids and types contain neither quotes nor backslashes; free text (content, description, clientData) comes after. The
 * position of attachments is fixed, so that reader-dependent members are inserted without parsing the rest.
 */
import type { Attachment, Event, EventDeletion } from './event.js'
import { optionalInEventRecords } from './events/fields.js'
import { JsonText, jsonTextOf, jsonValueEnd, mapTextOf, MIN_SPLIT_LENGTH, parseMap, textOrValue, utf8Text } from './jsonText.js'

const ATTACHMENTS = ',"attachments":['

const quoted = (text: string): string => JSON.stringify(text)

/** Encodes an event, ending with its integrity if it has one. */
export function eventToRecord(event: Event): string {
  const { content } = event
  const hasContent = content !== undefined && content !== null
  return recordHead(event) + (hasContent ? CONTENT + jsonTextOf(content) : '') + recordTail(event)
}

/**
 * Encodes an event as UTF-8 if its content is UTF-8, so that nothing is decoded. An event with attachments becomes text,
 * into which read tokens are inserted.
 */
export function recordOf(event: Event): string | Uint8Array {
  const { content, attachments = [] } = event
  if (!(content instanceof JsonText) || content.bytes === undefined || attachments.length > 0) return eventToRecord(event)
  const [head, tail] = [recordHead(event) + CONTENT, recordTail(event)]
  const tailBytes = encoder.encode(tail)
  // A UTF-16 code unit takes at most three bytes.
  const bytes = new Uint8Array(head.length * 3 + content.bytes.length + tailBytes.length)
  const { written } = encoder.encodeInto(head, bytes)
  bytes.set(content.bytes, written)
  bytes.set(tailBytes, written + content.bytes.length)
  return bytes.subarray(0, written + content.bytes.length + tailBytes.length)
}

const encoder = new TextEncoder()

/** Returns the text before the content. */
function recordHead(event: Event): string {
  const first = event.streamIds[0] ?? ''
  let text = event.trashed === true ? '{"trashed":true,"id":"' : '{"id":"'
  text += event.id
  text += '","streamIds":["'
  text += event.streamIds.length === 1 ? first : event.streamIds.join('","')
  text += '"],"streamId":"' + first + '","type":"' + event.type + '","time":' + String(event.time)
  if (event.duration !== undefined) text += ',"duration":' + String(event.duration)
  if (event.attachments !== undefined && event.attachments.length > 0) {
    text += ATTACHMENTS + event.attachments.map(attachmentText).join(',') + ']'
  }
  return text
}

/** Optional members after the tags. A map is encoded by member, since its large values may be text (JsonText). */
const OPTIONAL = optionalInEventRecords.map(({ name, isMap }) => ({
  name,
  isMap,
  start: `,"${name}":`,
  encode: (isMap ? mapTextOf : JSON.stringify) as (value: unknown) => string,
}))

/** Returns the text after the content. */
function recordTail(event: Event): string {
  let text = event.tags.length === 0 ? ',"tags":[]' : ',"tags":' + JSON.stringify(event.tags)
  for (const { name, start, encode } of OPTIONAL) {
    const value = event[name]
    if (value !== undefined) text += start + encode(value)
  }
  text += ',"created":' + String(event.created) + ',"createdBy":' + quoted(event.createdBy)
  text += ',"modified":' + String(event.modified) + ',"modifiedBy":' + quoted(event.modifiedBy)
  if (event.integrity !== undefined) text += ',"integrity":"' + event.integrity + '"'
  return text + '}'
}

function attachmentText({ id, fileName, type, size, integrity }: Attachment): string {
  return JSON.stringify({ id, fileName, type, size, ...(integrity === undefined ? {} : { integrity }) })
}

/** Returns the event of a record. In a large record, large content and client-data values stay text (JsonText). */
export function recordToEvent(record: string): Event {
  const parsed = record.length < MIN_SPLIT_LENGTH ? JSON.parse(record) : parseLargeRecord(record)
  const { streamId: _, ...event } = parsed as Event & { streamId: string }
  return event
}

const CONTENT = ',"content":'
const TAGS = ',"tags":'

/** Parses a record, skipping the values of its content and of its maps as text. */
function parseLargeRecord(record: string): unknown {
  // Quotes within strings are escaped: the first match after the head is the member itself.
  const contentAt = record.indexOf(CONTENT)
  const firstTags = record.indexOf(TAGS)
  const hasContent = contentAt >= 0 && contentAt < firstTags
  const tagsAt = hasContent ? contentEnd(record, contentAt + CONTENT.length) : firstTags
  const head = JSON.parse(`${record.slice(0, hasContent ? contentAt : tagsAt)}}`) as Record<string, unknown>
  if (hasContent) {
    const content = textOrValue(record.slice(contentAt + CONTENT.length, tagsAt))
    // Stored content was validated against its type.
    if (content instanceof JsonText && typeof head['type'] === 'string') content.fits = head['type']
    head['content'] = content
  }
  const members: Record<string, unknown>[] = [head]
  let from = tagsAt
  let at = jsonValueEnd(record, tagsAt + TAGS.length)
  for (const { name, start, isMap } of OPTIONAL) {
    if (!record.startsWith(start, at)) continue
    if (!isMap) at = jsonValueEnd(record, at + start.length)
    else {
      members.push(JSON.parse(`{${record.slice(from + 1, at)}}`) as Record<string, unknown>)
      const { map, end } = parseMap(record, at + start.length)
      members.push({ [name]: map })
      from = at = end
    }
  }
  members.push(JSON.parse(`{${record.slice(from + 1)}`) as Record<string, unknown>)
  return Object.assign({}, ...members)
}

/** Returns the end of the content at `from`: scans backwards where little follows it, else forwards. */
function contentEnd(record: string, from: number): number {
  for (let at = record.lastIndexOf(TAGS); at > from && record.length - at < MIN_SPLIT_LENGTH; at = record.lastIndexOf(TAGS, at - 1)) {
    // Starting at a same-named member within content or client data, the braces do not match.
    if (isJson(`{${record.slice(at + 1)}`)) return at
  }
  return jsonValueEnd(record, from)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the head of a UTF-8 record: the text before the content, including its streams. Undefined for a record
 * without content or with attachments.
 */
export function headOfBytes(record: Uint8Array): string | undefined {
  const end = Buffer.from(record.buffer, record.byteOffset, record.length).indexOf(CONTENT)
  const head = end < 0 ? undefined : utf8Text(record.subarray(0, end))
  // Ids and types contain no quotes; the member itself precedes all free text.
  return head === undefined || head.includes(ATTACHMENTS) || head.includes(TAGS) ? undefined : head
}

export const recordIsTrashed = (record: string): boolean => record.charCodeAt(2) === 0x74 // t of "trashed"

const STREAMS = '"streamIds":["'

/** Returns the stream ids of a record. */
export function recordStreamIds(record: string): string[] {
  const from = record.indexOf(STREAMS) + STREAMS.length
  const to = record.indexOf('"]', from)
  const ids = record.slice(from, to)
  return ids.includes('"') ? ids.split('","') : [ids]
}

/** Returns the stream ids of a record as stored: separated by `","`. */
export function recordStreamsText(record: string): string {
  const from = record.indexOf(STREAMS) + STREAMS.length
  return record.slice(from, record.indexOf('"]', from))
}

const TYPE = '","type":"'

function afterStreams(record: string): number {
  return record.indexOf('"]', record.indexOf(STREAMS) + STREAMS.length)
}

/** Returns the type of a record. */
export function recordType(record: string): string {
  const from = record.indexOf(TYPE, afterStreams(record)) + TYPE.length
  return record.slice(from, record.indexOf('"', from))
}

/** Returns the part of a record with its streams and its type. */
export function recordGroupText(record: string): string {
  const from = record.indexOf(STREAMS)
  return record.slice(from, timeStart(record))
}

/** Returns the id of a record. */
export function recordId(record: string): string {
  const from = record.indexOf('"id":"') + 6
  return record.slice(from, record.indexOf('"', from))
}

const TIME = '","time":'
const DURATION = ',"duration":'
const RUNNING = ',"duration":null'

function timeStart(record: string): number {
  return record.indexOf(TIME, afterStreams(record)) + TIME.length
}

/** Returns the time of a record, in seconds. */
export function recordTime(record: string): number {
  const from = timeStart(record)
  return Number(record.slice(from, record.indexOf(',', from)))
}

/** Adds the duration 0, which records of points in time omit. */
export function recordWithZeroDuration(record: string): string {
  const at = record.indexOf(',', timeStart(record))
  return record.startsWith(DURATION, at) ? record : `${record.slice(0, at)}${DURATION}0${record.slice(at)}`
}

/** Returns the end of a record in seconds: time plus duration, infinite for a running period. */
export function recordEnd(record: string): number {
  const from = timeStart(record)
  const to = record.indexOf(',', from)
  const time = Number(record.slice(from, to))
  if (!record.startsWith(DURATION, to)) return time
  if (record.startsWith(RUNNING, to)) return Infinity
  const at = to + DURATION.length
  return time + Number(record.slice(at, record.indexOf(',', at)))
}

/** Checks whether a record is a running period. */
export function recordIsRunning(record: string): boolean {
  return record.startsWith(RUNNING, record.indexOf(',', timeStart(record)))
}

/** Characters up to which a record is searched whole, which takes a third of the time of finding the place of its attachments. */
const MAX_SEARCHED_LENGTH = 2048

/** Returns the offset of the first attachment of a record; -1 without any. */
function attachmentsStart(record: string): number {
  if (record.length <= MAX_SEARCHED_LENGTH && !record.includes(ATTACHMENTS)) return -1
  let at = record.indexOf(',', timeStart(record))
  if (record.startsWith(DURATION, at)) at = record.indexOf(',', at + DURATION.length)
  return record.startsWith(ATTACHMENTS, at) ? at + ATTACHMENTS.length : -1
}

/** Returns the offset after the closing quote of a JSON string that starts at `at`. */
function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKSLASH) i += 1
    else if (code === QUOTE) return i + 1
  }
  return text.length
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FILE_ID = '{"id":'

/** Inserts a `readToken` for each attachment; returns a record without attachments unchanged. */
export function recordWithReadTokens(record: string, tokenOf: (fileId: string) => string): string {
  let at = attachmentsStart(record)
  if (at < 0) return record
  let text = ''
  let copied = 0
  while (record.startsWith(FILE_ID, at)) {
    const from = at + FILE_ID.length
    const to = stringEnd(record, from)
    const token = tokenOf(JSON.parse(record.slice(from, to)) as string)
    text += record.slice(copied, to) + ',"readToken":' + quoted(token)
    copied = to
    at = to
    while (record[at] !== '}') at = record.charCodeAt(at) === QUOTE ? stringEnd(record, at) : at + 1
    // After the object: a comma and the next one, or the end of the list.
    at += 2
  }
  return text + record.slice(copied)
}

/** Returns the offset of the content of a record; -1 without content. */
export function recordContentStart(record: string): number {
  let at = record.indexOf(',', timeStart(record))
  if (record.startsWith(DURATION, at)) at = record.indexOf(',', at + DURATION.length)
  // Text within attachments has its quotes escaped, so the first match after them is the member.
  if (record.startsWith(ATTACHMENTS, at)) at = jsonValueEnd(record, at + ATTACHMENTS.length - 1)
  return record.startsWith(CONTENT, at) ? at + CONTENT.length : -1
}

/** Returns the content of a record as JSON text; undefined without content, or if it is longer than `max` characters. */
export function recordContent(record: string, max: number): string | undefined {
  const from = recordContentStart(record)
  if (from < 0) return undefined
  // Scanning no further than needed: content may have megabytes.
  const end = jsonValueEnd(record.length > from + max + 1 ? record.slice(from, from + max + 1) : record.slice(from), 0)
  return end > max ? undefined : record.slice(from, from + end)
}

const MODIFIED = ',"modified":'

/** Returns the modification time of a record, in seconds. */
export function recordModified(record: string): number {
  // Only modifiedBy and integrity follow, and neither contains a member name.
  const from = record.lastIndexOf(MODIFIED) + MODIFIED.length
  return Number(record.slice(from, record.indexOf(',', from)))
}

/** Checks whether a record is an event of an account stream: its id is that of the stream. */
export function recordIsOfAccount(record: string): boolean {
  return record.startsWith('{"id":":_system:') || record.startsWith('{"id":":system:')
}

/** Formats a deletion as listed in `eventDeletions`. */
export function deletionToListing(deletion: EventDeletion): string {
  const { id, deleted, integrity } = deletion
  return JSON.stringify(integrity === undefined ? { id, deleted } : { id, deleted, integrity })
}
