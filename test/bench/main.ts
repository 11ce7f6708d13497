/**
 * The benchmark: the built node in a process of its own, asked from this one, beside floors measured in the same run.
 * Figures depend on the machine; ratios to the floors are what to compare. Nothing here is a test.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attachFile, createLibrary, createStreams, createTree, fill, register } from './account.js'
import { cleanUp, cleanUpOnSignals, defer, isInterrupted } from './cleanup.js'
import { commandRows, measureCommands } from './commands.js'
import { largeBodyRows, measureLargeBodies } from './largeBodies.js'
import { liveRows, measureLive } from './live.js'
import { filled, measure, measureMemory, measureStart, type Measured } from './measure.js'
import { measureOAuth, oauthRows } from './oauth.js'
import { readOptions, usage, type Options } from './options.js'
import { measurePage, pageRows } from './pages.js'
import { startBare, startNode } from './processes.js'
import { readShape, weightOf, type Shape } from './raw.js'
import { measureReaders, readerRows } from './readers.js'
import { loadRows, type Owners } from './rows.js'
import { longSeriesRows, measureSeries, seriesRows } from './series.js'
import { longSyncRows, measureSync, syncRows } from './sync.js'
import { measureSyncFiles, syncFileRows } from './syncFiles.js'
import { machine, tableOf, type Machine } from './table.js'

interface Report {
  machine: Machine
  /** What an event weighs in the store. */
  event?: { keys: number; bytes: number; commitsOfBatch: number }
  rows: Measured[]
}

/** Rows beside those that put load on the node. */
const OTHERS = ['fill', 'start', 'start-killed', 'memory-fresh', 'memory-after']
const START_RUNS = 5

/** What needs the accounts that calls and pages are measured on. */
const CALLS = [...[...loadRows, ...pageRows].map(({ id }) => id), ...OTHERS]
const SERIES = [...seriesRows, ...longSeriesRows]
const SYNC = [...syncRows, ...longSyncRows]
const LONG: readonly string[] = [...longSeriesRows, ...longSyncRows]

/** Which rows are asked for: by id, else by the beginning of it; without any, all that are soon prepared. */
function chooser({ only, long }: Options): (id: string) => boolean {
  const ids: readonly string[] = [...CALLS, ...commandRows, ...largeBodyRows, ...liveRows, ...readerRows, ...oauthRows, ...SERIES, ...SYNC, ...syncFileRows]
  const unknown = only.find((wanted) => !ids.some((id) => id.startsWith(wanted)))
  if (unknown !== undefined) throw new Error(`there is no row ${unknown}; there are ${ids.join(', ')}`)
  const matches = (id: string, wanted: string): boolean => (ids.includes(wanted) ? id === wanted : id.startsWith(wanted))
  const isUsual = (id: string): boolean => long || !LONG.includes(id)
  return (id) => (only.length === 0 ? isUsual(id) : only.some((wanted) => matches(id, wanted)))
}

async function run(options: Options): Promise<Report> {
  const chosen = chooser(options)
  const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-'))
  defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const report: Report = { machine: machine(), rows: [] }
  const tell = (measured: Measured): void => {
    report.rows.push(measured)
    process.stderr.write(`  ${measured.label}: ${measured.figure?.toPrecision(4) ?? 'unknown'} ${measured.unit}\n`)
  }
  if (CALLS.some(chosen)) await measureCalls(folder, options, chosen, report, tell)
  if (commandRows.some(chosen)) await measureCommands(join(folder, 'commands'), chosen, tell)
  if (largeBodyRows.some(chosen)) await measureLargeBodies(join(folder, 'large'), chosen, options.seconds, tell)
  if (liveRows.some(chosen)) await measureLive(join(folder, 'live'), chosen, options.seconds, tell)
  if (readerRows.some(chosen)) await measureReaders(join(folder, 'readers'), chosen, tell)
  if (oauthRows.some(chosen)) await measureOAuth(join(folder, 'oauth'), chosen, options, tell)
  if (SERIES.some(chosen)) await measureSeries(join(folder, 'series'), chosen, options.seconds, tell)
  if (SYNC.some(chosen)) await measureSync(join(folder, 'sync'), chosen, options, tell)
  if (syncFileRows.some(chosen)) await measureSyncFiles(join(folder, 'sync-files'), chosen, tell)
  report.machine.load = machine().load
  return report
}

