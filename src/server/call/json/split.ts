/**
 * Splits a large JSON body into the values that a method validates, and the texts that it only stores. Runs in a separate thread
 * (thread.ts).
 */
import { isUtf8 } from 'node:buffer'
import { Failure, invalidFormat, type FailureId } from '../../../store/model/failure.js'
import { stableText } from '../../../store/model/integrity.js'
import { isJsonObject } from '../../../store/model/json.js'
import { readNumericPoints } from './numericPoints.js'
import { readJson } from './readJson.js'

/** Members of a method's parameters with free-form values. */
export interface FreeForm {
  /** Members stored unchanged; `*` for all. */
  values?: readonly string[] | '*'
  /** Members that are maps of such values. */
  maps?: readonly string[]
  /** True when the parameters are points in flatJSON, or a batch of those (docs/interface/series.md#writing). */
  points?: true
}

/** Plan for splitting a body: as the parameters of one method, or as a batch of calls by method id. */
export type SplitPlan = { kind: 'parameters'; freeForm: FreeForm } | { kind: 'batch'; freeForm: Readonly<Record<string, FreeForm & { under?: string }>>; maxItems: number }

/** An extracted value; null replaces it in the body. */
export type ExtractedValue = { path: readonly (string | number)[] } & (ExtractedText | { points: ExtractedPoints })

/** Texts as UTF-8: the bytes are transferred to another thread and written to disk without copies. */
interface ExtractedText {
  text: Uint8Array
  /** The stable text, if different. */
  stable?: Uint8Array
}

/** The members of PointColumns (store/model/flatJson.ts). */
interface ExtractedPoints {
  count: number
  columns: (Float64Array | unknown[])[]
  unfit?: number
}

/** The parameters of a call: a small value, and the large ones extracted from it. */
export interface Split {
  value: unknown
  extracted: ExtractedValue[]
}

/** An item of a batch: its text if small. */
type SplitCall = string | Split

export type SplitResult = { parameters: Split } | { calls: SplitCall[] } | { refused: { id: FailureId; message: string; data?: unknown } }

/** Values of at least this many characters are extracted. */
const MIN_EXTRACTED_LENGTH = 64 * 1024
/** Maximum characters of the remaining value, which a method validates. Long texts count only partly. */
const MAX_VALIDATED = 1024 * 1024

/** Splits a body. Never throws. */
export function splitJson(bytes: Uint8Array, plan: SplitPlan): SplitResult {
  try {
    if (!isUtf8(bytes)) throw new Failure('invalid-request-structure', 'The body is not valid UTF-8.')
    const read = plan.kind === 'parameters' && plan.freeForm.points === true ? readNumericPoints(bytes) : undefined
    if (read !== undefined && read.count * read.columns.length >= MIN_EXTRACTED_CELLS) {
      assertTextLength(read.value)
      return { parameters: { value: read.value, extracted: [{ path: ['points'], points: { count: read.count, columns: read.columns } }] } }
    }
    const value = readJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
    if (plan.kind === 'parameters') return { parameters: splitParameters(value, plan.freeForm) }
    if (!Array.isArray(value)) return { parameters: splitParameters(value, {}) }
    if (value.length > plan.maxItems) return { parameters: { value: Array<null>(plan.maxItems + 1).fill(null), extracted: [] } }
    return { calls: value.map((call: unknown) => splitCall(call, plan.freeForm)) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { id, message, data } = error
    return { refused: { id, message, ...(data === undefined ? {} : { data }) } }
  }
}

/** Returns the buffers of a result to transfer to another thread. */
export function transferred(result: SplitResult): ArrayBuffer[] {
  if ('refused' in result) return []
  const splits = 'parameters' in result ? [result.parameters] : result.calls.filter((call) => typeof call !== 'string')
  const parts = splits.flatMap(({ extracted }) => extracted).flatMap((one) => ('text' in one ? [one.text, one.stable] : one.points.columns))
  return parts.flatMap((part) => (ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer ? [part.buffer] : []))
}

function splitCall(call: unknown, plans: Extract<SplitPlan, { kind: 'batch' }>['freeForm']): SplitCall {
  const text = JSON.stringify(call)
  if (text.length < MIN_EXTRACTED_LENGTH || !isJsonObject(call) || !isJsonObject(call['params'])) return text
  const method = typeof call['method'] === 'string' && Object.hasOwn(plans, call['method']) ? call['method'] : undefined
  const { under, ...freeForm } = (method === undefined ? undefined : plans[method]) ?? {}
  const extracted = extractValues(under === undefined ? call['params'] : call['params'][under], freeForm, under === undefined ? ['params'] : ['params', under])
  assertTextLength(call)
  return { value: call, extracted }
}

function splitParameters(value: unknown, freeForm: FreeForm): Split {
  const extracted = freeForm.points === true ? extractPoints(value) : extractValues(value, freeForm, [])
  assertTextLength(value)
  return { value, extracted }
}

/** Extracts large values from a map, and from maps in it, leaving null. */
function extractValues(value: unknown, { values = [], maps = [] }: FreeForm, path: readonly string[]): ExtractedValue[] {
  if (!isJsonObject(value)) return []
  const extracted: ExtractedValue[] = []
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (maps.includes(key)) {
      extracted.push(...extractValues(member, { values: '*' }, [...path, key]))
      continue
    }
    if (values !== '*' && !values.includes(key)) continue
    if ((typeof member !== 'object' || member === null) && typeof member !== 'string') continue
    const text = JSON.stringify(member)
    if (text.length < MIN_EXTRACTED_LENGTH) continue
    const stable = stableText(member)
    extracted.push({ path: [...path, key], text: Buffer.from(text), ...(stable === text ? {} : { stable: Buffer.from(stable) }) })
    // Defined as own member, even if its key is __proto__.
    Object.defineProperty(value, key, { value: null, enumerable: true, configurable: true, writable: true })
  }
  return extracted
}

