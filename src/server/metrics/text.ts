/** Metrics in the Prometheus text format, version 0.0.4. */
import { countOf, type Histogram } from '../../store/engine/histogram.js'
import { vocabulary, type MetricName } from './vocabulary.js'

type Labels = Readonly<Record<string, string>>

/** A value, or a histogram, with its labels. */
export interface Sample {
  labels?: Labels
  value: number | Histogram
}

/** Samples by metric name. */
export type Figures = Record<MetricName, readonly Sample[]>

/** Returns the text of all metrics, by name; those without a sample have HELP and TYPE lines only. */
export function metricsText(figures: Figures): string {
  const lines: string[] = []
  for (const name of Object.keys(vocabulary).sort() as MetricName[]) {
    const { help, type } = vocabulary[name]
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    for (const { labels = {}, value } of figures[name]) {
      if (typeof value === 'number') lines.push(`${name}${labelText(labels)} ${value}`)
      else lines.push(...histogramLines(name, labels, value))
    }
  }
  return `${lines.join('\n')}\n`
}

/** Buckets are cumulative: each counts values up to its bound. */
function histogramLines(name: string, labels: Labels, histogram: Histogram): string[] {
  let below = 0
  const buckets = histogram.bounds.map((bound, at) => {
    below += histogram.counts[at] ?? 0
    return `${name}_bucket${labelText({ ...labels, le: String(bound) })} ${below}`
  })
  const count = countOf(histogram)
  return [
    ...buckets,
    `${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
    `${name}_sum${labelText(labels)} ${histogram.sum}`,
    `${name}_count${labelText(labels)} ${count}`,
  ]
}

/** Label values come from the vocabulary and need no escaping. */
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
