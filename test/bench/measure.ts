/** Measures each row alternating with its floors, so that other load of the machine affects all of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { BATCH } from './account.js'
import { callApi, load, percentile, mergeLoads, type Load, type RequestSpec } from './client.js'
import { residentBytes, startNode, type Server } from './processes.js'
import { rawWrites, type Shape } from './raw.js'
import type { LoadRow, Target } from './rows.js'

/** Line of the table. Latencies in milliseconds; floors in the unit of the figure. */
export interface Measured {
  id: string
  label: string
  figure: number | undefined
  unit: string
  p50?: number | undefined
  p99?: number | undefined
  /** Processor time of the node per request, in microseconds, and that of the bare route. */
  processor?: number | undefined
  bareProcessor?: number | undefined
  bare?: number
  bareRatio?: number
  raw?: number
  rawRatio?: number
  target?: string
  met?: boolean
  failures?: number
}

const WARM_UP_SECONDS = 0.6

/** Number of alternations between the node and its floors. */
const TURNS = 3

/** Measures a row by the bare route, the node and LevelDB in turn; each floor gets half of the time of the node. */
export async function measure<O>(
  row: LoadRow<O>,
  owners: O,
  servers: { node: Server; bare: Server },
  shape: Shape | undefined,
  seconds: number,
  figures: (id: string) => number | undefined,
): Promise<Measured> {
  const { node, bare } = servers
  const spec = row.spec(owners)
  const answer = row.answerBytes === undefined ? await callApi(node, spec) : {}
  const items = row.expects === undefined ? undefined : answer[row.expects.member]
  if (Array.isArray(items) && items.length !== row.expects?.items) {
    throw new Error(`${row.id}: the answer has ${items.length} items, not ${row.expects?.items}`)
  }
  const floor = floorOf(row, spec, row.answerBytes ?? Buffer.byteLength(JSON.stringify(answer)))
  await warmUp([node, spec], [bare, floor], row.connections)
  const loads: Load[] = []
  const floors: Load[] = []
  const raws: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    floors.push(await load(bare, floor, row.connections, seconds / 2 / TURNS))
    loads.push(await load(node, spec, row.connections, seconds / TURNS))
    // LevelDB is no floor of file uploads, because files are outside of it.
    if (shape !== undefined && row.writes && row.bare !== 'same bytes') {
      raws.push(await rawWrites(shape, row.items ?? 1, row.connections, seconds / 2 / TURNS))
    }
  }
  const measured = mergeLoads(loads)
  const bares = mergeLoads(floors)
  const figure = figureOf(row, measured)
  const bareFigure = figureOf(row, bares)
  const raw = raws.reduce((sum, rate) => sum + rate, 0) / raws.length
  return {
    id: row.id,
    label: row.label,
    figure,
    unit: row.unit,
    ...measuredLatency(measured),
    bareProcessor: processorOf(bares),
    bare: bareFigure,
    bareRatio: figure / bareFigure,
    ...(raws.length === 0 ? {} : { raw, rawRatio: figure / raw }),
    ...judged(row.target, row.unit, { figure, bare: bareFigure, figures }),
    failures: measured.failures + bares.failures,
  }
}

/** Returns the latencies, processor time and failures of a load. */
export const measuredLatency = (measured: Load): Pick<Measured, 'p50' | 'p99' | 'processor' | 'failures'> => ({
  p50: percentile(measured.latencies, 0.5),
  p99: percentile(measured.latencies, 0.99),
  processor: processorOf(measured),
  failures: measured.failures,
})

/** Warms up the compiler, with several connections because one would take too long. */
async function warmUp(node: [Server, RequestSpec], bare: [Server, RequestSpec], connections: number): Promise<void> {
  for (const [server, spec] of [node, bare]) await load(server, spec, Math.max(10, connections), WARM_UP_SECONDS)
}

