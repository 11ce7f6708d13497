/** Pasted tables: separators, times, values, headings and limits. */
import { describe, expect, it } from 'vitest'
import type { ContentForm } from '../../../../src/server/pages/console/event/contentForm.js'
import { MAX_ROWS, readTable, readTime } from '../../../../src/server/pages/console/event/table.js'

const number: ContentForm = { kind: 'simple', field: { kind: 'number' } }
const text: ContentForm = { kind: 'simple', field: { kind: 'text' } }
const yesNo: ContentForm = { kind: 'simple', field: { kind: 'boolean' } }
const pressure: ContentForm = {
  kind: 'object',
  members: [
    { kind: 'number', name: 'systolic', isRequired: true },
    { kind: 'number', name: 'diastolic', isRequired: true },
    { kind: 'number', name: 'rate', isRequired: false },
  ],
}
const reader = { language: 'en', timeZone: 'UTC' } as const
const at = (iso: string): number => Date.parse(iso) / 1000

const valuesOf = (table: string, form: ContentForm = number): unknown[] =>
  readTable(table, form, reader).rows.map(({ line, values, problem }) => (values === undefined ? [line, problem] : [line, values.content, values.description ?? '']))

describe('a table', () => {
  it.each([
    ['2026-11-01\t72.4\tbefore\n2026-11-02\t72,1', [[1, 72.4, 'before'], [2, 72.1, '']]],
    ['2026-11-01;72,4\r\n\r\n2026-11-02;"1 072,1"', [[1, 72.4, ''], [3, 1072.1, '']]],
    ['2026-11-01,72.4,"said ""hello"", and left"', [[1, 72.4, 'said "hello", and left']]],
    ['2026-11-01\t72.4 kg', [[1, 72.4, '']]],
    ['Date;Weight\n2026-11-01;72', [[2, 72, '']]],
    ['2026-11-01;heavy\nyesterday;7\n2026-11-02', [[1, 'value'], [2, 'time'], [3, 'columns']]],
    ['2026-11-01;08:30;7', [[1, 7, '']]],
    ['2026-11-01;7;"two\nlines"\n2026-11-02;8', [[1, 7, 'two\nlines'], [3, 8, '']]],
    ['2026-11-01;7;"open\n2026-11-02;8', [[1, 'quotes'], [2, 8, '']]],
    ['2026-11-01;1e999\n2026-11-01;NaN\n2026-11-01;', [[1, 'value'], [2, 'value'], [3, 'value']]],
  ])('%j has these rows', (table, expected) => expect(valuesOf(table)).toEqual(expected))

  it('has texts, yes and no, and objects', () => {
    expect(valuesOf('2026-11-01;"a; b";note', text)).toEqual([[1, 'a; b', 'note']])
    expect(valuesOf('2026-11-01;yes\n2026-11-01;Nein\n2026-11-01;0\n2026-11-01;maybe', yesNo)).toEqual([[1, true, ''], [2, false, ''], [3, false, ''], [4, 'value']])
    expect(valuesOf('2026-11-01;121;79;62;calm\n2026-11-01;121\n2026-11-01;121;79', pressure)).toEqual([
      [1, { systolic: 121, diastolic: 79, rate: 62 }, 'calm'],
      [2, 'value'],
      [3, { systolic: 121, diastolic: 79 }, ''],
    ])
    expect(valuesOf('2026-11-01;ran', { kind: 'none' })).toEqual([[1, null, 'ran']])
  })

  it('has at most 1,000 rows besides the heading', () => {
    const lines = Array.from({ length: MAX_ROWS }, (_, row) => `2026-11-01;${row}`)
    expect(readTable(['time;value', ...lines].join('\n'), number, reader)).toMatchObject({ hasHeading: true, isShortened: false })
    const longer = readTable([...lines, '2026-11-01;1'].join('\n'), number, reader)
    expect([longer.rows.length, longer.isShortened]).toEqual([MAX_ROWS, true])
  })

  it('is read quickly, also when it is hostile', () => {
    for (const table of ['"'.repeat(100_000), ';'.repeat(100_000), ' '.repeat(100_000), `2026-11-01;${'1'.repeat(100_000)}`, '"",'.repeat(30_000), `2026-11-01;${'9.'.repeat(50_000)}x`]) {
      const began = performance.now()
      expect(readTable(table, number, reader).rows.filter(({ values }) => values !== undefined)).toEqual([])
      expect(performance.now() - began).toBeLessThan(1000)
    }
  })
})

describe('a time', () => {
  it.each([
    ['2026-11-27', '2026-11-27T12:00:00Z'],
    ['2026-11-27 8:05', '2026-11-27T08:05:00Z'],
    ['2026-11-27T08:05:09.5Z', '2026-11-27T08:05:09.5Z'],
    ['2026-11-27T08:05+01:00', '2026-11-27T07:05:00Z'],
    ['2026-11-27T08:05:00.123456+0100', '2026-11-27T07:05:00.123Z'],
    ['27.11.2026', '2026-11-27T12:00:00Z'],
    ['7. 1. 2026, 23:59:59', '2026-01-07T23:59:59Z'],
    ['11/27/2026', '2026-11-27T12:00:00Z'],
    ['27/11/2026 10:00', '2026-11-27T10:00:00Z'],
    [String(at('2026-11-27T15:25:00Z')), '2026-11-27T15:25:00Z'],
  ])('%s is %s', (time, expected) => expect(readTime(time, reader)).toBe(at(expected)))

  it('follows the language and the time zone of the reader', () => {
    expect(readTime('3/4/2026', reader)).toBe('ambiguous')
    expect(readTime('3/4/2026', { ...reader, language: 'fr' })).toBe(at('2026-04-03T12:00:00Z'))
    expect(readTime('2026-07-01 08:00', { ...reader, timeZone: 'Europe/Zurich' })).toBe(at('2026-07-01T06:00:00Z'))
  })

  it.each(['', 'today', '2026-02-30', '31.4.2026', '2026-11-27 25:00', '2026-11-27 noon', '72.4'])('is not read from %j', (time) => expect(readTime(time, reader)).toBe('time'))
})
