/** @jsxImportSource hono/jsx */
/**
 * Picture of the entries per week, which the overview shows. It is a resource of its own: counting the entries of a large account
 * for the first time takes seconds, and the page does not wait for it.
 */
import { summary as eventsSummary } from '../../../api/events/summary.js'
import { peopleStreamsQuery } from '../../../../store/model/peopleStreams.js'
import type { Page } from '../../page.js'
import { readAsOwner } from '../../session.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { overviewWords } from './words.js'

export const GROWTH_PATH = '/overview/growth'
export const GROWTH_SIZE = { width: 320, height: 96 } as const

const WEEKS = 12
const WEEK = 7 * 86_400
const LABEL = 14
const GAP = 4
/** Colours that are visible on a light and on a dark page. */
const BAR = '#4a8fd4'
const LINE = '#8a939c'

interface Group {
  streamId?: string
  type: string
  field: string
  count: number
  buckets: { index: number[]; count: number[] }
}

export const growthImage: Page = consolePage({
  path: GROWTH_PATH,
  section: 'overview',
  async show(visit) {
    const { counts, isPartial } = await entriesPerWeek(visit)
    const image = drawn(counts, isPartial ? overviewWords[visit.language].growthPartial : undefined)
    return { response: new Response(image, { headers: { 'Content-Type': 'image/svg+xml; charset=utf-8' } }) }
  },
})

/** Counts the entries in each of the last weeks, the oldest first. */
async function entriesPerWeek(visit: ConsoleVisit): Promise<{ counts: number[]; isPartial: boolean }> {
  // The last edge is exclusive.
  const end = visit.node.clock.now() + 1
  const edges = Array.from({ length: WEEKS + 1 }, (_, week) => end - (WEEKS - week) * WEEK)
  const { summary } = (await readAsOwner(visit, visit.session, eventsSummary, { streams: [peopleStreamsQuery], edges })) as {
    summary: { groups: Group[]; more?: boolean }
  }
  return { counts: sumOf(summary.groups), isPartial: summary.more === true }
}

/**
 * Adds the counts of all groups. An event whose content has several numbers is in a group for each, so that only the largest of
 * the fields of a stream and type counts; events without a number are in the group without a field.
 */
export function sumOf(groups: readonly Group[]): number[] {
  const largest = new Map<string, Group>()
  for (const group of groups) {
    const key = JSON.stringify([group.streamId, group.type, group.field === ''])
    const known = largest.get(key)
    if (known === undefined || known.count < group.count) largest.set(key, group)
  }
  const counts = new Array<number>(WEEKS).fill(0)
  for (const { buckets } of largest.values()) {
    for (const [at, week] of buckets.index.entries()) counts[week] = (counts[week] ?? 0) + (buckets.count[at] ?? 0)
  }
  return counts
}

function drawn(counts: readonly number[], note: string | undefined): string {
  const { width, height } = GROWTH_SIZE
  const top = Math.max(...counts, 1)
  const step = width / counts.length
  const floor = height - LABEL
  const image = (
    <svg xmlns="http://www.w3.org/2000/svg" viewBox={`0 0 ${width} ${height}`} width={width} height={height}>
      {counts.map((count, week) => {
        const size = count === 0 ? 0 : Math.max(2, ((floor - LABEL) * count) / top)
        return (
          <rect x={String(week * step + GAP / 2)} y={String(floor - size)} width={String(step - GAP)} height={String(size)} rx="2" fill={BAR}>
            <title>{count}</title>
          </rect>
        )
      })}
      <path d={`M0 ${floor + 0.5}H${width}`} stroke={LINE} />
      <text x="0" y="10" font-size="11" font-family="sans-serif" fill={LINE}>
        {`max. ${top}`}
      </text>
      {note === undefined ? null : (
        <text x="0" y={String(height - 2)} font-size="10" font-family="sans-serif" fill={LINE}>
          {note}
        </text>
      )}
    </svg>
  )
  return String(image)
}
