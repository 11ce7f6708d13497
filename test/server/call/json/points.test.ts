/** Points of a large body, which a worker thread parses by column, are read like those of a small body. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseLargeBody } from '../../../../src/server/call/json/largeBody.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { PointColumns, readFlatJson, type SeriesShape } from '../../../../src/store/model/flatJson.js'

const number = { kind: 'number', isRequired: true, takesNull: false, isWhole: false } as const
const text = { kind: 'string', isRequired: false, takesNull: true, isWhole: false } as const
const shape = { fields: new Map<string, typeof number | typeof text>([['value', number], ['note', text]]), time: 1000 } as unknown as SeriesShape

/** Reads a body; returns its points, or the failure. */
function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { id: error.id, message: error.message, data: error.data }
  }
}

const cell = fc.oneof(
  { weight: 20, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e6 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('1.5', 'x', null, true, { a: 1 }, -1) },
)
const bodies = fc.record({
  fields: fc.constantFrom(['deltaTime', 'value'], ['value', 'deltaTime', 'note'], ['deltaTime', 'other'], ['timestamp', 'value']),
  odd: fc.array(fc.tuple(fc.nat(1999), fc.array(cell, { maxLength: 4 })), { maxLength: 2 }),
  cells: fc.array(cell, { minLength: 7, maxLength: 7 }),
})

it('points of a large body are read like those of a small one, with any cells', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async ({ fields, odd, cells }) => {
      const points: unknown[] = Array.from({ length: 2000 }, (_, i) => fields.map((name, at) => (name === 'timestamp' ? 1000 + i : cells[(i + at) % 7])))
      for (const [at, row] of odd) points[at] = row
      const body = { format: 'flatJSON', fields, points }
      const expected = outcome(() => readFlatJson(JSON.parse(JSON.stringify(body)), shape))
      const plan = { kind: 'parameters', freeForm: { points: true } } as const
      const read = (await parseLargeBody(Buffer.from(JSON.stringify(body)), plan)) as { points: unknown }
      expect(read.points).toBeInstanceOf(PointColumns)
      expect(outcome(() => readFlatJson(read, shape))).toEqual(expected)
      const batch = { format: 'seriesBatch', data: [{ eventId: 'a', data: { format: 'flatJSON', fields: [], points: [] } }, { eventId: 'b', data: body }] }
      const both = (await parseLargeBody(Buffer.from(JSON.stringify(batch)), plan)) as { data: { data: unknown }[] }
      expect(outcome(() => readFlatJson(both.data[1]?.data, shape))).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})
