import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCsvReader } from '../../../src/server/base/csvReader.js'
import type { CsvRow } from '../../../src/server/base/csvReader.js'
import { textBlocks } from '../../../src/cli/terminal/input/textBlocks.js'
import { cellAsWritten, csvLine } from '../../../src/cli/terminal/output/csv.js'
import { all, pieces } from '../../cli/support/pieces.js'
import { runs } from '../../support/oracles/runs.js'

function rowsOf(text: string, sizes: readonly number[] = [], delimiter = ','): CsvRow[] {
  const reader = createCsvReader(delimiter)
  const rows: CsvRow[] = []
  let at = 0
  for (const size of sizes) {
    rows.push(...reader.feed(text.slice(at, at + size)))
    at += size
  }
  return [...rows, ...reader.feed(text.slice(at)), ...reader.end()]
}

describe('the CSV reader', () => {
  const table: Array<[string, string, Array<string[] | string>]> = [
    ['plain cells', 'a,b\n1,2\n', [['a', 'b'], ['1', '2']]],
    ['no line end at the end', 'a,b\n1,2', [['a', 'b'], ['1', '2']]],
    ['CRLF', 'a,b\r\n1,2\r\n', [['a', 'b'], ['1', '2']]],
    ['a CR at the end', 'a\r', [['a']]],
    ['a CR inside', 'a\rb,c\n', [['a\rb', 'c']]],
    ['empty cells', ',\n,,\n', [['', ''], ['', '', '']]],
    ['empty lines, which it skips', '\na\n\r\n\nb\n', [['a'], ['b']]],
    ['a delimiter in quotes', '"a,b",c\n', [['a,b', 'c']]],
    ['quotes in quotes', '"say ""hi""",""""\n', [['say "hi"', '"']]],
    ['line ends in quotes', '"a\nb\r\nc",d\r\n', [['a\nb\r\nc', 'd']]],
    ['empty quotes', '"",""\n', [['', '']]],
    ['an empty cell after quotes', '"a",\n', [['a', '']]],
    ['an empty cell after quotes, at the end', '"a",', [['a', '']]],
    ['quotes at the end without a line end', 'x,"a"', [['x', 'a']]],
    ['quotes, CR at the end', '"a"\r', [['a']]],
    ['a quote inside of a cell', 'a"b,5"\nc\n', [['a"b', '5"'], ['c']]],
    ['text after a quote, as one bad row', '"a"b,c\nd,e\n', ['There is text after a closing quote.', ['d', 'e']]],
    ['an unclosed quote, as one bad row', 'a\n"b,c\nd,e\n', [['a'], 'A quote is not closed.', ['d', 'e']]],
    ['an unclosed quote in the last line', 'a\n"b', [['a'], 'A quote is not closed.']],
    ['a quote that shifts the following ones', '"a\nx,"b"\ny\n', ['There is text after a closing quote.', ['x', 'b'], ['y']]],
  ]
  it.each(table)('reads %s', (_, text, expected) => {
    for (const sizes of [[], [...text].map(() => 1)]) {
      expect(rowsOf(text, sizes).map((row) => row.problem ?? row.cells)).toEqual(expected)
    }
  })

  it('counts physical lines', () => {
    const rows = rowsOf('h\n\n"a\nb\n"\nc\n"x\n\nd\n')
    expect(rows.map((row) => [row.line, row.problem ?? row.cells[0]])).toEqual([
      [1, 'h'],
      [3, 'a\nb\n'],
      [6, 'c'],
      [7, 'A quote is not closed.'],
      [9, 'd'],
    ])
  })

  it.each([';', '\t', '|'])('separates cells at %j', (sign) => {
    expect(rowsOf(`a,b${sign}"c${sign}d"\n`, [], sign)[0]?.cells).toEqual(['a,b', `c${sign}d`])
  })

  it('reads the output of the writer however it is chunked', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '1', 'é', '😀', ',', '"', "'", '=', '-', '+', '@', '\t', '\n', '\r', ' ') })
    // A row of one empty cell is an empty line.
    const row = fc.array(cell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.join() !== '' && cells.join() !== '\r')
    fc.assert(
      fc.property(fc.array(row), fc.array(fc.integer({ min: 1, max: 9 })), (rows, sizes) => {
        const text = rows.map((cells) => csvLine(cells)).join('')
        expect(rowsOf(text, sizes).map((each) => each.cells.map(cellAsWritten))).toEqual(rows)
      }),
    )
  })

  it('agrees with a naive reader on any text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ',', '"', '"', '\n', '\r'), maxLength: 40 })
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 })), (given, sizes) => {
        expect(rowsOf(given, sizes)).toEqual(naiveRows(given))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('gives up an unclosed quote in bounded memory', () => {
    const reader = createCsvReader()
    const found: CsvRow[] = reader.feed('h\n"a,b\n')
    const line = `${'x'.repeat(999)}\n`
    for (let n = 0; n < 40_000 && found.length < 2; n++) found.push(...reader.feed(line))
    expect(found[1]).toEqual({ line: 2, cells: [], problem: 'A quote is not closed.' })
    expect(reader.feed('last\n').at(-1)?.cells).toEqual(['last'])
  })
})

