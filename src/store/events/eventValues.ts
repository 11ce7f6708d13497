/**
 * Values of events for summaries. An event gives a value for each number or boolean of its content: the content itself, with
 * the field '', or the members of an object. Others are only counted. Values are read from records without parsing the rest.
 */
import { jsonValueEnd } from '../model/jsonText.js'
import { isJsonObject } from '../model/json.js'
import { recordContentStart } from '../model/eventRecord.js'

/** Maximum number of members of a content that give values; the first ones do. */
const MAX_FIELDS = 50
/** Maximum length of the name of a member that gives values, in characters. */
const MAX_FIELD_LENGTH = 200
/** Maximum length of a content that is parsed for values, in characters of JSON. */
const MAX_PARSED = 128 * 1024
/** Longest JSON text of a number or boolean. */
const MAX_SCALAR = 40

const BRACE = 0x7b
const QUOTE = 0x22
const BRACKET = 0x5b

/** Receives a field and its value; NaN for an event that is only counted. */
type VisitValue = (field: string, value: number) => void

/** Calls `visit` with the values of a record, at least once. */
export function eachValue(record: string, type: string, visit: VisitValue): void {
  const from = recordContentStart(record)
  const first = from < 0 ? QUOTE : record.charCodeAt(from)
  // The members of encrypted content have no meaning of their own.
  if (first === QUOTE || first === BRACKET || type.startsWith('encrypted/')) return visit('', Number.NaN)
  if (first !== BRACE) return visit('', scalarAt(record, from))
  if (!visitMembers(record, from, visit)) visit('', Number.NaN)
}

/** Returns the number or boolean at an offset, as a number. */
function scalarAt(record: string, from: number): number {
  const text = record.slice(from, jsonValueEnd(record.slice(from, from + MAX_SCALAR), 0) + from)
  return text === 'true' ? 1 : text === 'false' ? 0 : text === 'null' ? Number.NaN : Number(text)
}

/** Visits the numeric members of an object; returns false if there are none. */
function visitMembers(record: string, from: number, visit: VisitValue): boolean {
  const text = record.length - from <= MAX_PARSED ? record.slice(from) : record.slice(from, from + MAX_PARSED + 1)
  const end = jsonValueEnd(text, 0)
  if (end > MAX_PARSED) return false
  const content: unknown = JSON.parse(text.slice(0, end))
  if (!isJsonObject(content)) return false
  let found = 0
  for (const [field, value] of Object.entries(content)) {
    if ((typeof value !== 'number' && typeof value !== 'boolean') || field === '' || field.length > MAX_FIELD_LENGTH) continue
    visit(field, Number(value))
    found += 1
    if (found === MAX_FIELDS) break
  }
  return found > 0
}
