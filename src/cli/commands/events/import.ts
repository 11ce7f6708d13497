import { yesOption } from '../../terminal/input/confirm.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import type { ExitCode } from '../../framework/exit.js'
import { createBatches } from './import/batches.js'
import { checkEvent } from './import/checkEvent.js'
import { createEventIds } from './import/eventId.js'
import { openLines } from './import/format.js'
import type { ImportLine } from './import/line.js'
import type { Counts } from './import/outcome.js'
import { provideStreams } from './import/provideStreams.js'
import { eventColumns, eventLines } from './import/preview.js'
import { importReport, interruptedImport } from './import/report.js'
import { runImport } from './import/run.js'
import type { Work } from './import/run.js'
import { dryRunLines, writeLines } from './import/write.js'
import { sizeOf, withInput } from '../../terminal/input/text.js'
import { CSV_HELP, csvOptions } from '../../terminal/input/csv/options.js'
import { createRowCounter, previewed, type RowCounter } from '../../terminal/input/preview.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { abortOnInterrupt, interruption, type Interruption } from '../../client/interruption.js'
import { choice, flag, inputFile, list, text } from '../../framework/option.js'
import { bytes, counted } from '../../terminal/output/format.js'
import { assertTypesKnown, typeOption } from './types.js'

const column = (what: string) => text(`CSV: column of ${what}`, { placeholder: 'column' })