/** Extracts the points from a body in flatJSON, or from the entries of a batch. */
function extractPoints(body: unknown): ExtractedValue[] {
  if (!isJsonObject(body)) return []
  const extracted = extractColumns(body, [])
  const { data } = body
  if (Array.isArray(data)) {
    for (const [at, entry] of data.entries()) {
      if (isJsonObject(entry) && isJsonObject(entry['data'])) extracted.push(...extractColumns(entry['data'], ['data', at, 'data']))
    }
  }
  return extracted
}

function extractColumns(series: Record<string, unknown>, path: readonly (string | number)[]): ExtractedValue[] {
  const { points, fields } = series
  if (!Array.isArray(points) || !Array.isArray(fields) || points.length * fields.length < MIN_EXTRACTED_CELLS) return []
  const rows = points as readonly unknown[]
  const width = fields.length
  const unfit = rows.findIndex((row) => !Array.isArray(row) || row.length !== width)
  const count = unfit < 0 ? rows.length : unfit
  const columns = fields.map((_, at) => columnOf(rows as readonly (readonly unknown[])[], count, at))
  series['points'] = null
  return [{ path: [...path, 'points'], points: { count, columns, ...(unfit < 0 ? {} : { unfit }) } }]
}

/** Smaller tables are not extracted. */
const MIN_EXTRACTED_CELLS = 1000

function columnOf(rows: readonly (readonly unknown[])[], count: number, at: number): Float64Array | unknown[] {
  const numbers = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const cell = rows[i]?.[at]
    if (typeof cell !== 'number') return rows.slice(0, count).map((row) => row[at])
    numbers[i] = cell
  }
  return numbers
}

/** Throws when validating the rest of a body would take too long. */
function assertTextLength(value: unknown): void {
  let left = MAX_VALIDATED
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const item = stack.pop()
    if (typeof item !== 'object' || item === null) continue
    for (const key of Object.keys(item)) {
      const member = (item as Record<string, unknown>)[key]
      // Numbers and booleans count a few characters each, like separators.
      left -= Array.isArray(item) ? 2 : key.length + 4
      left -= typeof member === 'string' ? Math.min(member.length, MIN_EXTRACTED_LENGTH / 16) : 4
      if (left < 0) {
        const message = 'The parameters of a call are limited to 1 MB, apart from content, client data and long texts.'
        throw invalidFormat([{ code: 'MAX_LENGTH', message, path: '#/', params: [MAX_VALIDATED] }])
      }
      stack.push(member)
    }
  }
}
