/** Compares an imported event with the existing event of the same id. */
import { alterableEventFields, type AlterableEventField } from '../../../../store/model/events/fields.js'
import { isSeriesType } from '../../../../store/model/eventTypes/series.js'
import { stableText } from '../../../../store/model/integrity.js'
import { recordOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import type { EventLine } from './line.js'

/** A compared field. */
export type Field = AlterableEventField

/** Returns the stored form of a field; all forms of "nothing" become undefined. */
function stored(field: Field, value: unknown): unknown {
  switch (field) {
    case 'duration':
      // A duration of null is a running event.
      return value === 0 ? undefined : value
    case 'tags':
      return Array.isArray(value) ? value.map((tag) => String(tag).trim()).filter((tag) => tag !== '') : []
    case 'trashed':
      return value === true ? true : undefined
    default:
      return value === null ? undefined : value
  }
}

/** Returns the fields in which the line and the existing event differ; a line with a whole event names all fields. */
export function differences({ event, isWhole }: Pick<EventLine, 'event' | 'isWhole'>, existing: Record_): Field[] {
  return alterableEventFields.filter((field) => {
    if (field === 'time' ? event['time'] === undefined : !isWhole && !(field in event)) return false
    // The content of a series is set by the node.
    if (field === 'content' && isSeriesType(event.type)) return false
    const ours = stored(field, event[field])
    const theirs = stored(field, existing[field])
    return ours !== theirs && text(ours) !== text(theirs)
  })
}

/** Distinguishes null from absent: a duration of null is a running event. */
const text = (value: unknown): string => (value === undefined ? '' : stableText(value))

/** Returns the update that sets the given fields of the existing event to those of the line. */
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

/** Updates merge by key, so set the keys that are not in the line to null. */
function withoutOthers(ours: Record_, theirs: Record_): Record<string, unknown> {
  const removedKeys = Object.keys(theirs).filter((key) => !Object.hasOwn(ours, key))
  return { ...Object.fromEntries(removedKeys.map((key) => [key, null])), ...ours }
}
