/** Converts lines of JSON to events; each is an event as the API returns or takes it. */
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { isJsonObject } from '../../../../store/model/json.js'
import { isSeriesType } from '../../../../store/model/eventTypes/series.js'
import { readJson } from '../../../../server/call/json/readJson.js'
import { unreadable } from '../../../terminal/input/textBlocks.js'
import type { EventIds } from './eventId.js'
import { badLine } from './line.js'
import type { ImportLine } from './line.js'

/** Fields that the node sets. */
const nodeFields = ['created', 'createdBy', 'modified', 'modifiedBy', 'integrity']

/** Defaults for lines without streams or type. */
interface Defaults {
  streamIds: readonly string[]
  type: string | undefined
}

/** Yields the events of blocks of whole lines; skips empty lines. */
export async function* readNdjson(
  blocks: AsyncIterable<string>,
  ids: EventIds,
  defaults: Defaults,
): AsyncGenerator<ImportLine[]> {
  let line = 0
  for await (const block of blocks) {
    const found: ImportLine[] = []
    const texts = block.split('\n')
    // Text after the last line break is not a line.
    if (texts[texts.length - 1] === '') texts.pop()
    for (const text of texts) {
      line += 1
      if (text.trim() !== '') found.push(eventOfLine(line, text, ids, defaults))
    }
    yield found
  }
}

function eventOfLine(line: number, text: string, ids: EventIds, defaults: Defaults): ImportLine {
  const problem = unreadable(text)
  if (problem !== undefined) return badLine(line, problem)
  let value: unknown
  try {
    value = readJson(text)
  } catch {
    return badLine(line, jsonProblem(text))
  }
  if (!isJsonObject(value)) {
    return badLine(line, 'The line is not a JSON object.')
  }
  const members: Record<string, unknown> = { ...value }
  if (Array.isArray(members['attachments']) && members['attachments'].length > 0) {
    return badLine(line, 'The event has attachments, which cannot be imported. Remove "attachments" to import it without them.')
  }
  const fields = fieldsOfLine(members, defaults)
  if (typeof fields === 'string') return badLine(line, fields)
  const { streamIds, type, rest } = fields
  const { id: name } = members
  const id =
    typeof name === 'string' && name !== ''
      ? ids.given(name, streamIds)
      : ids.derived({ streamIds, type, time: rest['time'], content: rest['content'] })
  return { line, event: { ...rest, id, streamIds, type }, isWhole: true, size: text.length }
}

interface LineFields {
  streamIds: string[]
  type: string
  /** The other fields, without those that the node sets. */
  rest: Record<string, unknown>
}

/** Parses the fields of a line; returns the reason when a required one is missing. */
function fieldsOfLine(members: Record<string, unknown>, defaults: Defaults): LineFields | string {
  const { streamId, streamIds, type = defaults.type, attachments: _, ...rest } = members
  // Answers of the API have both fields; requests may have one.
  const ids: unknown = streamIds ?? (streamId === undefined ? defaults.streamIds : [streamId])
  if (!isTexts(ids) || ids.length === 0) return 'The event has no stream.'
  if (streamId !== undefined && streamId !== ids[0]) return 'The streamId of the event is not the first of its streamIds.'
  if (typeof type !== 'string') return 'The event has no type.'
  for (const field of nodeFields) delete rest[field]
  // The node sets the content of a series, which contains its type.
  if (isSeriesType(type)) delete rest['content']
  return { streamIds: [...new Set(ids)], type, rest }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text)
    return 'The line is nested too deeply, or holds a number that is too large.'
  } catch (error) {
    return `The line is not JSON: ${errorMessage(error)}`
  }
}
