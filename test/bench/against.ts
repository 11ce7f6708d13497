/** Compares rows of calls and pages of this build with those of another one, pair by pair, so that the speed of the machine cancels out. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defer } from './cleanup.js'
import { load, mergeLoads, type Load, type RequestSpec } from './client.js'
import { figureOf, median, processorOf } from './measure.js'
import type { Options } from './options.js'
import { pageRows } from './pages.js'
import { prepare } from './prepare.js'
import { startNode, type Server } from './processes.js'
import { loadRows, type LoadRow, type Owners } from './rows.js'
import { aligned, amount, ratio } from './table.js'

/** Figures of both builds; ratios are those of this build to the other one. */
export interface Comparison {
  id: string
  label: string
  unit: string
  figure: number
  otherFigure: number
  /** Ratios of the figures of neighbouring turns, ascending. */
  ratios: number[]
  /** Processor time per request in microseconds. */
  processor: number | undefined
  otherProcessor: number | undefined
  failures: number
}

/** Number of pairs of turns. */
const PAIRS = 5
const WARM_UP_SECONDS = 1

interface Build {
  home: string
  program: string | undefined
  owners: Owners
}

/**
 * Measures the selected rows of calls and pages on both builds in turns.
 * @throws Error if the other folder has no build
 */
export async function compare({ against, seconds }: Options & { against: string }, isSelected: (id: string) => boolean): Promise<Comparison[]> {
  const program = resolve(against, 'bin/coffer.js')
  if (!existsSync(program)) throw new Error(`${against} has no bin/coffer.js: build the other version there (npm ci && npm run build).`)
  const rows = loadRows.filter(({ id }) => isSelected(id))
  const pages = pageRows.filter(({ id }) => isSelected(id))
  if (rows.length + pages.length === 0) throw new Error('--against compares rows of calls and pages only.')
  const folder = await mkdtemp(join(tmpdir(), 'coffer-against-'))
  defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const needs = { needsEvents: rows.some(({ writes }) => !writes) || pages.length > 0, needsLibrary: rows.some(({ id }) => id.startsWith('few-')) }
  const builds: Build[] = []
  for (const [name, of] of [['this', undefined], ['other', program]] as const) {
    const home = join(folder, name)
    builds.push({ home, program: of, owners: (await prepare(home, needs, of)).owners })
  }
  const compared: Comparison[] = []
  const record = (comparison: Comparison): void => {
    compared.push(comparison)
    process.stderr.write(`  ${comparison.label}: ${median([...comparison.ratios]).toFixed(2)}\n`)
  }
  for (const row of rows) record(await onBoth(builds, row.settings, (build) => row.spec(build.owners), row, seconds))
  for (const page of pages) {
    const spec = async ({ owners }: Build, node: Server): Promise<RequestSpec> => page.visit(node, page.isOfReader === true ? owners.reader : owners.gardener)
    record(await onBoth(builds, undefined, spec, { ...page, unit: 'req/s', connections: 1 }, seconds))
  }
  return compared
}

type ComparedRow = Pick<LoadRow, 'id' | 'label' | 'unit' | 'items' | 'connections'>

async function onBoth(
  builds: readonly Build[],
  settings: LoadRow['settings'],
  specOf: (build: Build, node: Server) => RequestSpec | Promise<RequestSpec>,
  row: ComparedRow,
  seconds: number,
): Promise<Comparison> {
  const nodes: { node: Server; spec: RequestSpec; loads: Load[] }[] = []
  for (const build of builds) {
    const node = await startNode(build.home, undefined, settings, build.program)
    nodes.push({ node, spec: await specOf(build, node), loads: [] })
  }
  for (const { node, spec } of nodes) await load(node, spec, Math.max(10, row.connections), WARM_UP_SECONDS)
  for (let pair = 0; pair < PAIRS; pair++) {
    // The order alternates, since a turn warms the machine for the next.
    for (const each of pair % 2 === 0 ? nodes : [...nodes].reverse()) each.loads.push(await load(each.node, each.spec, row.connections, seconds / PAIRS))
  }
  for (const { node } of nodes) await node.stop()
  const [own, other] = nodes.map(({ loads }) => loads)
  if (own === undefined || other === undefined) throw new Error('A comparison needs two builds.')
  const [sum, otherSum] = [mergeLoads(own), mergeLoads(other)]
  return {
    id: row.id,
    label: row.label,
    unit: row.unit,
    figure: figureOf(row, sum),
    otherFigure: figureOf(row, otherSum),
    ratios: own.map((turn, at) => figureOf(row, turn) / figureOf(row, other[at] ?? turn)).sort((a, b) => a - b),
    processor: processorOf(sum),
    otherProcessor: processorOf(otherSum),
    failures: sum.failures + otherSum.failures,
  }
}

const HEAD = ['row', 'this', 'other', '', 'ratio', 'lowest', 'highest', 'cpu µs', 'other', 'ratio']

/** Formats comparisons as a table: the ratio is the median of the pairs. */
export function tableOfComparisons(compared: readonly Comparison[]): string {
  const lines = compared.map(({ label, figure, otherFigure, unit, ratios, processor, otherProcessor, failures }) => [
    label,
    amount(figure),
    amount(otherFigure),
    failures === 0 ? unit : `${unit} (${failures} failed)`,
    ratio(median([...ratios])),
    ratio(ratios[0]),
    ratio(ratios.at(-1)),
    amount(processor),
    amount(otherProcessor),
    ratio(processor === undefined || otherProcessor === undefined ? undefined : processor / otherProcessor),
  ])
  return aligned([HEAD, ...lines], new Set([0, 3]))
}
