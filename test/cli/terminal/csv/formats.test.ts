import { describe, expect, it } from 'vitest'
import { proposeClock, proposeTime, proposeValue } from '../../../../src/cli/terminal/input/csv/columns.js'
import { dateFormatNamed, detectDates, timeReader } from '../../../../src/cli/terminal/input/csv/dates.js'
import { delimiterNamed } from '../../../../src/cli/terminal/input/csv/delimiter.js'
import { detectDelimiter, statedDelimiter } from '../../../../src/server/base/csvDelimiter.js'
import { detectDecimal, numberReader } from '../../../../src/cli/terminal/input/csv/csvNumber.js'
import { zoneNamed } from '../../../../src/cli/terminal/input/timeZone.js'

describe('the delimiter', () => {
  it.each([
    ['a comma', 't,v\n1,2\n', ','],
    ['a semicolon', 'Datum;Gewicht\n24.12.2025;72,5\n', ';'],
    ['a tab', 't\tv\n1\t2,5\n', '\t'],
    ['a pipe', 't|v\n1|2\n', '|'],
    ['a semicolon, with commas in all rows', 'Datum;Gewicht, kg\n24.12.2025;72,5\n', ';'],
    ['a comma, with semicolons in cells', 't,streams\n1,a;b\n2,c\n', ','],
    ['a comma, with semicolons and line ends in quotes', 't,note\n1,"a;b\n;;"\n2,x\n', ','],
    ['a semicolon, with a ragged row', 'a;b\n1;2\n1;2;3\n4;5\n', ';'],
    ['a header alone', 'a;b;c\n', ';'],
    ['one column', 'a\n1\n', ','],
    ['nothing', '', ','],
  ])('is detected: %s', (_, text, expected) => expect(detectDelimiter(text, true)).toBe(expected))

  it('is that of the first line for Excel', () => {
    expect(statedDelimiter('sep=;\r\na;b\r\n')).toBe(';')
    expect(statedDelimiter('a;b\n')).toBeUndefined()
  })

  it.each([['comma', ','], ['semicolon', ';'], ['tab', '\t'], ['pipe', '|'], ['^', '^']])('may be named: %s', (word, sign) => expect(delimiterNamed(word)).toBe(sign))
})

describe('the decimal sign', () => {
  it.each([
    [['72,5', '73'], ';', 'comma'],
    [['72.5', '73'], ';', 'point'],
    [['1.234,5'], ';', 'comma'],
    [['1,234.5'], ',', 'point'],
    [['1.234.567'], ';', 'comma'],
    [['1,234', '0,5'], ',', 'comma'],
    [['0,234'], ',', 'comma'],
    [['12,3456'], ',', 'comma'],
    // In a file with semicolons the comma is the decimal sign.
    [['1,234'], ';', 'comma'],
    [['1,234'], ',', 'ambiguous'],
    [['1,234', '2.345'], ';', 'ambiguous'],
    [['1.234'], ';', 'point'],
    [['72', '-3'], ';', undefined],
    [['text', '1,5 h', ''], ';', undefined],
    [['1,5e3'], ';', 'comma'],
  ])('of %j with %j is %s', (cells, delimiter, expected) => expect(detectDecimal(cells, delimiter)).toBe(expected))

  it.each([
    ['72,5', 'comma', 72.5],
    [' -0,5 ', 'comma', -0.5],
    ['1.234,5', 'comma', 1234.5],
    ['1.234.567', 'comma', 1234567],
    ['1 234,5', 'comma', 1234.5],
    ["1'234,5", 'comma', 1234.5],
    ['1\u202f234,5', 'comma', 1234.5],
    ['1,5e3', 'comma', 1500],
    ['72.5', 'comma', undefined],
    // May be meant as a fraction, so it is refused unless the sign was chosen.
    ['1.234', 'comma', undefined],
    ['1,2,3', 'comma', undefined],
    ['72.5', 'point', 72.5],
    ['1,234.5', 'point', 1234.5],
    ["1'234.50", 'point', 1234.5],
    ['1,234', 'point', undefined],
    ['72,5', 'point', undefined],
    ['0x10', 'point', undefined],
    ['72,5', undefined, 72.5],
    ['72.5', undefined, 72.5],
    ['1,234', undefined, undefined],
  ] as const)('reads %j with %s as %s', (cell, decimal, value) => expect(numberReader(decimal)(cell)).toBe(value))

  it('that was chosen gives groups their meaning', () => {
    expect([numberReader('comma', true)('1.234'), numberReader('point', true)('1,234')]).toEqual([1234, 1234])
  })
})

