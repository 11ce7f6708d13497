/** Times in inputs of forms, in zones with daylight saving. */
import { describe, expect, it } from 'vitest'
import { localText, secondsOf } from '../../../src/server/pages/times.js'

const at = (iso: string): number => Date.parse(iso) / 1000

describe('the time of an input', () => {
  it.each([
    ['2026-11-27T14:05', 'UTC', '2026-11-27T14:05:00Z'],
    ['2026-11-27T14:05:09', 'Europe/Zurich', '2026-11-27T13:05:09Z'],
    ['2026-07-01 08:00', 'Europe/Zurich', '2026-07-01T06:00:00Z'],
    ['2026-07-01T08:00:00.250', 'Asia/Kathmandu', '2026-07-01T02:15:00.250Z'],
    ['2026-01-01T00:30', 'America/St_Johns', '2026-01-01T04:00:00Z'],
    ['1955-03-01T12:00', 'Europe/Zurich', '1955-03-01T11:00:00Z'],
    // Clocks go back: the hour from 2 to 3 occurs twice.
    ['2026-10-25T02:30', 'Europe/Zurich', '2026-10-25T00:30:00Z'],
    // Clocks go forward: the hour from 2 to 3 is skipped.
    ['2026-03-29T02:30', 'Europe/Zurich', '2026-03-29T01:30:00Z'],
    ['2026-03-29T01:59:59', 'Europe/Zurich', '2026-03-29T00:59:59Z'],
    ['2026-03-29T03:00', 'Europe/Zurich', '2026-03-29T01:00:00Z'],
    // A zone that skipped a whole day.
    ['2011-12-31T10:00', 'Pacific/Apia', '2011-12-30T20:00:00Z'],
  ])('%s in %s is %s', (text, zone, expected) => expect(secondsOf(text, zone)).toBe(at(expected)))

  it.each(['', '2026-02-30T10:00', '2026-13-01T10:00', '2026-01-01T24:00', '2026-01-01T10:60', '26-01-01T10:00', '2026-01-01', 'now', '2026-01-01T10:00Z', `${'1'.repeat(1000)}`])(
    'is not read from %s',
    (text) => expect(secondsOf(text, 'Europe/Zurich')).toBeUndefined(),
  )

  it('is what the input shows, in every hour around the changes of clocks', () => {
    for (const zone of ['Europe/Zurich', 'America/New_York', 'Australia/Lord_Howe', 'UTC']) {
      for (const change of ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01']) {
        for (let hour = -30; hour < 54; hour++) {
          const time = at(`${change}T00:00:00Z`) + hour * 3600 + 754
          const found = secondsOf(localText(time, zone), zone)
          // The second of two equal local times reads as the first.
          expect([time, time - 3600, time - 1800]).toContain(found)
          expect(localText(found ?? 0, zone)).toBe(localText(time, zone))
        }
      }
    }
  })

  it('shows nothing for times that inputs cannot have', () => {
    expect(localText(1e18, 'UTC')).toBe('')
    expect(localText(-1e12, 'UTC')).toBe('')
    expect(localText(-1e9, 'Europe/Zurich')).toMatch(/^1938-04-24T/)
  })
})
