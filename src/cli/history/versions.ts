/** The versions of an event, oldest first, and what differs between two of them; pure. */
import { isDeepStrictEqual } from 'node:util'
import { listOf, numberOf, recordOf, textOf } from '../client/answer.js'
import type { Record_ } from '../client/answer.js'
import { when } from '../terminal/output/format.js'

/** What an update can set. Files, and who changed it when, are not among it. */
const alterable = ['streamIds', 'type', 'time', 'duration', 'content', 'description', 'tags', 'clientData', 'trashed'] as const
const compared = [...alterable, 'attachments'] as const

export type Field = (typeof compared)[number]

/** A field that two versions have otherwise; undefined where a version has none. */
export interface Change {
  field: Field
  before: unknown
  after: unknown
}

export interface Version {
  /** From 1, the oldest that is kept; the last is the event as it is now. */
  number: number
  event: Record_
  /** What differs from the version before; nothing for the oldest. */
  changes: Change[]
}

/** The states of an event, oldest first, as versions. */
export function versionsOf(events: readonly Record_[]): Version[] {
  return events.map((event, at) => {
    const former = events[at - 1]
    return { number: at + 1, event, changes: former === undefined ? [] : changesBetween(former, event) }
  })
}

/** Whether a version still says what the event was: deletion may leave no more than who changed it. */
export const isWhole = (event: Record_): boolean => event['type'] !== undefined

/** What differs between two states of an event; nothing where one of them was erased. */
export function changesBetween(before: Record_, after: Record_): Change[] {
  if (!isWhole(before) || !isWhole(after)) return []
  return compared
    .map((field) => ({ field, before: valueOf(before, field), after: valueOf(after, field) }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after))
}

/** A field as versions are compared by it: what is empty is not there, and files are their ids, names and sizes. */
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
 * The update that leads from one state to another, as events.update takes it: only what differs. Files stay as they are.
 */
export function updateTo(now: Record_, then: Record_): Record<string, unknown> {
  const update: Record<string, unknown> = {}
  for (const { field, before, after } of changesBetween(now, then)) {
    if (field === 'attachments') continue
    // A length of null is what goes on.
    const set = after === undefined ? emptied[field] : after
    update[field] = field === 'clientData' ? keysTo(recordOf(before), recordOf(after)) : set
  }
  return update
}

/** What takes a field away. */
const emptied: Partial<Record<Field, unknown>> = { duration: 0, content: null, description: null, tags: [], trashed: false }

/** Client data is updated key by key, null takes one away. */
function keysTo(now: Record_, then: Record_): Record<string, unknown> {
  const gone = Object.keys(now).filter((key) => !Object.hasOwn(then, key))
  const set = Object.entries(then).filter(([key, value]) => !isDeepStrictEqual(now[key], value))
  return Object.fromEntries([...set, ...gone.map((key) => [key, null] as const)])
}

/** When a version came to be, in seconds. */
export const madeAt = (event: Record_): number => numberOf(event['modified']) ?? numberOf(event['created']) ?? 0

/** `content    62.5 → 62.7`, one line for each change. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ field, before, after }) => `${titles[field].padEnd(9)} ${displayed(field, before)} → ${displayed(field, after)}`)
}

const titles: Readonly<Record<Field, string>> = {
  streamIds: 'streams',
  type: 'type',
  time: 'time',
  duration: 'lasts',
  content: 'content',
  description: 'words',
  tags: 'tags',
  clientData: 'data',
  trashed: 'trash',
  attachments: 'files',
}

function displayed(field: Field, value: unknown): string {
  if (field === 'trashed') return value === true ? 'in the trash' : 'out of it'
  if (field === 'duration' && value !== undefined) return value === null ? 'still going on' : `${textOf(value)} s`
  if (value === undefined) return 'nothing'
  if (field === 'time') return when(numberOf(value) ?? 0)
  if (field === 'attachments') return listOf(value).map(({ fileName }) => textOf(fileName)).join(', ')
  if ((field === 'streamIds' || field === 'tags') && Array.isArray(value)) return value.map(textOf).join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
