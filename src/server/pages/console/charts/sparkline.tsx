/** @jsxImportSource hono/jsx */
/** A small line of means, as a hint at the shape of a chart. */
import type { ChartBuckets } from '../../events/lineChart.js'

const WIDTH = 120
const HEIGHT = 28
const ROOM = 2

export function Sparkline({ buckets: { index, mean }, points }: { buckets: ChartBuckets; points: number }) {
  const values = index.flatMap((bucket, at) => {
    const value = mean[at]
    return typeof value === 'number' ? [{ bucket, value }] : []
  })
  const [low, high] = [Math.min(...values.map(({ value }) => value)), Math.max(...values.map(({ value }) => value))]
  const x = (bucket: number): string => (points <= 1 ? WIDTH / 2 : ROOM + (bucket / (points - 1)) * (WIDTH - 2 * ROOM)).toFixed(1)
  const y = (value: number): string => (high === low ? HEIGHT / 2 : HEIGHT - ROOM - ((value - low) / (high - low)) * (HEIGHT - 2 * ROOM)).toFixed(1)
  const line = values.map(({ bucket, value }) => `${x(bucket)} ${y(value)}`).join('L')
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
      {line === '' ? null : <path d={`M${line}${values.length === 1 ? 'h0' : ''}`} />}
    </svg>
  )
}
