/** @jsxImportSource hono/jsx */
/** Ratings and answers of yes or no as calendars: the mean of each day, by month, in the zone of the reader. */
import { valueText } from '../../events/eventValue.js'
import type { OwnVisit } from '../../page.js'
import { dateInput, dayBounds } from '../../times.js'
import { summaryOf, type Group } from './chartData.js'
import { chartWords } from './words.js'

/** Number of months shown. */
const MONTHS = 6
const DAYS = 7
const DAY_SECONDS = 86_400
/** Levels of colour. */
const LEVELS = 4

export interface CalendarMonth {
  year: number
  /** 1 to 12. */
  month: number
  days: { value: number | undefined; count: number }[]
}

/** Checks whether the values of a type are shown by a calendar: ratings from 0 to 1, and yes or no. */
export const isCalendarType = (type: string): boolean => type.startsWith('boolean/') || type.startsWith('mood/') || type.startsWith('rating/')

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

/**
 * Reads the means of the days of the months up to the one that contains `until`.
 * @throws Failure of events.summary
 */
export async function readCalendar(visit: OwnVisit, { streamId, type }: { streamId: string; type: string }, until: number): Promise<CalendarMonth[]> {
  const [year = 1970, month = 1] = (dateInput(until, visit.timeZone) ?? '').split('-').map(Number)
  const end = { year, month }
  const months = Array.from({ length: MONTHS }, (_, n) => {
    const index = end.year * 12 + end.month - 1 - (MONTHS - 1 - n)
    return { year: Math.floor(index / 12), month: (index % 12) + 1 }
  })
  const edges = [...months.flatMap(({ year, month }) => daysOf(year, month, visit.timeZone)), startOf(nextMonth(end), visit.timeZone)]
  const { groups } = await summaryOf(visit, { streams: [`${streamId}!`], types: [type], edges })
  return filledMonths(months, groups[0])
}

const startOf = ({ year, month, day = 1 }: { year: number; month: number; day?: number }, timeZone: string): number => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return dayBounds(date.toISOString().slice(0, 10), timeZone)?.from ?? date.getTime() / 1000
}

const nextMonth = ({ year, month }: { year: number; month: number }): { year: number; month: number } => (month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 })

/** Returns the times at which the days of a month begin; only months in which clocks change need a look at each day. */
function daysOf(year: number, month: number, timeZone: string): number[] {
  const days = daysIn(year, month)
  const start = startOf({ year, month }, timeZone)
  const isEven = startOf(nextMonth({ year, month }), timeZone) - start === days * DAY_SECONDS
  return Array.from({ length: days }, (_, day) => (isEven ? start + day * DAY_SECONDS : startOf({ year, month, day: day + 1 }, timeZone)))
}

function filledMonths(months: readonly { year: number; month: number }[], group: Group | undefined): CalendarMonth[] {
  const at = new Map((group?.buckets.index ?? []).map((bucket, n) => [bucket, n]))
  let before = 0
  return months.map(({ year, month }) => {
    const days = Array.from({ length: daysIn(year, month) }, (_, day) => {
      const n = at.get(before + day)
      return n === undefined ? { value: undefined, count: 0 } : { value: group?.buckets.mean?.[n] ?? undefined, count: group?.buckets.count[n] ?? 0 }
    })
    before += days.length
    return { year, month, days }
  })
}

/** Returns the level of a value between the bounds of all values, from 1 to 4. */
const levelOf = (value: number, low: number, high: number): number => (high === low ? LEVELS : 1 + Math.min(LEVELS - 1, Math.floor(((value - low) / (high - low)) * LEVELS)))

interface CalendarProps {
  visit: OwnVisit
  title: string
  type: string
  months: readonly CalendarMonth[]
}

export function Calendar({ visit, title, type, months }: CalendarProps) {
  const words = chartWords[visit.language]
  const values = months.flatMap(({ days }) => days.flatMap(({ value }) => value ?? []))
  // Shares and answers have a natural scale.
  const [low, high] = type.startsWith('rating/') ? [Math.min(...values), Math.max(...values)] : [0, 1]
  const weekdays = weekdayNames(visit.language)
  return (
    <div class="calendar">
      {months.map(({ year, month, days }) => (
        <table>
          <caption>
            {monthName(year, month, visit.language)}
            <span class="hidden">: {title}</span>
          </caption>
          <thead>
            <tr>
              {weekdays.map(({ short, long }) => (
                <th scope="col" abbr={long}>
                  {short}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeksOf(year, month, days.length).map((week) => (
              <tr>
                {week.map((day) => {
                  if (day === undefined) return <td class="outside"></td>
                  const { value, count } = days[day - 1] ?? { value: undefined, count: 0 }
                  if (value === undefined) return <td>{day}</td>
                  const text = `${valueText({ type: shownType(type, count), content: shownValue(type, value, count) }, visit)}, ${words.values(count)}`
                  return (
                    <td class={`level-${levelOf(value, low, high)}`} title={text}>
                      {day}
                      <span class="hidden">: {text}</span>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  )
}

/** A day with one answer shows it; one with several shows the share of yes. */
const shownValue = (type: string, value: number, count: number): unknown => (type.startsWith('boolean/') && count === 1 ? value === 1 : Number(value.toPrecision(3)))
const shownType = (type: string, count: number): string => (type.startsWith('boolean/') && count > 1 ? 'mood/rating' : type)

/** Returns the days of a month by weeks, Monday first; undefined outside the month. */
export function weeksOf(year: number, month: number, days: number): (number | undefined)[][] {
  const first = (new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + DAYS - 1) % DAYS
  return Array.from({ length: Math.ceil((first + days) / DAYS) }, (_, week) =>
    Array.from({ length: DAYS }, (_, weekday) => {
      const day = week * DAYS + weekday - first + 1
      return day >= 1 && day <= days ? day : undefined
    }),
  )
}

const monthName = (year: number, month: number, language: string): string =>
  new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.UTC(year, month - 1, 1))

function weekdayNames(language: string): { short: string; long: string }[] {
  const [short, long] = (['narrow', 'long'] as const).map((weekday) => new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' }))
  // 1 January 2024 was a Monday.
  return Array.from({ length: DAYS }, (_, day) => Date.UTC(2024, 0, 1 + day)).map((time) => ({ short: short?.format(time) ?? '', long: long?.format(time) ?? '' }))
}
