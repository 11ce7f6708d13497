/** Retention of archives: a table, and an independent naive version. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expired, type Retention } from '../../../src/store/backup/retention.js'

const at = (text: string): { name: string; made: number } => ({ name: text, made: Date.parse(`${text}Z`) / 1000 })
const NONE: Retention = { last: 0, daily: 0, weekly: 0, monthly: 0 }
const ALL = ['2026-09-30T10:00', '2026-10-31T10:00', '2026-11-15T10:00', '2026-11-16T09:00', '2026-11-21T10:00', '2026-11-22T09:00', '2026-11-22T20:00']

describe('expired archives', () => {
  it.each<[string, Partial<Retention>, string[]]>([
    ['all without a rule', {}, []],
    ['all but the latest two', { last: 2 }, ALL.slice(-2)],
    ['all but the last of two days', { daily: 2 }, ['2026-11-21T10:00', '2026-11-22T20:00']],
    ['all but the last of two weeks, from Monday', { weekly: 2 }, ['2026-11-15T10:00', '2026-11-22T20:00']],
    ['all but the last of two months', { monthly: 2 }, ['2026-10-31T10:00', '2026-11-22T20:00']],
    ['none that one of several rules keeps', { last: 1, monthly: 3 }, ['2026-09-30T10:00', '2026-10-31T10:00', '2026-11-22T20:00']],
    ['none where rules reach further than there are archives', { daily: 100 }, ALL.filter((each) => each !== '2026-11-22T09:00')],
  ])('are %s', (_, rules, kept) => {
    const gone = expired(ALL.map(at), { ...NONE, ...rules }).map(({ name }) => name)
    expect(gone).toEqual(ALL.filter((name) => !kept.includes(name)))
  })

  it('are those of a naive implementation of the rules', () => {
    const DAY = 86_400
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 120 * 24 }), { maxLength: 40 }),
        fc.record({ last: fc.nat(5), daily: fc.nat(5), weekly: fc.nat(5), monthly: fc.nat(3) }),
        (hours, rules) => {
          const archives = hours.map((hour, n) => ({ n, made: 1_790_000_000 + hour * 3600 }))
          const gone = expired(archives, rules)
          const kept = archives.filter((each) => !gone.includes(each))
          const periods: [keyof Retention, (t: number) => string][] = [
            ['daily', (t) => String(Math.floor(t / DAY))],
            ['weekly', (t) => String(Math.floor((t / DAY - 4) / 7))],
            ['monthly', (t) => `${new Date(t * 1000).getUTCFullYear()} ${new Date(t * 1000).getUTCMonth()}`],
          ]
          const expected = new Set<number>()
          for (const [rule, periodOf] of periods) {
            const groups = [...new Set(archives.map(({ made }) => periodOf(made)))]
              .map((group) => archives.filter(({ made }) => periodOf(made) === group).map(({ made }) => made))
              .sort((a, b) => Math.max(...b) - Math.max(...a))
            for (const group of groups.slice(0, rules[rule])) expected.add(Math.max(...group))
          }
          for (const made of archives.map((each) => each.made).sort((a, b) => b - a).slice(0, rules.last)) expected.add(made)
          expect([...new Set(kept.map(({ made }) => made))].sort()).toEqual([...expected].sort())
        },
      ),
      { numRuns: 200 },
    )
  })
})
