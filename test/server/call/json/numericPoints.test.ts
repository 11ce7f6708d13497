/** Points that are read from the bytes of a body equal those of JSON.parse; other bodies are left to it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readNumericPoints } from '../../../../src/server/call/json/numericPoints.js'
import { Failure } from '../../../../src/store/model/failure.js'

const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,18})$/)
const numberText = fc
  .record({
    sign: fc.constantFrom('', '', '-'),
    digits,
    decimals: fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,20}$/)),
    exponent: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.stringMatching(/^[eE][+-]?[0-9]{1,2}$/) }),
  })
  .map((parts) => parts.sign + parts.digits + parts.decimals + parts.exponent)
const space = fc.constantFrom('', '', '', ' ', '\n  ', '\t', '\r\n')

/** Texts of bodies in flatJSON, with any forms of numbers and white space. */
const bodies = fc
  .record({ width: fc.integer({ min: 1, max: 3 }), cells: fc.array(numberText, { minLength: 3, maxLength: 40 }), space, isFirst: fc.boolean() })
  .map(({ width, cells, space: s, isFirst }) => {
    const rows = Array.from({ length: Math.floor(cells.length / width) }, (_, row) => `[${s}${cells.slice(row * width, (row + 1) * width).join(`${s},${s}`)}${s}]`)
    const points = `"points"${s}:${s}[${s}${rows.join(`${s},${s}`)}${s}]`
    const others = `"format":${s}"flatJSON",${s}"fields":${JSON.stringify(['deltaTime', 'value', 'näxt'].slice(0, width))}`
    return `${s}{${s}${isFirst ? `${points},${others}` : `${others}${s},${points}`}${s}}${s}`
  })

/** Parses a text; undefined when it is invalid. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the body that was read, with points by row. */
function asBody(text: string): unknown {
  const read = readNumericPoints(Buffer.from(text))
  if (read === undefined) return undefined
  const points = Array.from({ length: read.count }, (_, row) => read.columns.map((column) => column[row]))
  return { ...(read.value as object), points }
}

it('bodies of numbers are read as JSON.parse does', () => {
  fc.assert(
    fc.property(bodies, (text) => {
      expect(asBody(text)).toEqual(JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

it('a body with a changed byte is read as JSON.parse does, refused, or left to another reader', () => {
  const change = fc.tuple(bodies, fc.nat(), fc.constantFrom('', '0', '1', '-', '.', 'e', ',', '[', ']', '{', '}', '"', '\\', ' ', 'null', '"points":[[1]],', 'NaN'), fc.boolean())
  fc.assert(
    fc.property(change, ([text, place, inserted, replaces]) => {
      const at = place % text.length
      const changed = text.slice(0, at) + inserted + text.slice(at + (replaces ? 1 : 0))
      const body = outcome(changed)
      if (body !== undefined) expect(body).toEqual(parsed(changed))
    }),
    { numRuns: 2000 },
  )
})

/** Returns the body that was read; undefined also when it was refused. */
function outcome(text: string): unknown {
  try {
    return asBody(text)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

it.each([
  ['a second member points', '{"fields":["a"],"points":[[1]],"points":[[2]]}'],
  ['a second member points with an escape sequence', '{"fields":["a"],"points":[[1]],"\\u0070oints":[[2]]}'],
  ['points within another member', '{"a":{"fields":["a"],"points":[[1]]}}'],
  ['points within a list', '[{"fields":["a"],"points":[[1]]}]'],
  ['a text named points', '{"fields":["points"],"points":[[1]]}'],
  ['rows of different widths', '{"fields":["a","b"],"points":[[1,2],[3]]}'],
  ['another number of fields', '{"fields":["a","b"],"points":[[1]]}'],
  ['no rows', '{"fields":["a"],"points":[]}'],
  ['an empty row', '{"fields":[],"points":[[]]}'],
  ['a text in a row', '{"fields":["a"],"points":[["1"]]}'],
  ['a number beyond the range of doubles', '{"fields":["a"],"points":[[1e999]]}'],
  ['a number that begins with zeros', '{"fields":["a"],"points":[[01]]}'],
])('leaves %s to another reader', (_, text) => {
  expect(readNumericPoints(Buffer.from(text))).toBeUndefined()
})
