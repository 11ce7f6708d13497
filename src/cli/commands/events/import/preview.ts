/** The columns of the preview of an import. */
import { timeIn, type Zone } from '../../../terminal/input/timeZone.js'
import type { Column } from '../../../terminal/output/table.js'
import type { EventLine, ImportLine } from './line.js'

const isEvent = (line: ImportLine): line is EventLine => 'event' in line

/** Returns the lines that contain an event. */
export const eventLines = (lines: readonly ImportLine[]): ImportLine[] => lines.filter(isEvent)

/** Creates the columns of events as they will be stored, with times in a zone. */
export function eventColumns(zone: Zone): Column<ImportLine>[] {
  const cell = (read: (event: EventLine['event']) => string) => (line: ImportLine): string => (isEvent(line) ? read(line.event) : '')
  return [
    { title: 'LINE', cell: ({ line }) => String(line), align: 'right', drops: true },
    { title: 'TIME', cell: cell(({ time }) => (typeof time === 'number' ? timeIn(zone, time) : 'now')) },
    { title: 'VALUE', cell: cell(({ content }) => (content === undefined ? '' : JSON.stringify(content))), shrinks: true },
    { title: 'STREAM', cell: cell(({ streamIds }) => streamIds.join(', ')), shrinks: true },
    { title: 'TYPE', cell: cell(({ type }) => type), shrinks: true },
  ]
}
