import { command } from '../../command.js'
import { recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { actingAs, authorityOf } from '../../client/access.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { abortOnInterrupt, untilInterrupted, type Interruption } from '../../client/interruption.js'
import { choice, flag, text } from '../../framework/option.js'
import { csvLine, EVENT_COLUMNS } from '../../terminal/output/csv.js'
import { jsonTextLine } from '../../terminal/output/text.js'
import { usageError } from '../../framework/exit.js'
import { interruptedExport, wholeFile } from '../../terminal/output/file.js'
import { amount, counted } from '../../terminal/output/format.js'
import { filterOptions, matching, SYSTEM_RECORDS, within } from './query.js'
import { assertTypesKnown, otherTypes } from './types.js'

/** `coffer events export`. */
export const exportEvents = command({
  path: ['events', 'export'],
  summary: 'Export events, one per line, in chronological order',
  description:
    'Each line is an event of the API in JSON (NDJSON), read from one consistent snapshot; any number of events is supported. Events of the system (account fields, messages and consents) are left out unless --stream names their stream or --all is given. Attached files are not included. Running events are included if the range reaches the present.\n\nWith --csv: a header and the columns time (seconds), streams (separated by semicolons), type, content (JSON) and id, which coffer events import reads with --time-column time --stream-column streams --type-column type --content-column content --id-column id. A cell that a spreadsheet would take for a formula starts with an apostrophe, which the import removes; numbers stay as they are.',
  options: {
    ...filterOptions,
    all: flag(`Include trashed events, and those of the system: ${SYSTEM_RECORDS}`),
    state: choice(['default', 'trashed', 'all'], 'Trashed events: leave out (default), only these, or all'),
    output: text('Output file, written completely or not at all; defaults to stdout', { placeholder: 'file', completes: 'file' }),
    csv: flag('Write CSV'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events export --output events.ndjson', description: 'export everything' },
    { type: 'coffer events export --stream heart --from 2026-01-01 --csv', description: 'one stream as CSV on stdout' },
  ],
  json: 'NDJSON of event objects, the same as without --json',
  offline: true,
  async run({ out, connect, flags, commandFor }, options) {
    const { all, csv, output } = options
    const { filter } = flags
    if (filter !== undefined && (csv || output !== undefined)) throw usageError(`${filter} cannot be combined with ${csv ? '--csv' : '--output'}`, 'To filter the events into a file, redirect stdout: > events.txt')
    const state = options.state ?? (all ? 'all' : undefined)
    const client = await connect()
    const as = await authorityOf(client, options)
    const query = { ...matching(options), ...within(options), sortAscending: true, ...(state === undefined ? {} : { state }) }
    // An export without events leaves no file for a mistyped type.
    if (options.type.length > 0 && (await isEmptyQuery(client, query, as))) await assertTypesKnown(client, as, options.type, otherTypes({ commandFor }))
    const file = output === undefined ? undefined : await wholeFile(output, 'caller')
    const writeCsv = file?.write ?? out.data
    const writeJson = file === undefined ? out.items : (texts: readonly string[]) => file.write(texts.map(jsonTextLine).join(''))
    const progress = file === undefined ? undefined : out.progress('exporting', undefined, amount)
    let count = 0
    const exported = async (stopping: Interruption): Promise<void> => {
      if (csv) await writeCsv(csvLine(EVENT_COLUMNS))
      for await (const texts of abortOnInterrupt(client.texts('events.get', query, as, 'events'), stopping, 'Interrupted.')) {
        if (csv) await writeCsv(texts.map((line) => csvLine(csvCells(recordOf(JSON.parse(line))))).join(''))
        else await writeJson(texts)
        count += texts.length
        progress?.advance(texts.length)
      }
      await file?.done()
    }
    await untilInterrupted(exported, () => interruptedExport(counted(count, 'event'), output)).finally(async () => {
      progress?.end()
      await file?.drop()
    })
    out.done(`${counted(count, 'event')} exported${output === undefined ? '' : ` to ${output}`}`)
  },
})

const isEmptyQuery = async (client: NodeClient, query: Record_, as: Authority): Promise<boolean> =>
  (await client.call('events.get', { ...query, limit: 1 }, as)).events.length === 0

function csvCells(event: Record_): string[] {
  const { time, streamIds, type, content, id } = event
  const streams = Array.isArray(streamIds) ? streamIds.map(textOf).join(';') : ''
  return [textOf(time), streams, textOf(type), content === undefined ? '' : JSON.stringify(content), textOf(id)]
}
