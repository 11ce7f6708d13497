/** What an imported event says differently from the event that is there. */
import { isSeriesType } from '../../store/model/eventTypes/series.js'
import { stableText } from '../../store/model/integrity.js'
import { recordOf } from '../client/answer.js'
import type { Record_ } from '../client/answer.js'
import type { EventLine } from './line.js'

/** The fields that hold what an event says, in the order in which differences are told. */
const fields = ['streamIds', 'type', 'time', 'duration', 'content', 'description', 'tags', 'clientData', 'trashed'] as const

export type Field = (typeof fields)[number]

/** What a field holds once it is stored: forms of "nothing" are one. */
function stored(field: Field, value: unknown): unknown {
  switch (field) {
    case 'duration':
      // null is a period that goes on.
      return value === 0 ? undefined : value
    case 'tags':
      return Array.isArray(value) ? value.map((tag) => String(tag).trim()).filter((tag) => tag !== '') : []
    case 'trashed':
      return value === true ? true : undefined
    default:
      return value === null ? undefined : value
  }
}

/** The fields in which the line and the event that is there differ; an event on a line that is whole names them all. */
export function differences({ event, isWhole }: Pick<EventLine, 'event' | 'isWhole'>, existing: Record_): Field[] {
  return fields.filter((field) => {
    if (field === 'time' ? event['time'] === undefined : !isWhole && !(field in event)) return false
    // The content of a series is the node's.
    if (field === 'content' && isSeriesType(event.type)) return false
    const ours = stored(field, event[field])
    const theirs = stored(field, existing[field])
    return ours !== theirs && text(ours) !== text(theirs)
  })
}

/** Null and absent are told apart, as periods that go on and moments need it. */
const text = (value: unknown): string => (value === undefined ? '' : stableText(value))

/** The update that makes the event that is there say what the line says, in the given fields. */
export function changesTo(event: Record_, existing: Record_, differing: readonly Field[]): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const field of differing) {
    const value = stored(field, event[field])
    if (field === 'clientData') changes[field] = value === undefined ? null : withoutOthers(recordOf(value), recordOf(existing[field]))
    else if (field === 'duration') changes[field] = value === undefined ? 0 : value
    else if (field === 'trashed') changes[field] = value === true
    else changes[field] = value ?? null
  }
  return changes
}

/** Updates merge by key: keys that are not ours are taken away by null. */
function withoutOthers(ours: Record_, theirs: Record_): Record<string, unknown> {
  const gone = Object.keys(theirs).filter((key) => !Object.hasOwn(ours, key))
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...ours }
}
