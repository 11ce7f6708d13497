/**
 * The stored form of an event: the JSON text that reads answer with, its members in a fixed order, so that filters
 * can look at the head of a record without parsing it:
 *
 *   {["trashed":true,]"id":"…","streamIds":["…"],"streamId":"…","type":"…","time":N[,"duration":N|null], …
 *
 * Ids and types hold neither quotes nor backslashes; free text (content, description, clientData) comes after.
 */
import type { Event, EventDeletion } from './event.js'

const quoted = (text: string): string => JSON.stringify(text)

/** The record of an event, ending with its integrity when it has one. */
export function eventToRecord(event: Event): string {
  const first = event.streamIds[0] ?? ''
  let text = event.trashed === true ? '{"trashed":true,"id":"' : '{"id":"'
  text += event.id
  text += '","streamIds":["'
  text += event.streamIds.length === 1 ? first : event.streamIds.join('","')
  text += '"],"streamId":"' + first + '","type":"' + event.type + '","time":' + String(event.time)
  if (event.duration !== undefined) text += ',"duration":' + String(event.duration)
  if (event.content !== undefined && event.content !== null) text += ',"content":' + JSON.stringify(event.content)
  text += event.tags.length === 0 ? ',"tags":[]' : ',"tags":' + JSON.stringify(event.tags)
  if (event.description !== undefined) text += ',"description":' + quoted(event.description)
  if (event.attachments !== undefined && event.attachments.length > 0) {
    text += ',"attachments":' + JSON.stringify(event.attachments)
  }
  if (event.clientData !== undefined) text += ',"clientData":' + JSON.stringify(event.clientData)
  text += ',"created":' + String(event.created) + ',"createdBy":' + quoted(event.createdBy)
  text += ',"modified":' + String(event.modified) + ',"modifiedBy":' + quoted(event.modifiedBy)
  if (event.integrity !== undefined) text += ',"integrity":"' + event.integrity + '"'
  return text + '}'
}

/** The event behind a record. */
export function recordToEvent(record: string): Event {
  const { streamId: _, ...event } = JSON.parse(record) as Event & { streamId: string }
  return event
}

export const recordIsTrashed = (record: string): boolean => record.charCodeAt(2) === 0x74 // t of "trashed"

const STREAMS = '"streamIds":["'

/** The stream ids of a record. */
export function recordStreamIds(record: string): string[] {
  const from = record.indexOf(STREAMS) + STREAMS.length
  const to = record.indexOf('"]', from)
  const ids = record.slice(from, to)
  return ids.includes('"') ? ids.split('","') : [ids]
}

const TYPE = '","type":"'

function afterStreams(record: string): number {
  return record.indexOf('"]', record.indexOf(STREAMS) + STREAMS.length)
}

/** The type of a record. */
export function recordType(record: string): string {
  const from = record.indexOf(TYPE, afterStreams(record)) + TYPE.length
  return record.slice(from, record.indexOf('"', from))
}

/** The id of a record. */
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

/** The time of a record, in seconds. */
export function recordTime(record: string): number {
  const from = timeStart(record)
  return Number(record.slice(from, record.indexOf(',', from)))
}

/** When a record ends, in seconds: its time and its duration together, infinite for a running period. */
export function recordEnd(record: string): number {
  const from = timeStart(record)
  const to = record.indexOf(',', from)
  const time = Number(record.slice(from, to))
  if (!record.startsWith(DURATION, to)) return time
  if (record.startsWith(RUNNING, to)) return Infinity
  const at = to + DURATION.length
  return time + Number(record.slice(at, record.indexOf(',', at)))
}

/** Whether a record is a running period. */
export function recordIsRunning(record: string): boolean {
  return record.startsWith(RUNNING, record.indexOf(',', timeStart(record)))
}

const MODIFIED = ',"modified":'

/** When a record was last changed, in seconds. */
export function recordModified(record: string): number {
  // Nothing but modifiedBy and integrity follow, and neither holds the name of a member.
  const from = record.lastIndexOf(MODIFIED) + MODIFIED.length
  return Number(record.slice(from, record.indexOf(',', from)))
}

/** Whether a record is an event of an account stream: its id is that of the stream. */
export function recordIsOfAccount(record: string): boolean {
  return record.startsWith('{"id":":_system:') || record.startsWith('{"id":":system:')
}

/** A deletion as `eventDeletions` lists it. */
export function deletionToListing(deletion: EventDeletion): string {
  const { id, deleted, integrity } = deletion
  return JSON.stringify(integrity === undefined ? { id, deleted } : { id, deleted, integrity })
}
