/** Conflicting fields and their values as text for people. */
import type { Event } from '../../../../store/model/event.js'
import { valueText } from '../../events/eventValue.js'
import { timeText } from '../../times.js'
import type { ConsoleVisit } from '../consolePage.js'
import { durationText } from '../event/duration.js'
import type { StreamList } from '../streams.js'
import { conflictWords } from './conflictWords.js'

const MAX_TEXT = 500

const clip = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

/** Returns the name of a field, such as `Value` or `Tag blue`. */
export function fieldText(field: string, visit: ConsoleVisit, { pathOf }: StreamList): string {
  const { fields, fieldKinds } = conflictWords[visit.language]
  if (Object.hasOwn(fields, field)) return fields[field as keyof typeof fields]
  const [prefix = '', rest = field.slice(2)] = [field.slice(0, field.indexOf(':'))]
  if (!Object.hasOwn(fieldKinds, prefix)) return clip(field)
  return `${fieldKinds[prefix as keyof typeof fieldKinds]} ${clip(prefix === 's' ? pathOf(rest) : rest)}`
}

interface FieldContext {
  visit: ConsoleVisit
  streams: StreamList
  /** The event that the field is of. */
  event?: Event | undefined
}

/** Returns a value of a field. `type` is that of a content. */
export function fieldValueText({ visit, streams, event }: FieldContext, field: string, value: unknown, type?: unknown): string {
  const words = conflictWords[visit.language]
  if (/^[sta]:/.test(field)) return value === null ? words.nothing : words.present
  if (field === 'duration' && value === null) return words.inProgress
  if (value === null || value === undefined || value === '') return words.nothing
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (field === 'time' && typeof value === 'number') return timeText(value, visit)
  if (field === 'duration' && typeof value === 'number') return durationText(value, visit.language)
  if (field === 'parentId' && typeof value === 'string') return streams.pathOf(value)
  const typed = typeof type === 'string' ? type : event?.type
  const text = field === 'content' && typed !== undefined ? valueText({ type: typed, content: value }, visit) : ''
  return clip(text !== '' ? text : typeof value === 'string' ? value : JSON.stringify(value))
}
