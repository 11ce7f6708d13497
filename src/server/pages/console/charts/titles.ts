/** Names of charts: the path of the stream, the field, and the unit or the type. */
import type { Language } from '../../../base/words.js'
import { fieldName, typeName, unitOf } from '../../events/eventValue.js'
import type { ConsoleVisit } from '../consolePage.js'
import type { StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import type { Part } from './view.js'
import { chartWords } from './words.js'

/** Returns the title of the page for all charts of something. */
export const chartTitle = (name: string, language: Language): string => `${consoleWords[language].sections.charts}: ${name}`

/** Returns the name of a field of a type in a stream: `Body / Weight (kg)`, `Body: Systolic (mmHg)`. */
export function groupTitle(visit: Pick<ConsoleVisit, 'language' | 'node'>, streams: StreamList, { streamId, type, field }: { streamId: string | undefined; type: string; field: string }): string {
  const stream = streamId === undefined ? '' : streams.pathOf(streamId)
  const unit = unitOf(type, visit)
  const isValue = field === '' || (type.startsWith('series:') && field === 'value')
  if (!isValue) return `${stream}: ${fieldName(field)}`
  return `${stream} (${unit ?? typeName(type, visit)})`
}

export function partTitle(visit: Pick<ConsoleVisit, 'language' | 'node'>, streams: StreamList, part: Part): string {
  const words = chartWords[visit.language]
  switch (part.kind) {
    case 'line':
      return groupTitle(visit, streams, { streamId: part.chart.streamId, type: part.chart.type, field: part.chart.key.field })
    case 'calendar':
      return groupTitle(visit, streams, { ...part, field: '' })
    case 'track':
      return `${streams.pathOf(part.streamId)}: ${words.track}`
    case 'periods':
      return `${streams.pathOf(part.streamId)}: ${words.periods} (${typeName(part.type, visit)})`
  }
}
