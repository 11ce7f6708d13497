import * as z from 'zod'
import type { Points } from '../../../store/model/points.js'
import { rowsText } from '../../../store/model/rowText.js'
import { readPoints } from '../../../store/series/series.js'
import { anyAccess } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { RawList } from '../../call/results.js'
import { readableHolder } from './holder.js'
import { noTokenToRead } from './schema.js'
import { assertWindow, seriesWindow, windowShape } from './window.js'

/**
 * Route that reads points. Future points are left out unless `toDeltaTime` includes them. See docs/interface/series.md#reading.
 */
export const get = method({
  id: 'series.get',
  summary: 'Reads the points of a series, in the order of time.',
  http: {
    verb: 'GET',
    path: '/events/:id/series',
    query: { fromDeltaTime: 'number', toDeltaTime: 'number' },
    source: 'hf',
    absentToken: noTokenToRead,
  },
  caller: anyAccess,
  notInBatch: true,
  input: z.strictObject({
    id: z.string().describe('Id of the series event.'),
    ...windowShape,
  }),
  output: () => z.object({
    format: z.literal('flatJSON').describe('Format of the points.'),
    fields: z.array(z.string()).describe('Names of the columns, deltaTime first; empty for a series without points.'),
    points: z.array(z.array(z.union([z.number(), z.string(), z.boolean(), z.null()]))).describe('One row for each point, in the order of fields; deltaTime in seconds.'),
  }),
  fails: ['missing-header', 'invalid-parameters-format', 'unknown-resource', 'forbidden', 'invalid-operation'],
  async run(call, { id, ...input }) {
    assertWindow(input)
    const { account } = call
    const holder = readableHolder(call, account.db, id)
    const window = seriesWindow(call, holder.time, input)
    const { fields: found, pages } = await readPoints(account, id, window)
    const rest = pages[Symbol.asyncIterator]()
    const first = await rest.next()
    // A series without points has no fields.
    if (first.done === true) return { format: 'flatJSON', fields: [], points: [] }
    const fields = holder.fields.filter((field) => found.includes(field))
    return {
      format: 'flatJSON',
      fields: ['deltaTime', ...fields],
      points: new RawList(rowsOf(first.value, rest, fields)),
    }
  },
})

/** Rows per chunk of the response. */
const ROWS = 2000

async function* rowsOf(first: Points, rest: AsyncIterator<Points>, fields: readonly string[]): AsyncGenerator<string[]> {
  try {
    for (let points: Points | undefined = first; points !== undefined; ) {
      const count = points.deltaTimes.length
      for (let from = 0; from < count; from += ROWS) {
        yield [rowsText(points, fields, from, Math.min(count, from + ROWS))]
      }
      const next = await rest.next()
      points = next.done === true ? undefined : next.value
    }
  } finally {
    await rest.return?.()
  }
}