/** Starts, calls, pages and memory, on one home. */
async function measureCalls(
  folder: string,
  options: Options,
  chosen: (id: string) => boolean,
  report: Report,
  tell: (measured: Measured) => void,
): Promise<void> {
  const rows = loadRows.filter(({ id }) => chosen(id))
  let shape: Shape | undefined
  if (rows.some(({ writes }) => writes)) {
    shape = await readShape(join(folder, 'shape'))
    report.event = { ...weightOf(shape), commitsOfBatch: shape.commitsOfBatch }
  }
  const home = join(folder, 'home')
  const needsEvents = OTHERS.some(chosen) || rows.some(({ writes }) => !writes)
  const { owners, rate } = await prepare(home, { needsEvents, needsLibrary: rows.some(({ id }) => id.startsWith('few-')) })
  if (rate !== undefined && chosen('fill')) tell(filled(rate))
  const first = { path: 'reader/access-info', token: owners.reader.token }
  if (chosen('start')) tell(await measureStart(home, first, START_RUNS, 'stop'))
  if (chosen('start-killed')) tell(await measureStart(home, first, START_RUNS, 'kill'))

  const node = await startNode(home, options.profile)
  const bare = await startBare()
  if (chosen('memory-fresh')) tell(await measureMemory(node, 'fresh'))
  const figures = (id: string): number | undefined => report.rows.find((row) => row.id === id)?.figure
  for (const row of rows.filter(({ settings }) => settings === undefined)) {
    tell(await measure(row, owners, { node, bare }, shape, options.seconds, figures))
  }
  for (const row of pageRows.filter(({ id }) => chosen(id))) {
    for (const measured of await measurePage(node, row, owners.gardener, options.seconds)) tell(measured)
  }
  if (chosen('memory-after')) tell(await measureMemory(node, 'after'))
  await node.stop()
  for (const row of rows.filter(({ settings }) => settings !== undefined)) {
    const other = await startNode(home, options.profile, row.settings)
    tell(await measure(row, owners, { node: other, bare }, shape, options.seconds, figures))
    await other.stop()
  }
}

/** Makes the node and its accounts; answers the rate of filling when it filled. */
async function prepare(
  home: string,
  { needsEvents, needsLibrary }: { needsEvents: boolean; needsLibrary: boolean },
): Promise<{ owners: Owners; rate?: number }> {
  const node = await startNode(home)
  const accounts = {
    reader: await register(node, 'reader'),
    writer: await register(node, 'writer'),
    gardener: await register(node, 'gardener'),
    librarian: await register(node, 'librarian'),
    guest: { username: '', token: '' },
  }
  await createStreams(node, accounts.writer)
  await createStreams(node, accounts.reader)
  const owners: Owners = { ...accounts, file: await attachFile(node, accounts.reader) }
  await createTree(node, owners.gardener)
  if (needsLibrary) owners.guest = await createLibrary(node, owners.librarian)
  const rate = needsEvents ? await fill(node, owners.reader) : undefined
  await node.stop()
  return rate === undefined ? { owners } : { owners, rate }
}

const notes = `
cpu µs is the processor time of the server per request, all its threads together. A bare route answers the body that it
was sent, a small JSON, or for limits of 1,000 and more a text of the same size. Cold: every request has another window.
Of rows in milliseconds, the bare route tells its sockets itself, and a ratio above 1 is what the node adds. Of commands,
the bare route is a process of Node.js that does nothing.`

function print({ machine: m, event, rows }: Report): void {
  const out = (line: string): void => void process.stdout.write(`${line}\n`)
  out(`\n${m.processor}, ${m.cores} cores, ${m.memoryGb} GB, ${m.system}, Node.js ${m.node}, load ${m.load.toFixed(1)}`)
  if (event !== undefined) {
    const { keys, bytes, commitsOfBatch } = event
    out(`An event takes ${keys.toFixed(1)} keys, ${Math.round(bytes)} bytes; a batch of 1,000 becomes ${commitsOfBatch} commits.`)
  }
  out(`\n${tableOf(rows)}`)
  out(notes)
  if (m.load > m.cores + 1) out('Others used this machine meanwhile: compare processor times, not rates.')
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(`${usage}\n`)
    return
  }
  cleanUpOnSignals()
  try {
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
