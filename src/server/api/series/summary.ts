import * as z from 'zod'
import { yieldEvery } from '../../../store/engine/yield.js'
import { invalidFormat } from '../../../store/model/failure.js'
import { readSummary } from '../../../store/series/readSummary.js'
import { meanAt, type Totals } from '../../../store/series/totals.js'
import { anyAccess } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { readableHolder } from './holder.js'
import { noTokenToRead } from './schema.js'
import { assertWindow, seriesWindow, windowShape } from './window.js'

const MAX_POINTS = 4000
const DEFAULT_POINTS = 1000
const MAX_FIELDS = 100

const numbers = z.array(z.number())
const perBucket = z.array(z.number().nullable())

/**
 * Route that summarizes points for charts, in buckets of whole points. The duration between the first and the last stored segment
 * of the window is divided by the number of buckets; a bucket that reads stored totals ends at the nearest block of some 256 points.
 * See docs/interface/series.md#summaries.
 */
export const summary = method({
  id: 'series.summary',
  summary: 'Summarizes the numbers of a series in buckets of consecutive points, for charts.',
  http: {
    verb: 'GET',
    path: '/events/:id/series/summary',
    query: { fromDeltaTime: 'number', toDeltaTime: 'number', points: 'number', fields: 'array' },
    source: 'hf',
    absentToken: noTokenToRead,
  },
  caller: anyAccess,
  input: z.strictObject({
    id: z.string().describe('Id of the series event.'),
    ...windowShape,
    points: z.int().min(1).max(MAX_POINTS).optional().describe(`Maximum number of buckets; default ${DEFAULT_POINTS}.`),
    fields: z.array(z.string()).min(1).max(MAX_FIELDS).optional().describe('Names of numeric fields; default all that have numbers in the window.'),
  }),
  output: () => z.object({
    summary: z.object({
      fromDeltaTime: z.number().describe('Start of the window, in seconds after the time of the event.'),
      toDeltaTime: z.number().describe('End of the window, not included.'),
      count: z.number().describe('Number of points in the window.'),
      fields: z.array(z.string()).describe('Names of the summarized fields.'),
      buckets: z.object({
        from: numbers.describe('deltaTime of the first point of each bucket, ascending.'),
        to: numbers.describe('deltaTime of the last point of each bucket.'),
        count: numbers.describe('Number of points of each bucket, at least 1.'),
      }).describe('The buckets with points, as columns.'),
      values: z.record(z.string(), z.object({
        count: numbers.describe('Number of points with a number in the field.'),
        min: perBucket.describe('The least number; null without numbers.'),
        max: perBucket.describe('The greatest number; null without numbers.'),
        mean: perBucket.describe('The arithmetic mean; null without numbers.'),
      })).describe('Totals by field, one per bucket.'),
    }).describe('The summary.'),
  }),
  fails: ['missing-header', 'invalid-parameters-format', 'unknown-resource', 'forbidden', 'invalid-operation'],
  async run(call, input) {
    assertWindow(input)
    const { account, origin } = call
    const { time, numeric } = readableHolder(call, account.db, input.id)
    const fields = input.fields === undefined ? numeric : [...new Set(input.fields)]
    assertNumeric(fields, numeric)
    const window = seriesWindow(call, time, input)
    const options = { fields, buckets: input.points ?? DEFAULT_POINTS, pause: yieldEvery(origin.reader?.assertConnected) }
    const { totals, ...buckets } = await readSummary(account, input.id, window, options)
    const used = [...totals].filter(([, { count }]) => input.fields !== undefined || count.some((of) => of > 0))
    return {
      summary: {
        fromDeltaTime: window.from,
        toDeltaTime: window.to,
        count: buckets.count.reduce((sum, of) => sum + of, 0),
        fields: used.map(([name]) => name),
        buckets,
        values: Object.fromEntries(used.map(([name, of]) => [name, columnsOf(of)])),
      },
    }
  },
})

/** @throws Failure `invalid-parameters-format` for fields that the series does not have as numbers */
function assertNumeric(fields: readonly string[], numeric: readonly string[]): void {
  const unknown = fields.find((name) => !numeric.includes(name))
  if (unknown === undefined) return
  const message = `The series has no numeric field "${unknown}".`
  throw invalidFormat([{ code: 'ENUM_MISMATCH', message, path: '#/fields', params: [unknown] }])
}

function columnsOf(totals: Totals): { count: number[]; min: (number | null)[]; max: (number | null)[]; mean: (number | null)[] } {
  const { count, min, max } = totals
  return {
    count: [...count],
    min: Array.from(min, finiteOrNull),
    max: Array.from(max, finiteOrNull),
    mean: Array.from(count, (_, i) => finiteOrNull(meanAt(totals, i))),
  }
}

const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null)
