/** @jsxImportSource hono/jsx */
/**
 * A chart of a numeric group of `events.summary` as a picture that needs no script: the means as a line, extremes as a band, and the
 * values as a table. Labels are text of the page, so they keep their size on small screens.
 */
import { createAsset } from '../assets.js'
import type { Visit } from '../page.js'
import { dayText, timeText } from '../times.js'
import { numberText } from './eventValue.js'
import { eventWords } from './words.js'

export interface ChartBuckets {
  /** Numbers of the buckets that have values, ascending. */
  index: readonly number[]
  min: readonly (number | null)[]
  max: readonly (number | null)[]
  mean: readonly (number | null)[]
}

interface LineChartProps {
  visit: Pick<Visit, 'language' | 'timeZone'>
  /** Prefix of the ids of its elements, unique on the page. */
  id: string
  title: string
  buckets: ChartBuckets
  /** Bounds of all buckets, in seconds. */
  from: number
  to: number
  /** Number of buckets between the bounds. */
  points: number
  /** Symbol of the unit. */
  unit?: string | undefined
}

interface Point {
  /** Times of the bucket, in seconds. */
  from: number
  to: number
  min: number
  max: number
  mean: number
}

const WIDTH = 600
const HEIGHT = 180
/** Lines are interrupted where a gap is longer than this multiple of the usual distance of values. */
const GAP = 4
const MAX_DOTS = 60

export const lineChartStyle = createAsset(
  'line-chart',
  'css',
  `
.line-chart{margin:0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:.125rem .5rem;font-size:.8125rem;color:var(--soft)}
.line-chart .top,.line-chart .bottom{grid-column:1;text-align:right;font-variant-numeric:tabular-nums}
.line-chart .top{grid-row:1;align-self:start}
.line-chart .bottom{grid-row:1;align-self:end}
.line-chart svg{grid-column:2;grid-row:1;width:100%;height:11rem;display:block;border-left:1px solid var(--line);border-bottom:1px solid var(--line)}
.line-chart .ends{grid-column:2;display:flex;justify-content:space-between;gap:1rem}
.line-chart figcaption{grid-column:1/-1;color:var(--text)}
.line-chart .band{fill:var(--accent);opacity:.18;stroke:none}
.line-chart .line,.line-chart .dots{fill:none;stroke:var(--accent);stroke-width:2;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.line-chart .dots{stroke-width:5}
.line-chart .grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.chart-table summary{cursor:pointer;padding:.375rem 0}
.chart-table .scroll{max-height:20rem;overflow:auto}
@media print{.line-chart svg{height:8rem}.chart-table:not([open]){display:none}}
`,
)

export function LineChart({ visit, id, title, buckets, from, to, points, unit }: LineChartProps) {
  const words = eventWords[visit.language]
  const values = pointsOf(buckets, from, (to - from) / points)
  if (values.length === 0) return <></>
  const lowest = Math.min(...values.map(({ min }) => min))
  const highest = Math.max(...values.map(({ max }) => max))
  const text = (value: number): string => withUnit(numberText(rounded(value, highest - lowest), visit.language), unit)
  const description = words.chart(dayText(from, visit), dayText(to, visit), text(lowest), text(highest), values.length)
  return (
    <>
      <figure class="line-chart">
        <Drawing id={id} title={title} description={description} values={values} from={from} to={to} lowest={lowest} highest={highest} />
        <span class="top" aria-hidden="true">
          {text(highest)}
        </span>
        <span class="bottom" aria-hidden="true">
          {highest === lowest ? '' : text(lowest)}
        </span>
        <span class="ends" aria-hidden="true">
          <span>{dayText(from, visit)}</span>
          <span>{dayText(to, visit)}</span>
        </span>
      </figure>
      <details class="chart-table">
        <summary>{words.table}</summary>
        <div class="scroll" tabindex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.time}</th>
                <th scope="col">{words.mean}</th>
                <th scope="col">{words.lowest}</th>
                <th scope="col">{words.highest}</th>
              </tr>
            </thead>
            <tbody>
              {values.map(({ from: begin, min, max, mean }) => (
                <tr>
                  <th scope="row">{timeText(begin, visit)}</th>
                  <td>{text(mean)}</td>
                  <td>{text(min)}</td>
                  <td>{text(max)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  )
}

interface DrawingProps {
  id: string
  title: string
  description: string
  values: readonly Point[]
  from: number
  to: number
  lowest: number
  highest: number
}

function Drawing({ id, title, description, values, from, to, lowest, highest }: DrawingProps) {
  // Room above and below, so that extremes are not cut off.
  const room = (highest - lowest || Math.abs(highest) || 1) * 0.06
  const x = (time: number): string => (to === from ? WIDTH / 2 : ((time - from) / (to - from)) * WIDTH).toFixed(1)
  const y = (value: number): string => (HEIGHT - ((value - lowest + room) / (highest - lowest + 2 * room)) * HEIGHT).toFixed(1)
  const middle = (point: Point): string => x((point.from + point.to) / 2)
  const runs = runsOf(values)
  const line = runs.map((run) => `M${run.map((point) => `${middle(point)} ${y(point.mean)}`).join('L')}`).join('')
  const isDotted = values.length <= MAX_DOTS
  const dots = values.filter((_, at) => isDotted || isAlone(runs, values[at])).map((point) => `M${middle(point)} ${y(point.mean)}h0`).join('')
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-labelledby={`${id}-title ${id}-desc`}>
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-desc`}>{description}</desc>
      <path class="grid" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
      {runs.map((run) => (
        <path class="band" d={`M${run.map((point) => `${middle(point)} ${y(point.max)}`).join('L')}L${[...run].reverse().map((point) => `${middle(point)} ${y(point.min)}`).join('L')}Z`} />
      ))}
      <path class="line" d={line} />
      {dots === '' ? null : <path class="dots" d={dots} />}
    </svg>
  )
}

const isAlone = (runs: readonly (readonly Point[])[], point: Point | undefined): boolean => runs.some((run) => run.length === 1 && run[0] === point)

/** Returns the buckets with values. Ends of buckets beyond the bounds follow from their numbers. */
function pointsOf({ index, min, max, mean }: ChartBuckets, from: number, length: number): Point[] {
  return index.flatMap((bucket, at) => {
    const [low, high, middle] = [min[at], max[at], mean[at]]
    if (typeof low !== 'number' || typeof high !== 'number' || typeof middle !== 'number') return []
    return [{ from: from + bucket * length, to: from + (bucket + 1) * length, min: low, max: high, mean: middle }]
  })
}

/** Splits values into runs without long gaps. */
function runsOf(values: readonly Point[]): Point[][] {
  const distances = values.slice(1).map(({ from }, at) => from - (values[at]?.from ?? from))
  const usual = [...distances].sort((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0
  const runs: Point[][] = []
  for (const [at, point] of values.entries()) {
    const distance = distances[at - 1] ?? Infinity
    const run = runs.at(-1)
    if (run === undefined || distance > GAP * usual) runs.push([point])
    else run.push(point)
  }
  return runs
}

/** Rounds a value to four digits of the span of all values, so that means are no longer than the values. */
function rounded(value: number, span: number): number {
  if (span === 0) return value
  const digits = Math.min(Math.max(3 - Math.floor(Math.log10(span)), 0), 12)
  return Number(value.toFixed(digits))
}

const withUnit = (text: string, unit: string | undefined): string => (unit === undefined ? text : `${text}\u00a0${unit}`)
