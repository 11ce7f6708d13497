/** Figures as the Prometheus text format, version 0.0.4. */
import { countOf, type Histogram } from '../../store/engine/histogram.js'
import { vocabulary, type MetricName } from './vocabulary.js'

export type Labels = Readonly<Record<string, string>>

/** One figure, or the histogram of many, under its labels. */
export interface Sample {
  labels?: Labels
  value: number | Histogram
}

/** Samples for each name there is. */
export type Figures = Record<MetricName, readonly Sample[]>

/** The text of all figures, by name; those without a sample are described only. */
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

/** Buckets count what is at most their bound. */
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

/** Values come from the vocabulary, whose words need no escapes. */
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