/** Reference implementation: reads the complete text character by character. */
function naiveRows(text: string): CsvRow[] {
  const rows: CsvRow[] = []
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length
  let at = 0
  while (at < text.length) {
    const begin = at
    const physicalEnd = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at) + 1
    if (/^\r?\n?$/.test(text.slice(begin, physicalEnd))) {
      at = physicalEnd
      continue
    }
    const cells = ['']
    let state: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin'
    let problem: string | undefined
    let isDone = false
    while (!isDone && problem === undefined) {
      const sign = text[at]
      const cell = cells.length - 1
      const endsLine = sign === undefined || sign === '\n' || (sign === '\r' && (text[at + 1] === '\n' || at + 1 === text.length))
      if (state === 'quoted') {
        if (sign === undefined) problem = 'A quote is not closed.'
        else if (sign !== '"') cells[cell] += sign
        else if (text[at + 1] === '"') {
          cells[cell] += '"'
          at += 1
        } else state = 'closed'
        at += 1
      } else if (endsLine) {
        at += sign === '\r' ? 2 : 1
        isDone = true
      } else if (sign === ',') {
        cells.push('')
        state = 'begin'
        at += 1
      } else if (sign === '"' && state === 'begin') {
        state = 'quoted'
        at += 1
      } else if (state === 'closed') problem = 'There is text after a closing quote.'
      else {
        cells[cell] += sign
        state = 'plain'
        at += 1
      }
    }
    rows.push({ line: lineOf(begin), cells: problem === undefined ? cells : [], ...(problem === undefined ? {} : { problem }) })
    if (problem !== undefined) at = physicalEnd
  }
  return rows
}

describe('blocks of text', () => {
  const blocks = async (bytes: Buffer, sizes: number[], longest?: number): Promise<string> =>
    (await all(textBlocks(pieces(bytes, sizes), undefined, longest))).join('')

  it('concatenate to the text however it is chunked, and end at line ends', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\r', '\n') })
    await fc.assert(
      fc.asyncProperty(line, fc.array(fc.integer({ min: 1, max: 7 })), async (text, sizes) => {
        const found = await all(textBlocks(pieces(Buffer.from(text), sizes)))
        expect(found.join('')).toBe(text)
        for (const block of found.slice(0, -1)) expect(block.endsWith('\n')).toBe(true)
      }),
    )
  })

  it('omit a byte order mark at the begin only', async () => {
    expect(await blocks(Buffer.from('\ufeffa\n\ufeffb\n'), [2, 1])).toBe('a\n\ufeffb\n')
  })

  it('mark only the lines that are not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('ok\n'), Buffer.from([0x66, 0xfc, 0x0a]), Buffer.from('\ufffd fine\n')])
    expect(await blocks(bytes, [4])).toBe('ok\nf\udcff\n\ufffd fine\n')
  })

  it('mark lines that are too long', async () => {
    const text = `a\n${'x'.repeat(50)}\nb\n${'y'.repeat(50)}`
    expect(await blocks(Buffer.from(text), Array.from({ length: 30 }, () => 4), 20)).toBe('a\n\udcfe\nb\n\udcfe')
  })

  it('report the number of bytes read', async () => {
    let read = 0
    await all(textBlocks(pieces(Buffer.from('a\nbc'), [1, 1, 1]), (bytes) => (read += bytes)))
    expect(read).toBe(4)
  })
})

describe('the CSV writer', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1+1', "'+1+1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\r=1', `"'\r=1"`],
    ["'=1", "''=1"],
    // The following cells are not formulas.
    ['-5', '-5'],
    ['+3', '+3'],
    ['-0.5e-7', '-0.5e-7'],
    ['-.5', '-.5'],
    ["'a", "'a"],
    ['a=1', 'a=1'],
    ['', ''],
  ])('writes %j as %j', (cell, expected) => {
    expect(csvLine([cell, 'x'])).toBe(`${expected},x\n`)
    expect(rowsOf(csvLine([cell, 'x']))[0]?.cells.map(cellAsWritten)).toEqual([cell, 'x'])
  })
})
