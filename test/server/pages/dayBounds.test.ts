/** Bounds of days in time zones, also where clocks change. */
import { describe, expect, it } from 'vitest'
import { dateInput, dayBounds } from '../../../src/server/pages/times.js'

const HOUR = 3600
const at = (text: string): number => Date.parse(text) / 1000

describe('dayBounds', () => {
  it.each([
    ['2026-11-27', 'UTC', '2026-11-27T00:00:00Z', 24],
    ['2026-11-27', 'Europe/Zurich', '2026-11-26T23:00:00Z', 24],
    ['2026-03-29', 'Europe/Zurich', '2026-03-28T23:00:00Z', 23],
    ['2026-10-25', 'Europe/Zurich', '2026-10-24T22:00:00Z', 25],
    ['2026-11-27', 'Asia/Kathmandu', '2026-11-26T18:15:00Z', 24],
    ['2026-12-31', 'Pacific/Kiritimati', '2026-12-30T10:00:00Z', 24],
    ['2024-02-29', 'America/New_York', '2024-02-29T05:00:00Z', 24],
    // The clocks go from 23:59 to 01:00, so the day has no midnight.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z', 23],
    // The clocks go from 23:59 back to 23:00.
    ['2018-02-17', 'America/Sao_Paulo', '2018-02-17T02:00:00Z', 25],
    ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00Z', 24],
    // Samoa left out a day.
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00Z', 0],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00Z', 24],
  ])('of %s in %s begin at %s and last %i hours', (text, timeZone, from, hours) => {
    expect(dayBounds(text, timeZone)).toEqual({ from: at(from), to: at(from) + hours * HOUR })
  })

  it.each(['', '2026-02-30', '2026-13-01', '26-11-27', '2026-11-27T10:00', '0001-01-01', '12026-01-01', 'x'])('are undefined for %j', (text) => {
    expect(dayBounds(text, 'Europe/Zurich')).toBeUndefined()
  })

  it('of the days of years join without gaps, and contain their times', () => {
    for (const timeZone of ['UTC', 'Europe/Zurich', 'America/Sao_Paulo', 'Asia/Beirut', 'Australia/Lord_Howe']) {
      let end: number | undefined
      for (let day = Date.UTC(2017, 11, 1); day < Date.UTC(2019, 3, 30); day += 24 * HOUR * 1000) {
        const text = new Date(day).toISOString().slice(0, 10)
        const bounds = dayBounds(text, timeZone)
        if (end !== undefined) expect([timeZone, text, bounds?.from]).toEqual([timeZone, text, end])
        expect(dateInput(bounds?.from ?? 0, timeZone)).toBe(text)
        end = bounds?.to
      }
    }
  })

  it('have dates, also before the year 0 and at the ends of time', () => {
    expect(dateInput(8.64e12, 'Pacific/Kiritimati')).toBeUndefined()
    expect(dateInput(1e300, 'UTC')).toBeUndefined()
    expect(dateInput(8.64e12, 'UTC')).toBe('+275760-09-13')
    expect(dateInput(at('-000044-03-15T12:00:00Z'), 'UTC')).toBe('-000044-03-15')
    expect(dateInput(at('0050-03-15T12:00:00Z'), 'UTC')).toBe('0050-03-15')
  })
})
