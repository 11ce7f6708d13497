/** Reads the form of an event: its values for events.create and events.update, and the problems of its fields. */
import { EVENT_TYPE, type Event } from '../../../../store/model/event.js'
import { Failure } from '../../../../store/model/failure.js'
import { isJsonObject } from '../../../../store/model/json.js'
import type { OwnVisit } from '../../page.js'
import { problemOf } from '../../problem.js'
import { localText, secondsOf } from '../../times.js'
import { chosenStreams } from '../streamPicker.js'
import { fieldsOfContent, memberField, readContent, type ContentForm } from './contentForm.js'
import { formWords } from './formWords.js'

/** Values of an event that a form gives; absent ones stay as they are, or have their defaults. */
export interface EntryValues {
  type: string
  content?: unknown
  time?: number
  duration?: number | null
  streamIds: string[]
  description: string
  tags: string[]
}

export interface ReadEntry {
  values: EntryValues
  /** Texts of problems by the name of the field; empty for a valid form. */
  problems: Map<string, string>
}

const MAX_TAGS = 100
export const MAX_DESCRIPTION = 10_000

/** Returns the type that the form names, else a type without a name. */
export const typeOfForm = (form: URLSearchParams): string => (form.get('type') ?? '').trim().slice(0, 200)

export const isTypeName = (type: string): boolean => EVENT_TYPE.test(type)

/** Reads a submitted form. `before` is the event that it changes. */
export function readEntry(visit: OwnVisit, form: URLSearchParams, contentForm: ContentForm, before?: Event): ReadEntry {
  const words = formWords[visit.language]
  const { content, problems: ofContent } = readContent(contentForm, form)
  const problems = new Map([...ofContent].map(([name, id]) => [name, words.problems[id]]))
  const times = readTimes(visit, form, problems, before)
  const streamIds = chosenStreams(form, 'streams')
  if (streamIds.length === 0) problems.set('streams', words.problems.streams)
  const description = (form.get('description') ?? '').replace(/\r\n/g, '\n').slice(0, MAX_DESCRIPTION).trim()
  const tags = (form.get('tags') ?? '').split(',').map((tag) => tag.trim()).filter((tag) => tag !== '')
  const values: EntryValues = { type: typeOfForm(form), ...times, streamIds, description, tags: [...new Set(tags)].slice(0, MAX_TAGS) }
  if (content !== undefined) values.content = content
  return { values, problems }
}

function readTimes(visit: OwnVisit, form: URLSearchParams, problems: Map<string, string>, before?: Event): Pick<EntryValues, 'time' | 'duration'> {
  const { timeZone, node } = visit
  const words = formWords[visit.language].problems
  const text = form.get('time') ?? ''
  // Inputs have whole seconds: an unchanged one keeps the fraction.
  const isUnchanged = before !== undefined && text === localText(before.time, timeZone)
  const time = isUnchanged ? before.time : text === '' ? before?.time : secondsOf(text, timeZone)
  if (text !== '' && time === undefined) problems.set('time', words.time)
  const result: Pick<EntryValues, 'time' | 'duration'> = time === undefined ? {} : { time }
  if (form.get('period') === null) return { ...result, duration: 0 }
  if (form.get('running') !== null) return { ...result, duration: null }
  const untilText = form.get('until') ?? ''
  const isEndUnchanged = typeof before?.duration === 'number' && isUnchanged && untilText === localText(before.time + before.duration, timeZone)
  if (isEndUnchanged) return { ...result, duration: before.duration ?? 0 }
  const until = secondsOf(untilText, timeZone)
  if (until === undefined) problems.set('until', words.until)
  else if (until < (time ?? node.clock.now())) problems.set('until', words.order)
  return until === undefined ? result : { ...result, duration: until - (time ?? node.clock.now()) }
}

/** Returns the texts of the fields that show an event. */
export function fieldsOfEvent({ timeZone }: OwnVisit, event: Event, contentForm: ContentForm): URLSearchParams {
  const { type, time, duration, streamIds, description = '', tags, content } = event
  const fields = new URLSearchParams([['type', type], ['time', localText(time, timeZone)], ['description', description], ['tags', tags.join(', ')]])
  for (const id of streamIds) fields.append('streams', id)
  if (duration !== undefined) fields.set('period', 'yes')
  if (duration === null) fields.set('running', 'yes')
  if (typeof duration === 'number') fields.set('until', localText(time + duration, timeZone))
  for (const [name, text] of fieldsOfContent(contentForm, content)) fields.set(name, text)
  return fields
}

/** Adds the problem of a refused call to the field that it is about; returns the text for the form as a whole. */
export function problemsOfFailure(visit: OwnVisit, error: unknown, contentForm: ContentForm, problems: Map<string, string>): string {
  const { text } = problemOf(visit, error)
  if (!(error instanceof Failure)) return text
  if (error.id === 'unknown-referenced-resource') problems.set('streams', text)
  if (error.id !== 'invalid-parameters-format' || !Array.isArray(error.data)) return text
  for (const item of error.data as unknown[]) {
    if (!isJsonObject(item) || typeof item['path'] !== 'string' || typeof item['message'] !== 'string') continue
    const [part = '', member = ''] = item['path'].replace(/^#\//, '').replace(/^update\//, '').split('/')
    if (part === 'content') problems.set(contentField(contentForm, member), item['message'])
    else problems.set(part === 'streamIds' ? 'streams' : part, item['message'])
  }
  return formWords[visit.language].wrong
}

const contentField = (form: ContentForm, member: string): string =>
  form.kind === 'object' && form.members.some(({ name }) => name === member) ? memberField(member) : 'content'
