/** Versions of an event, oldest first, and the differences between them. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { listOf, numberOf, recordOf, textOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import { alterableEventFields, eventTexts, type AlterableEventField } from '../../../../store/model/events/fields.js'
import { when } from '../../../terminal/output/format.js'

/** A compared field: those that an update can set, and the attachments. */
type Field = AlterableEventField | 'attachments'

const compared: readonly Field[] = [...alterableEventFields, 'attachments']

/** A field that differs between two versions; undefined where a version lacks it. */
interface Change {
  field: Field
  before: unknown
  after: unknown
}

export interface Version {
  /** Number from 1, the oldest stored version; the last is the current event. */
  number: number
  event: Record_
  /** Differences from the previous version; empty for the oldest. */
  changes: Change[]
}

/** Numbers the states of an event, oldest first, as versions. */
export function versionsOf(events: readonly Record_[]): Version[] {
  return events.map((event, at) => {
    const former = events[at - 1]
    return { number: at + 1, event, changes: former === undefined ? [] : changesBetween(former, event) }
  })
}

/** True when a version has its content; a deletion may keep only its author. */
export const isWhole = (event: Record_): boolean => event['type'] !== undefined

/** Returns the differences between two states of an event; empty when one of them was erased. */
export function changesBetween(before: Record_, after: Record_): Change[] {
  if (!isWhole(before) || !isWhole(after)) return []
  return compared
    .map((field) => ({ field, before: valueOf(before, field), after: valueOf(after, field) }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after))
}

/** Normalises a field for comparison: empty values are undefined, attachments are their ids, names and sizes. */
function valueOf(event: Record_, field: Field): unknown {
  const value = event[field]
  if (field === 'attachments') {
    const files = listOf(value).map(({ id, fileName, size }) => ({ id, fileName, size }))
    return files.length === 0 ? undefined : files
  }
  if (field === 'tags' && Array.isArray(value) && value.length === 0) return undefined
  if (field === 'content' && value === null) return undefined
  if (field === 'duration' && value === 0) return undefined
  return value
}

/**
 * Returns the update for events.update that leads from one state to another; contains only differing fields.
 * Attachments are unchanged.
 */
export function updateTo(now: Record_, then: Record_): Record<string, unknown> {
  const update: Record<string, unknown> = {}
  for (const { field, before, after } of changesBetween(now, then)) {
    if (field === 'attachments') continue
    // A duration of null is a running event.
    const set = after === undefined ? clearedValues[field] : after
    update[field] = field === 'clientData' ? clientDataUpdate(recordOf(before), recordOf(after)) : set
  }
  return update
}

/** Values that clear a field. */
const clearedValues: Partial<Record<Field, unknown>> = {
  duration: 0,
  content: null,
  tags: [],
  trashed: false,
  ...Object.fromEntries(eventTexts.map((field) => [field, null])),
}

/** Client data is updated by key; null removes a key. */
function clientDataUpdate(now: Record_, then: Record_): Record<string, unknown> {
  const removedKeys = Object.keys(now).filter((key) => !Object.hasOwn(then, key))
  const set = Object.entries(then).filter(([key, value]) => !isDeepStrictEqual(now[key], value))
  return Object.fromEntries([...set, ...removedKeys.map((key) => [key, null] as const)])
}

/** Returns the time of a version, in seconds. */
export const modifiedAt = (event: Record_): number => numberOf(event['modified']) ?? numberOf(event['created']) ?? 0

/** Renders changes, one line each: `content    62.5 → 62.7`. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ field, before, after }) => `${(titles[field] ?? field).padEnd(9)} ${formatValue(field, before)} → ${formatValue(field, after)}`)
}

/** Titles of fields that are not shown by their names. */
const titles: Readonly<Partial<Record<Field, string>>> = {
  streamIds: 'streams',
  description: 'details',
  clientData: 'data',
  trashed: 'state',
  attachments: 'files',
}

function formatValue(field: Field, value: unknown): string {
  if (field === 'trashed') return value === true ? 'in the trash' : 'not in the trash'
  if (field === 'duration' && value !== undefined) return value === null ? 'running' : `${textOf(value)} s`
  if (value === undefined) return 'none'
  if (field === 'time') return when(numberOf(value) ?? 0)
  if (field === 'attachments') return listOf(value).map(({ fileName }) => textOf(fileName)).join(', ')
  if ((field === 'streamIds' || field === 'tags') && Array.isArray(value)) return value.map(textOf).join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
