/**
 * Benchmark of the built node in a separate process, compared with floors measured in the same run.
 * Figures depend on the machine; compare ratios to the floors. It contains no tests.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, tableOfComparisons } from './against.js'
import { cleanUp, cleanUpOnSignals, defer, isInterrupted } from './cleanup.js'
import { commandRows, measureCommands } from './commands.js'
import { coreRows, measureCores } from './cores.js'
import { installRows, measureInstall } from './install.js'
import { largeBodyRows, measureLargeBodies } from './largeBodies.js'
import { liveRows, measureLive } from './live.js'
import { filled, measure, measureMemory, measureStart, type Measured } from './measure.js'
import { measureOAuth, oauthRows } from './oauth.js'
import { readOptions, usage, type Options } from './options.js'
import { longPageRows, measureLongPages, measurePage, pageRows } from './pages.js'
import { prepare } from './prepare.js'
import { startBare, startNode } from './processes.js'
import { readShape, weightOf, type Shape } from './raw.js'
import { measureReaders, readerRows } from './readers.js'
import { loadRows } from './rows.js'
import { longScaleRows, measureScale } from './scale.js'
import { longSeriesRows, measureSeries, seriesRows } from './series.js'
import { longSyncRows, measureSync, syncRows } from './sync.js'
import { measureSyncFiles, syncFileRows } from './syncFiles.js'
import { machine, tableOf, type Machine } from './table.js'

interface Report {
  machine: Machine
  /** Size of an event in the store. */
  event?: { keys: number; bytes: number; commitsOfBatch: number }
  rows: Measured[]
}

/** Rows without a load. */
const OTHERS = ['fill', 'start', 'start-killed', 'memory-fresh', 'memory-after']
const START_RUNS = 5

/** Rows that need the accounts of calls and pages. */
const CALLS = [...[...loadRows, ...pageRows].map(({ id }) => id), ...OTHERS]
const SERIES = [...seriesRows, ...longSeriesRows]
const SYNC = [...syncRows, ...longSyncRows]
const LONG_PAGES = longPageRows.map(({ id }) => id)
const LONG: readonly string[] = [...longSeriesRows, ...longSyncRows, ...LONG_PAGES, ...longScaleRows]

/** Returns a filter of rows by id, else by a prefix of it; by default all rows without a long preparation. */
function chooser({ only, long }: Options): (id: string) => boolean {
  const ids: readonly string[] = [...CALLS, ...commandRows, ...coreRows, ...installRows, ...largeBodyRows, ...liveRows, ...readerRows, ...oauthRows, ...SERIES, ...SYNC, ...syncFileRows, ...LONG_PAGES, ...longScaleRows]
  const unknown = only.find((given) => !ids.some((id) => id.startsWith(given)))
  if (unknown !== undefined) throw new Error(`unknown row ${unknown}; rows: ${ids.join(', ')}`)
  const matches = (id: string, given: string): boolean => (ids.includes(given) ? id === given : id.startsWith(given))
  const isDefault = (id: string): boolean => long || !LONG.includes(id)
  return (id) => (only.length === 0 ? isDefault(id) : only.some((given) => matches(id, given)))
}

async function run(options: Options): Promise<Report> {
  const isSelected = chooser(options)
  const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-'))
  defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const report: Report = { machine: machine(), rows: [] }
  const record = (measured: Measured): void => {
    report.rows.push(measured)
    process.stderr.write(`  ${measured.label}: ${measured.figure?.toPrecision(4) ?? 'unknown'} ${measured.unit}\n`)
  }
  if (CALLS.some(isSelected)) await measureCalls(folder, options, isSelected, report, record)
  if (commandRows.some(isSelected)) await measureCommands(join(folder, 'commands'), isSelected, record)
  if (coreRows.some(isSelected)) await measureCores(join(folder, 'cores'), isSelected, options.seconds, record)
  if (installRows.some(isSelected)) await measureInstall(join(folder, 'install'), isSelected, record)
  if (largeBodyRows.some(isSelected)) await measureLargeBodies(join(folder, 'large'), isSelected, options.seconds, record)
  if (liveRows.some(isSelected)) await measureLive(join(folder, 'live'), isSelected, options.seconds, record)
  if (readerRows.some(isSelected)) await measureReaders(join(folder, 'readers'), isSelected, record)
  if (oauthRows.some(isSelected)) await measureOAuth(join(folder, 'oauth'), isSelected, options, record)
  if (SERIES.some(isSelected)) await measureSeries(join(folder, 'series'), isSelected, options, record)
  if (SYNC.some(isSelected)) await measureSync(join(folder, 'sync'), isSelected, options, record)
  if (syncFileRows.some(isSelected)) await measureSyncFiles(join(folder, 'sync-files'), isSelected, record)
  if (LONG_PAGES.some(isSelected)) await measureLongPages(join(folder, 'pages'), isSelected, options.seconds, record)
  if (longScaleRows.some(isSelected)) await measureScale({ folder: join(folder, 'scale'), isSelected, seconds: options.seconds, record })
  report.machine.load = machine().load
  return report
}

