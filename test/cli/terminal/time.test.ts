import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readNumber } from '../../../src/cli/terminal/input/number.js'
import { timeOption, readIsoTime, readTime } from '../../../src/cli/terminal/input/time.js'
import { readParameter } from '../../../src/cli/framework/option.js'

const localTime = (...parts: [number, number, number, number?, number?, number?]): number => {
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts
  return new Date(year, month - 1, day, hour, minute, second).getTime() / 1000
}
const now = localTime(2026, 11, 21, 10, 2, 3) + 0.25

describe('a time', () => {
  it.each([
    ['1700000000.5', 1700000000.5],
    ['0', 0],
    ['-1', -1],
    ['now', now],
    ['today', localTime(2026, 11, 21)],
    ['yesterday', localTime(2026, 11, 20)],
    ['-2h', now - 7200],
    ['-7d', now - 7 * 86_400],
    ['-1.5h', now - 5400],
    ['+30m', now + 1800],
    ['2026-11-21', localTime(2026, 11, 21)],
    ['2026-11-21T10:02', localTime(2026, 11, 21, 10, 2)],
    ['2026-11-21 10:02:03', localTime(2026, 11, 21, 10, 2, 3)],
    ['2026-11-21T10:02:03Z', Date.UTC(2026, 10, 21, 10, 2, 3) / 1000],
    ['2026-11-21T10:02:03.125Z', Date.UTC(2026, 10, 21, 10, 2, 3) / 1000 + 0.125],
    ['2026-11-21T10:02:03,5+0130', Date.UTC(2026, 10, 21, 8, 32, 3) / 1000 + 0.5],
    ['2026-11-21T10:02-05', Date.UTC(2026, 10, 21, 15, 2) / 1000],
    ['0031-01-01T00:00Z', new Date('0031-01-01T00:00:00Z').getTime() / 1000],
  ])('is parsed from %s', (word, expected) => expect(readTime(word, now)).toBe(expected))

  it.each([
    '',
    'soon',
    '2026-13-01',
    '2026-02-30',
    '2026-11-21T24:00',
    '2026-11-21T10',
    '2026-11-21T10:02+25:00',
    '-',
    '--2h',
    '2h',
    'Infinity',
    '0x1',
  ])('is not parsed from %s', (word) => expect(() => readTime(word, now)).toThrow('a time: seconds'))

  it('is parsed from ISO 8601 like Date parses it', () => {
    const date = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    fc.assert(
      fc.property(date, (each) => {
        expect(readIsoTime(each.toISOString())).toBeCloseTo(each.getTime() / 1000, 6)
      }),
    )
  })

  it('is accepted as an option', () => {
    const from = timeOption('When')
    expect(readParameter(from, '--from <time>', undefined)).toBeUndefined()
    expect(readParameter(from, '--from <time>', ['1', '2'])).toBe(2)
    expect(() => readParameter(from, '--from <time>', ['soon'])).toThrow('--from <time> takes a time')
  })
})

it.each([
  ['1', 1],
  ['-1.5e3', -1500],
  ['+.5', 0.5],
  ['5.', 5],
  ['', undefined],
  [' 1', undefined],
  ['1,5', undefined],
  ['1_000', undefined],
  ['0x10', undefined],
  ['NaN', undefined],
  ['Infinity', undefined],
  ['1e999', undefined],
])('readNumber parses %j to %s', (word, expected) => expect(readNumber(word)).toBe(expected))
