import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { when } from '../../../src/cli/terminal/output/format.js'
import { alignedTable, tabbedTable, type Column } from '../../../src/cli/terminal/output/table.js'
import { isoTime, secondsOf, timeCell, timeInLine } from '../../../src/cli/terminal/output/timestamps.js'
import { readIsoTime } from '../../../src/cli/terminal/input/time.js'

const now = 1_800_000_000
const DAY = 86_400

/** Runs the rest of the test in a time zone. */
function inZone(zone: string): void {
  vi.stubEnv('TZ', zone)
  onTestFinished(() => void vi.unstubAllEnvs())
}

describe('times on a terminal', () => {
  it.each([
    [now, 'just now'],
    [now + 4, 'just now'],
    [now - 5, '5 s ago'],
    [now - 59, '59 s ago'],
    [now - 60, '1 min ago'],
    [now - 3599, '59 min ago'],
    [now - DAY + 1, '23 h ago'],
    [now + 60, 'in 60 s'],
    [now + 3600, 'in 60 min'],
    [now - DAY, when(now - DAY).slice(0, 16)],
    [now + DAY, when(now + DAY).slice(0, 16)],
  ])('are relative within a day, else local: %i as %s', (time, text) => expect(timeCell(time, true, now)).toBe(text))

  it('are absolute in lines that stay on the screen', () => {
    expect(timeInLine(now, true)).toBe(when(now))
    expect(timeInLine(now, false)).toBe(isoTime(now))
  })
})

describe('times in a pipe', () => {
  it.each([
    ['UTC', now, '2027-01-15T08:00:00+00:00'],
    ['Europe/Zurich', now, '2027-01-15T09:00:00+01:00'],
    ['Asia/Kolkata', now, '2027-01-15T13:30:00+05:30'],
    ['America/St_Johns', now, '2027-01-15T04:30:00-03:30'],
    ['UTC', 0.25, '1970-01-01T00:00:00.250+00:00'],
    ['UTC', -1, '1969-12-31T23:59:59+00:00'],
  ])('are ISO 8601 with offset: in %s, %d as %s', (zone, time, text) => {
    inZone(zone)
    expect(isoTime(time)).toBe(text)
    expect(readIsoTime(text)).toBe(time)
    expect(timeCell(time, false, now)).toBe(text)
  })

  it.each(['Europe/Amsterdam', 'America/New_York'])('mean the same second before standard time, in %s', (zone) => {
    inZone(zone)
    const time = Date.UTC(1880, 5, 1) / 1000
    expect(readIsoTime(isoTime(time))).toBe(time)
  })

  it('are numbers where no date exists', () => expect([isoTime(1e300), isoTime(NaN)]).toEqual(['1e+300', 'NaN']))
})

describe('columns of times', () => {
  interface Row {
    at?: number | null
  }
  const rows: Row[] = [{ at: 1000 }, { at: null }, {}]

  it('show a dash, or another text, for missing times', () => {
    expect(alignedTable([{ title: 'AT', time: ({ at }) => at }], rows, 80)).toEqual(['AT', when(1000).slice(0, 16), '—', '—'])
    expect(alignedTable([{ title: 'AT', time: ({ at }) => at, none: 'never' }], rows, 80).slice(2)).toEqual(['never', 'never'])
    expect(tabbedTable([{ title: 'AT', time: ({ at }) => at, none: 'never' }], rows)).toEqual([isoTime(1000), '—', '—'])
  })

  it('show a text for past times, on a terminal only', () => {
    const column: Column<Row> = { title: 'ENDS', time: ({ at }) => at, past: 'expired' }
    expect(alignedTable([column], rows, 80)[1]).toBe('expired')
    expect(tabbedTable([column], rows)[0]).toBe(isoTime(1000))
  })

  it('convert milliseconds', () => expect([secondsOf(1500), secondsOf(undefined), secondsOf(null)]).toEqual([1.5, undefined, undefined]))
})