/** Measures starts, calls, pages and memory, in one home. */
async function measureCalls(
  folder: string,
  options: Options,
  isSelected: (id: string) => boolean,
  report: Report,
  record: (measured: Measured) => void,
): Promise<void> {
  const rows = loadRows.filter(({ id }) => isSelected(id))
  let shape: Shape | undefined
  if (rows.some(({ writes }) => writes)) {
    shape = await readShape(join(folder, 'shape'))
    report.event = { ...weightOf(shape), commitsOfBatch: shape.commitsOfBatch }
  }
  const home = join(folder, 'home')
  const needsEvents = OTHERS.some(isSelected) || rows.some(({ writes }) => !writes)
  const { owners, rate } = await prepare(home, { needsEvents, needsLibrary: rows.some(({ id }) => id.startsWith('few-')) })
  if (rate !== undefined && isSelected('fill')) record(filled(rate))
  const first = { path: 'reader/access-info', token: owners.reader.token }
  if (isSelected('start')) record(await measureStart(home, first, START_RUNS, 'stop'))
  if (isSelected('start-killed')) record(await measureStart(home, first, START_RUNS, 'kill'))

  const node = await startNode(home, options.profile)
  const bare = await startBare()
  if (isSelected('memory-fresh')) record(await measureMemory(node, 'fresh'))
  const figures = (id: string): number | undefined => report.rows.find((row) => row.id === id)?.figure
  for (const row of rows.filter(({ settings }) => settings === undefined)) {
    record(await measure(row, owners, { node, bare }, shape, options.seconds, figures))
  }
  for (const row of pageRows.filter(({ id }) => isSelected(id))) {
    for (const measured of await measurePage(node, row, row.isOfReader === true ? owners.reader : owners.gardener, options.seconds)) record(measured)
  }
  if (isSelected('memory-after')) record(await measureMemory(node, 'after'))
  await node.stop()
  for (const row of rows.filter(({ settings }) => settings !== undefined)) {
    const other = await startNode(home, options.profile, row.settings)
    record(await measure(row, owners, { node: other, bare }, shape, options.seconds, figures))
    await other.stop()
  }
}

const notes = `
cpu µs is the processor time of the server per request, including all threads. The bare route returns the received body,
a small JSON, or for limits of 1,000 and more a text of the same size. Cold: every request has a different time window.
For rows in milliseconds, the bare route notifies its sockets itself, and a ratio above 1 is the cost of the node. For
commands, the bare route is a Node.js process that does nothing.`

function print({ machine: m, event, rows }: Report): void {
  const out = (line: string): void => void process.stdout.write(`${line}\n`)
  out(`\n${m.processor}, ${m.cores} cores, ${m.memoryGb} GB, ${m.system}, Node.js ${m.node}, load ${m.load.toFixed(1)}`)
  if (event !== undefined) {
    const { keys, bytes, commitsOfBatch } = event
    out(`An event uses ${keys.toFixed(1)} keys and ${Math.round(bytes)} bytes; a batch of 1,000 uses ${commitsOfBatch} commits.`)
  }
  out(`\n${tableOf(rows)}`)
  out(notes)
  if (m.load > m.cores + 1) out('Other processes used this machine: compare processor times, not rates.')
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(`${usage}\n`)
    return
  }
  cleanUpOnSignals()
  try {
    if (options.against !== undefined) {
      const compared = await compare({ ...options, against: options.against }, chooser(options))
      process.stdout.write(options.json ? `${JSON.stringify({ machine: machine(), rows: compared }, null, 2)}\n` : `${tableOfComparisons(compared)}\n`)
      if (compared.some(({ failures }) => failures > 0)) process.exitCode = 1
      return
    }
    const report = await run(options)
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
    else print(report)
    if (report.rows.some(({ failures = 0 }) => failures > 0)) process.exitCode = 1
  } finally {
    await cleanUp()
  }
}

await main().catch((error: unknown) => {
  if (isInterrupted()) return
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
