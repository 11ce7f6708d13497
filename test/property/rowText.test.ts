/** Rows of points equal the text of JSON.stringify, for any form of numbers. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Column, Points } from '../../src/store/model/points.js'
import { rowsText } from '../../src/store/model/rowText.js'
import { runs } from '../support/oracles/runs.js'

const short = fc.tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.nat(9)).map(([whole, places]) => whole / 10 ** places)
const number = fc.oneof(short, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, -0, 1e9, 999999999.999999, 1e-6, 1e-7))

it('a row equals its JSON text', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(number, fc.option(number), fc.option(fc.string({ unit: 'binary' })), fc.option(fc.boolean()))), (rows) => {
      const columns = new Map<string, Column>([
        ['n', { kind: 'number', values: Float64Array.from(rows, (row) => row[1] ?? NaN) }],
        ['s', { kind: 'string', values: rows.map((row) => row[2]) }],
        ['b', { kind: 'boolean', values: rows.map((row) => row[3]) }],
        ['z', { kind: 'null' }],
      ])
      const points: Points = { deltaTimes: Float64Array.from(rows, ([time]) => time), columns }
      const text = rowsText(points, ['n', 's', 'b', 'z', 'absent'], 0, rows.length)
      expect(`[${text}]`).toBe(JSON.stringify(rows.map((row) => [...row, null, null])))
    }),
    { numRuns: runs(250) },
  )
})