/** Returns the request to the bare route: the same bytes in for writes, the same bytes out for large responses. */
function floorOf({ bare }: Pick<LoadRow, 'bare'>, { body = '', path, type = '' }: RequestSpec, answerBytes: number): RequestSpec {
  if (bare === 'same bytes') return { verb: 'POST', path: 'bytes', body, type }
  if (bare === 'same body, small answer') return { verb: 'POST', path: 'parsed', body }
  if (bare === 'same body') return { verb: 'POST', path: '', body }
  const base = bare === 'same size' ? `text/${answerBytes}` : ''
  // Unique requests cost the client more, so those of the floor are unique too.
  return { path: typeof path === 'string' ? base : () => `${base}?${path().slice(-40)}` }
}

/** Returns the figure of a row for a load, in its unit. */
export function figureOf({ unit, items = 1 }: Pick<LoadRow, 'unit' | 'items'>, { answers, bytes, seconds }: Load): number {
  if (unit === 'MB/s') return bytes / 1e6 / seconds
  return ((unit === 'req/s' ? 1 : items) * answers) / seconds
}

/** Returns the processor time of the server per request, in microseconds. */
export const processorOf = ({ processor, answers }: Load): number | undefined =>
  processor === undefined || answers === 0 ? undefined : (processor * 1e6) / answers

function judged(
  target: Target | undefined,
  unit: string,
  { figure, bare, figures }: { figure: number; bare: number; figures: (id: string) => number | undefined },
): Partial<Measured> {
  if (target === undefined) return {}
  const { of, min } = target
  if (of === 'figure') return { target: `≥ ${min.toLocaleString('en')} ${unit}`, met: figure >= min }
  if (of === 'ratio') return { target: `≥ ${min} of bare`, met: figure / bare >= min }
  const other = figures(of.row)
  return other === undefined ? {} : { target: `≥ ${min} of ${of.row}`, met: figure / other >= min }
}

/** Returns the median; sorts the values. */
export const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Measures from the start of the process to its first answered call, several times; `end` ends the previous run. */
export async function measureStart(
  home: string,
  spec: RequestSpec,
  runs: number,
  end: 'stop' | 'kill',
): Promise<Measured> {
  const milliseconds: number[] = []
  for (let run = 0; run < runs; run++) {
    const begun = performance.now()
    const node = await startNode(home)
    await callApi(node, spec)
    milliseconds.push(performance.now() - begun)
    await node[end]()
  }
  const figure = median(milliseconds) / 1000
  return {
    id: end === 'stop' ? 'start' : 'start-killed',
    label: `start to first answer${end === 'stop' ? '' : ' after a kill'}, median of ${runs}`,
    figure,
    unit: 's',
    p50: median(milliseconds),
    p99: Math.max(...milliseconds),
    target: '< 1 s',
    met: figure < 1,
  }
}

/** Time until a node has collected its garbage: soon after a start, else after ten seconds without work, with a margin for intervals of work. */
const IDLE_MS = { fresh: 2000, after: 30_000 }
const MAX_IDLE_MB = 120

/** Measures the memory of an idle node. */
export async function measureMemory(node: Server, when: 'fresh' | 'after'): Promise<Measured> {
  await sleep(IDLE_MS[when])
  const bytes = residentBytes(node.pid)
  const figure = bytes === undefined ? undefined : bytes / 1e6
  return {
    id: `memory-${when}`,
    label: when === 'fresh' ? 'memory, idle after the start' : 'memory, idle after the run',
    figure,
    unit: 'MB',
    ...(when === 'after' || figure === undefined
      ? {}
      : { target: `< ${MAX_IDLE_MB} MB`, met: figure < MAX_IDLE_MB }),
  }
}

/** Returns the rate of event creation as a row. */
export const filled = (rate: number): Measured => ({
  id: 'fill',
  label: `100,000 events in batches of ${BATCH.toLocaleString('en')}`,
  figure: rate,
  unit: 'events/s',
})
