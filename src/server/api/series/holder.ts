/** Finds the event that holds a series, and checks access to its points (docs/interface/series.md). */
import { findEvent } from '../../../store/events/events.js'
import type { Event } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import type { SeriesShape } from '../../../store/model/flatJson.js'
import { eventPlace, mayReadEvent, mayWriteSeries } from '../../../store/model/permission.js'
import type { Call } from '../../call/method.js'
import type { RecordReader } from '../../../store/engine/recordReader.js'

/**
 * Returns the shape of a series that the caller may write to.
 * @throws Failure `unknown-resource`, `forbidden`, `invalid-operation` for an event without series or in the trash
 */
export function writableShape(call: Call, reader: RecordReader, id: string): SeriesShape {
  const event = findHolder(call, reader, id)
  if (!mayWriteSeries(call.caller.scope, eventPlace(event), call.account.tree)) throw new Failure('forbidden')
  const fields = fieldsOf(call, event)
  if (event.trashed === true) {
    throw new Failure('invalid-operation', `The referenced event "${id}" is trashed.`, { trashedReference: 'eventId' })
  }
  return { fields, time: event.time }
}

/**
 * Returns time and fields, in response order, of a series that the caller may read; `numeric` are the fields of numbers.
 * @throws Failure as for writing; a trashed series can be read
 */
export function readableHolder(call: Call, reader: RecordReader, id: string): { time: number; fields: string[]; numeric: string[] } {
  const event = findHolder(call, reader, id)
  if (!mayReadEvent(call.caller.scope, eventPlace(event), call.account.tree)) throw new Failure('forbidden')
  const fields = [...fieldsOf(call, event)]
  return {
    time: event.time,
    fields: fields.map(([name]) => name),
    numeric: fields.filter(([, { kind }]) => kind === 'number').map(([name]) => name),
  }
}

function findHolder({ account }: Call, reader: RecordReader, id: string): Event {
  const event = findEvent(reader, account.prefix, id)
  if (event === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  return event
}

function fieldsOf(call: Call, { type }: Event): SeriesShape['fields'] {
  const fields = call.node.eventTypes.seriesFields(type)
  if (fields === undefined) {
    throw new Failure('invalid-operation', `The event has type "${type}", which is not a series type.`, { type })
  }
  return fields
}