const zurich = zoneNamed('Europe/Zurich')
const number = numberReader(undefined)
const format = (cells: string[]): unknown => {
  const found = detectDates(cells, 'When', number)
  return typeof found === 'object' ? found.pattern : found
}
const utc = (text: string): number => Date.parse(text) / 1000

describe('the format of times', () => {
  it.each([
    [['2025-12-24T07:30:00Z'], 'iso'],
    [['2025-12-24', '2025-12-25 07:30'], 'iso'],
    [['1700000000', '1700000060'], 's'],
    [['1700000000.5', '2023-11-14T22:13:20Z', '1700000000'], 's'],
    [['1700000000000'], 'ms'],
    [['45656.3125', '45657'], 'excel'],
    [['1', '2'], 's'],
    [['24.12.2025 07:30'], 'dd.MM.yyyy HH:mm'],
    [['03.04.2025'], 'dd.MM.yyyy'],
    [['3.4.2025 7:05:09'], 'dd.MM.yyyy HH:mm:ss'],
    [['24.12.25'], 'dd.MM.yy'],
    [['24/12/2025', '03/04/2025'], 'dd/MM/yyyy'],
    [['12/24/2025 7:30 PM', '03/04/2025 7:30 AM'], 'MM/dd/yyyy hh:mm a'],
    [['24-12-2025'], 'dd-MM-yyyy'],
    [['2025/12/24 07:30'], 'yyyy/MM/dd HH:mm'],
    [['2025-1-4'], 'yyyy-MM-dd'],
    [['24.12.2025, 07:30'], 'dd.MM.yyyy, HH:mm'],
    [['24.12.2025 7h30'], "dd.MM.yyyy HH'h'mm"],
    [['', '24.12.2025', 'unknown', '25.12.2025'], 'dd.MM.yyyy'],
    [[], 'iso'],
  ])('of %j is %s', (cells, expected) => expect(format(cells)).toBe(expected))

  it.each([
    [['03/04/2025', '05/06/2025'], /The dates in column When are ambiguous: "03\/04\/2025" may begin with the day or with the month; --date-format/],
    [['03-04-2025'], /ambiguous/],
    [['24/12/2025', '12/24/2025'], /some have a day first, others a month/],
    [['Dec 24th', 'x'], /unknown format: "Dec 24th", "x"/],
  ])('of %j is an error', (cells, message) => expect(() => format(cells)).toThrow(message))

  it.each([
    ['dd.MM.yyyy HH:mm', '24.12.2025 07:30', '2025-12-24T06:30:00Z'],
    ['dd.MM.yyyy HH:mm', '24.7.2025 7:30', '2025-07-24T05:30:00Z'],
    ['dd.MM.yyyy HH:mm', '24.12.2025 07:30:15,5', '2025-12-24T06:30:15.500Z'],
    ['dd.MM.yyyy HH:mm', '24.12.2025', '2025-12-23T23:00:00Z'],
    ['dd.MM.yyyy HH:mm', '24.12.2025 07:30 +00:00', '2025-12-24T07:30:00Z'],
    ['dd.MM.yyyy HH:mm', '24.12.2025 07:30Z', '2025-12-24T07:30:00Z'],
    ['dd.mm.yyyy hh:mm', '24.12.2025 17:30', '2025-12-24T16:30:00Z'],
    ['DD/MM/YYYY', '24/12/2025', '2025-12-23T23:00:00Z'],
    ['MM/dd/yyyy hh:mm a', '12/24/2025 12:05 am', '2025-12-23T23:05:00Z'],
    ['MM/dd/yyyy hh:mm a', '12/24/2025 12:05 p.m.', '2025-12-24T11:05:00Z'],
    ['dd.MM.yy', '24.12.69', '2069-12-23T23:00:00Z'],
    ['dd.MM.yy', '24.12.70', '1970-12-23T23:00:00Z'],
    ['HH:mm dd.MM.yyyy', '07:30 24.12.2025', '2025-12-24T06:30:00Z'],
    ["yyyyMMdd'T'HHmmss", '20251224T073000', '2025-12-24T06:30:00Z'],
    ['excel', '45656.3125', '2024-12-30T06:30:00Z'],
    ['excel', '45656,3125', '2024-12-30T06:30:00Z'],
    ['ms', '1700000000250', '2023-11-14T22:13:20.250Z'],
    ['s', '2025-12-24T07:30', '2025-12-24T06:30:00Z'],
    ['iso', '2025-12-24', '2025-12-23T23:00:00Z'],
    // Not a time, or not in the format.
    ['dd.MM.yyyy HH:mm', '31.02.2025 07:30', undefined],
    ['dd.MM.yyyy HH:mm', '24.13.2025 07:30', undefined],
    ['dd.MM.yyyy HH:mm', '24.12.2025 25:00', undefined],
    ['dd.MM.yyyy HH:mm', '24/12/2025 07:30', undefined],
    ['MM/dd/yyyy hh:mm a', '12/24/2025 13:05 PM', undefined],
    ['dd.MM.yyyy', '29.02.2024', '2024-02-28T23:00:00Z'],
    ['dd.MM.yyyy', '29.02.2100', undefined],
    ['excel', '5', undefined],
  ])('%s reads %j as %s', (named, cell, expected) => {
    const time = timeReader(dateFormatNamed(named), zurich, number)(cell)
    expect(time).toBe(expected === undefined ? undefined : utc(expected))
  })

  it.each(['dd.MM', 'dd.MM.yyyyy', 'MMM dd yyyy', 'dd.MM.yyyy HH', 'x', 'dd.dd.MM.yyyy'])('%s is no pattern', (word) => {
    expect(() => dateFormatNamed(word)).toThrow('--date-format takes a pattern')
  })
})

