/** @jsxImportSource hono/jsx */
/** Periods as bands on a line of time, with a table of them. */
import type { Visit } from '../../page.js'
import { timeText } from '../../times.js'
import type { ChartPeriod } from './chartData.js'
import { chartWords } from './words.js'

const WIDTH = 1000
const HEIGHT = 24
/** Rows of the table. */
const MAX_ROWS = 100

interface BandsProps {
  visit: Pick<Visit, 'language' | 'timeZone' | 'node'>
  title: string
  periods: readonly ChartPeriod[]
  from: number
  to: number
}

export function Bands({ visit, title, periods, from, to }: BandsProps) {
  const words = chartWords[visit.language]
  const now = visit.node.clock.now()
  const x = (time: number): number => Math.min(WIDTH, Math.max(0, ((time - from) / (to - from || 1)) * WIDTH))
  const events = periods.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <svg class="bands" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${words.periodsOf(events)}`}>
        {periods.map((period) => (
          <rect x={x(period.from).toFixed(1)} y="0" width={Math.max(1, x(period.to) - x(period.from)).toFixed(1)} height={HEIGHT} />
        ))}
      </svg>
      <details class="chart-table">
        <summary>{words.periodsOf(events)}</summary>
        <div class="scroll" tabindex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.from}</th>
                <th scope="col">{words.to}</th>
              </tr>
            </thead>
            <tbody>
              {periods.slice(-MAX_ROWS).reverse().map((period) => (
                <tr>
                  <th scope="row">{timeText(period.from, visit)}</th>
                  <td>{period.to >= now - 1 ? words.running : timeText(period.to, visit)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  )
}
