import { isAccountStreamId } from '../../../store/model/slug.js'
import { command } from '../../command.js'
import { recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { flag, text } from '../../framework/option.js'
import { csvLine, EVENT_COLUMNS } from '../../terminal/output/csv.js'
import { jsonTextLine } from '../../terminal/output/json.js'
import { wholeFile } from '../../terminal/output/file.js'
import { amount, counted } from '../../terminal/output/format.js'
import { choiceOptions, matching, within } from './query.js'

/** `coffer events export`. */
export const exportEvents = command({
  path: ['events', 'export'],
  summary: 'Write events out, one a line, in the order of time',
  description:
    'Each line is an event as the API gives it, in JSON (NDJSON). All are as they were at one moment, and there may be any number of them. Fields of the account, such as its language, are left out unless named by --stream. The contents of attached files are not among them. What still goes on is there when the range reaches the present.\n\nWith --csv: a header and the columns time (seconds), streams (parted by semicolons), type, content (JSON) and id, which coffer events import reads with --time-column time --stream-column streams --type-column type --content-column content --id-column id. A cell that a program for tables would take for a formula has an apostrophe in front, which the import takes off; numbers stay as they are.',
  options: {
    ...choiceOptions,
    all: flag('Also what lies in the trash'),
    output: text('File to write, complete or not at all; stdout without it', { placeholder: 'file', completes: 'file' }),
    csv: flag('Write CSV'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events export --output events.ndjson', says: 'everything' },
    { type: 'coffer events export --stream heart --from 2026-01-01 --csv', says: 'a table of one stream, on stdout' },
  ],
  json: 'NDJSON of event objects, as without it',
  offline: true,
  async run({ out, connect, terminal }, options) {
    const { all, csv, output, stream } = options
    const client = await connect()
    const as = await authorityOf(client, options)
    const query = { ...matching(options), ...within(options), sortAscending: true, ...(all ? { state: 'all' } : {}) }
    const isWanted = stream.length > 0 ? () => true : isNoAccountField
    const file = output === undefined ? undefined : await wholeFile(output)
    const write = file === undefined ? (csv ? out.data : terminal.write) : file.write
    const progress = file === undefined ? undefined : out.progress('exporting', undefined, amount)
    let count = 0
    try {
      if (csv) await write(csvLine(EVENT_COLUMNS))
      for await (const texts of client.texts('events.get', query, as, 'events')) {
        const lines: string[] = []
        for (const line of texts) {
          const event = recordOf(JSON.parse(line))
          if (isWanted(event)) lines.push(csv ? csvLine(csvCells(event)) : jsonTextLine(line))
        }
        count += lines.length
        progress?.advance(lines.length)
        if (lines.length > 0) await write(lines.join(''))
      }
      await file?.done()
    } finally {
      progress?.end()
      await file?.drop()
    }
    out.done(`${counted(count, 'event')} exported${output === undefined ? '' : ` to ${output}`}`)
  },
})

function csvCells(event: Record_): string[] {
  const { time, streamIds, type, content, id } = event
  const streams = Array.isArray(streamIds) ? streamIds.map(textOf).join(';') : ''
  return [textOf(time), streams, textOf(type), content === undefined ? '' : JSON.stringify(content), textOf(id)]
}

function isNoAccountField(event: Record_): boolean {
  return !isAccountStreamId(textOf(event['id']))
}