/** `coffer events import`. */
export const importEvents = command({
  path: ['events', 'import'],
  summary: 'Import events from a file',
  description:
    `Reads NDJSON with one event of the API per line, or CSV with a header that names the columns. The format follows from the file name (.ndjson and .jsonl, .csv and .tsv), else from the first character. Files may be of any size.\n\nA file of coffer events export --csv needs no options. For others, --stream and --type, or their columns, are required; the columns of the time and of the value are found by their content and names. Where several fit, a terminal asks; otherwise the error names the option and the columns.\n\n${CSV_HELP}\n\nOn a terminal, five rows of a file with more than 300 are shown as they will be stored before the import begins; --yes skips the question.\n\nImporting a file again creates no duplicates, and continues an import that was interrupted. Events keep their id; without one, the id is derived from the streams, type, time and content. An event that exists with the same data counts as unchanged; one with different data is rejected, or updated with --update.\n\nA line that cannot be imported is reported with its number, and the import continues. Exits with 3 if there were such lines.`,
  arguments: { file: inputFile('File to read', { required: true }) },
  options: {
    format: choice(['ndjson', 'csv'], 'Format, if neither the file name nor the first character determines it'),
    stream: list('Stream of events that name none', { placeholder: 'id', names: 'stream' }),
    type: typeOption('Type of events that name none'),
    timeColumn: column('the time'),
    clockColumn: column('the time of day, if it is apart from the date'),
    valueColumn: column('the content, a number, or a text where the type takes one'),
    contentColumn: column('the content in JSON'),
    streamColumn: column('the stream; several are separated by semicolons'),
    typeColumn: column('the type'),
    idColumn: column('an identifier of the row'),
    ...csvOptions,
    skipEmpty: flag('CSV: skip rows without a value'),
    createStreams: flag('Create missing streams, as root streams'),
    update: flag('Update existing events that differ'),
    dryRun: flag('Check and count only; write nothing', { short: 'n' }),
    yes: yesOption('Skip the question before a large import'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events import events.ndjson', description: 'import an export of coffer events export' },
    { type: 'coffer events import --stream weight --type mass/kg weight.csv', description: 'import one measure from CSV' },
    {
      type: "coffer events import --stream weight --type mass/kg --date-format 'dd/MM/yyyy' --decimal comma weight.csv",
      description: 'state what cannot be detected',
    },
    {
      type: 'coffer events import --stream-column sensor --type-column unit --time-column t --value-column v -n file.csv',
      description: 'check the import of several measures',
    },
  ],
  jsonLines: true,
  json: '{"event":"refused","line","error":{…}} for each refused line; at last {"event":"done","created","unchanged","refused"}, with "updated" after --update, "skipped" after --skip-empty and "dryRun" after --dry-run',
  offline: true,
  async run(context, options): Promise<ExitCode | void> {
    const { out, terminal } = context
    const { file, update, dryRun, createStreams } = options
    const size = file === '-' ? undefined : await sizeOf(file)
    const counter = createRowCounter(size)
    const progress = out.progress('importing', size, bytes)
    const onBytes = (count: number): void => {
      counter.bytes(count)
      progress.advance(count)
    }
    return withInput(terminal, file, 'the events', async (input) => {
      // Errors in the header are reported before the store is opened.
      const { lines, zone } = await openLines(file, input, options, { ids: createEventIds(), onBytes, note: out.note, ...(file === '-' ? {} : { terminal }) })
      const counts: Counts = { created: 0, unchanged: 0, updated: 0, refused: 0, skipped: 0 }
      let stopping: Interruption | undefined
      try {
        const agreed = await previewed(context, countedLines(lines, counter), {
          columns: eventColumns(zone),
          rowsOf: eventLines,
          isConfirmed: options.yes || file === '-',
          isDryRun: dryRun,
          estimate: counter.estimate,
          onShow: () => progress.end(),
        })
        progress.end()
        const client = await context.connect()
        const as = await authorityOf(client, options)
        await assertTypesKnown(client, as, options.type === undefined ? [] : [options.type], 'For a type of your own, name it in the file: --type-column <column>')
        const report = importReport(context, options, progress)
        const importContext = { batches: createBatches(client, as), update }
        const types = dryRun ? await eventTypes(context) : undefined
        const provide =
          dryRun || createStreams
            ? await provideStreams(client, as, createStreams ? (dryRun ? 'assume' : 'create') : 'refuse')
            : undefined
        const work: Work = {
          refuse: (line) => (types === undefined ? undefined : checkEvent(line, types)) ?? provide?.(line),
          write: (some) => (dryRun ? dryRunLines(some, importContext) : writeLines(some, importContext)),
          print: report.print,
          // Of two lines that change one event, the later one wins.
          atOnce: update ? 1 : 2,
        }
        stopping = interruption()
        await runImport(abortOnInterrupt(agreed, stopping, 'Interrupted.'), work, counts)
        return await report.done(counts)
      } catch (error) {
        if (stopping?.isOver() === true) throw interruptedImport(counts, counter.estimate(), { dryRun, file })
        if (counts.created > 0) out.warn(`${counted(counts.created, 'event')} imported so far. Import the file again to continue.`)
        throw error
      } finally {
        stopping?.end()
        progress.end()
      }
    })
  },
})

/** Counts lines as they are read. */
async function* countedLines(lines: AsyncIterable<ImportLine[]>, counter: RowCounter): AsyncGenerator<ImportLine[], void> {
  for await (const some of lines) {
    counter.rows(some.length)
    yield some
  }
}

/** Returns the event types that the node would validate with. */
async function eventTypes({ paths, env, out }: Context): ReturnType<typeof import('../../../server/api/assets/loadEventTypes.js').loadEventTypes> {
  const [{ loadConfig }, { loadEventTypes }, { productVersion }, { readFile }] = await Promise.all([
    import('../../../server/config/config.js'),
    import('../../../server/api/assets/loadEventTypes.js'),
    import('../../../server/base/version.js'),
    import('node:fs/promises'),
  ])
  const source = loadConfig({ file: paths.config, env }).get('service.eventTypes') ?? undefined
  return loadEventTypes({
    source,
    version: productVersion(),
    fetch,
    readFile: (path) => readFile(path, 'utf8'),
    timeoutMs: 10_000,
    log: { warn: (message) => out.warn(message) },
  })
}