describe('proposed columns', () => {
  const head = (names: string, ...rows: string[]) => ({ names: names.split(';'), rows: rows.map((row) => row.split(';')) })
  it.each([
    ['the only dates', head('a;b', '24.12.2025;1'), { at: 0 }],
    ['dates of a name', head('born;Datum', '24.12.1980;24.12.2025'), { at: 1 }],
    ['numbers with the name of a time', head('v;timestamp', '5;1700000000'), { at: 1 }],
    ['a header alone', head('Datum;Gewicht'), { at: 0 }],
    ['two columns of dates', head('from;until', '24.12.2025;25.12.2025'), { candidates: [0, 1] }],
    ['nothing like a time', head('a;b', '1;2'), { candidates: [0, 1] }],
  ])('of the time: %s', (_, table, expected) => expect(proposeTime(table)).toEqual(expected))

  it.each([
    ['the only numbers', head('Datum;Gewicht (kg);Notiz', '24.12.2025;72,5;gut'), false, { at: 1 }],
    ['the name of a value', head('Datum;a;Wert', '24.12.2025;1;2'), false, { at: 2 }],
    ['numbers beside a counter', head('Datum;Nr;kg', '24.12.2025;1;2'), false, { at: 2 }],
    ['two columns of numbers', head('Datum;a;b', '24.12.2025;1;2'), false, { candidates: [1, 2] }],
    ['the only text', head('Datum;Notiz', '24.12.2025;gut'), true, { at: 1 }],
    ['no numbers', head('Datum;Notiz', '24.12.2025;gut'), false, { candidates: [1] }],
  ])('of the value: %s', (_, table, isText, expected) => expect(proposeValue(table, new Set([0]), isText)).toEqual(expected))

  it.each([
    ['beside dates', head('Datum;Uhrzeit;kg', '24.12.2025;07:30;72,5'), 1],
    ['not beside dates with a time of day', head('Datum;Dauer;kg', '24.12.2025 07:30;00:30;72,5'), undefined],
    ['not when there are two', head('Datum;a;b', '24.12.2025;07:30;08:30'), undefined],
  ])('of the time of day: %s', (_, table, expected) => expect(proposeClock(table, 0)).toBe(expected))
})
