/** Measures high-frequency series: writing, reading, time windows of a large series, and bytes per point on disk. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { batch, createStreams, register, streamIdOf, type Owner } from './account.js'
import { callApi, load, percentile } from './client.js'
import { measure, measuredLatency, type Measured } from './measure.js'
import type { Options } from './options.js'
import { startBare, startNode, type Server } from './processes.js'
import type { LoadRow } from './rows.js'

export const seriesRows = ['series-write', 'series-read', 'series-append', 'series-size', 'series-size-noise'] as const
/** Rows that first write ten million points. */
export const longSeriesRows = ['series-window', 'series-summary', 'series-summary-first'] as const

export type SeriesRow = (typeof seriesRows)[number] | (typeof longSeriesRows)[number]

/** Points of one call. */
const POINTS = 100_000
/** Number of series that are written in turn, so that no point is overwritten. */
const SERIES_COUNT = 500
const SIZED_POINTS = 1_000_000
const MANY_POINTS = 10_000_000
const WINDOW_POINTS = 1000
/** Seconds between two points. */
const STEP = 0.01
const TIME = 1_500_000_000
const MIN_RATE = 1_000_000
const MAX_BYTES = 8
const MAX_WINDOW_MS = 10
const MAX_SUMMARY_MS = 250
const BUCKETS = 1000

/** Returns a sensor value with one decimal. */
const measured = (n: number): number => Math.round((70 + 15 * Math.sin(n / 500) + ((n * 7919) % 13) / 10) * 10) / 10

/** Returns noise, which compresses worst. */
const noise = (n: number): number => 70 + scattered(n) + scattered(n + 0x9e37_79b9) / 2 ** 32

/** Returns a 32-bit hash of a number as a value from 0 to 1. */
function scattered(n: number): number {
  const once = Math.imul(n ^ (n >>> 16), 0x85eb_ca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2_ae35)
  return ((twice ^ (twice >>> 16)) >>> 0) / 2 ** 32
}

/** Returns the body with points from the n-th on. */
function pointsFrom(n: number, count: number, valueAt = measured): string {
  const points = Array.from({ length: count }, (_, i) => [Math.round((n + i) * STEP * 1000) / 1000, valueAt(n + i)])
  return JSON.stringify({ format: 'flatJSON', fields: ['deltaTime', 'value'], points })
}

/** Creates a number of series; returns their paths. */
async function createSeries(node: Server, owner: Owner, count: number): Promise<string[]> {
  const event = { streamIds: [streamIdOf(0)], type: 'series:frequency/bpm', time: TIME }
  const calls = Array.from({ length: count }, () => ({ method: 'events.create', params: event }))
  const created = (await batch(node, owner, calls)) as { event: { id: string } }[]
  return created.map(({ event }) => `${owner.username}/events/${event.id}/series`)
}

const write = (node: Server, { token }: Owner, path: string, body: string): Promise<unknown> =>
  callApi(node, { verb: 'POST', path, token, body })

/** Returns a function that cycles through a list. */
function cycling(paths: readonly string[]): () => string {
  let at = 0
  return () => paths[at++ % paths.length] ?? ''
}

/** Measures the selected rows, in a separate home. */
export async function measureSeries(
  home: string,
  isSelected: (id: SeriesRow) => boolean,
  { seconds, profile }: Pick<Options, 'seconds' | 'profile'>,
  record: (measured: Measured) => void,
): Promise<void> {
  const node = await startNode(home, profile)
  const bare = await startBare()
  const owner = await register(node, 'recorder')
  await createStreams(node, owner)
  const [full = '', appended = '', ...series] = await createSeries(node, owner, SERIES_COUNT)
  await write(node, owner, full, pointsFrom(0, POINTS))
  for (const row of loadRowsOf(owner, { full, appended, series }).filter(({ id }) => isSelected(id))) {
    record(await measure(row, undefined, { node, bare }, undefined, seconds, () => undefined))
  }
  await node.stop()
  await bare.stop()
  if (isSelected('series-size')) record(await measureSize(home, owner, 'series-size', 'numbers of one decimal', measured))
  if (isSelected('series-size-noise')) record(await measureSize(home, owner, 'series-size-noise', 'numbers of noise', noise))
  const isLong = longSeriesRows.some(isSelected)
  if (!isLong) return
  const path = await writeMany(home, owner)
  if (isSelected('series-window')) record(await measureWindow(home, owner, path, seconds))
  for (const row of await measureSummary(home, owner, path, seconds)) if (isSelected(row.id as SeriesRow)) record(row)
}

function loadRowsOf(
  { token }: Owner,
  paths: { full: string; appended: string; series: readonly string[] },
): (LoadRow<undefined> & { id: SeriesRow })[] {
  const many = POINTS.toLocaleString('en')
  const target = { of: 'figure', min: MIN_RATE } as const
  const body = pointsFrom(0, POINTS)
  const next = cycling(paths.series)
  let appends = 0
  return [
    {
      id: 'series-write',
      label: `series: ${many} points in one call`,
      connections: 1,
      unit: 'points/s',
      items: POINTS,
      spec: () => ({ verb: 'POST', path: next, token, body }),
      bare: 'same body, small answer',
      writes: false,
      target,
    },
    {
      id: 'series-read',
      label: `series: ${many} points read back`,
      connections: 1,
      unit: 'points/s',
      items: POINTS,
      spec: () => ({ path: paths.full, token }),
      bare: 'same size',
      writes: false,
      expects: { member: 'points', items: POINTS },
      target,
    },
    {
      id: 'series-append',
      label: 'series: single points, 10 connections',
      connections: 10,
      unit: 'points/s',
      items: 1,
      spec: () => ({ verb: 'POST', path: paths.appended, token, body: () => pointsFrom(appends++, 1) }),
      bare: 'same body, small answer',
      writes: false,
    },
  ]
}

/** Measures bytes per point on disk, after compaction. */
async function measureSize(
  home: string,
  owner: Owner,
  id: SeriesRow,
  description: string,
  valueAt: (n: number) => number,
): Promise<Measured> {
  const first = await startNode(home)
  const [path = ''] = await createSeries(first, owner, 1)
  await settle(home, first)
  const before = await bytesIn(join(home, 'store', 'db'))
  const node = await startNode(home)
  for (let at = 0; at < SIZED_POINTS; at += POINTS) await write(node, owner, path, pointsFrom(at, POINTS, valueAt))
  await settle(home, node)
  const figure = ((await bytesIn(join(home, 'store', 'db'))) - before) / SIZED_POINTS
  return {
    id,
    label: `series: a point on disk, ${description}`,
    figure,
    unit: 'bytes',
    ...(id === 'series-size' ? { target: `≤ ${MAX_BYTES} bytes`, met: figure <= MAX_BYTES } : {}),
  }
}

/**
 * Waits until a node has merged its segments, then starts it twice: the first start converts the log of LevelDB to
 * tables, the second one removes replaced tables.
 */
async function settle(home: string, node: Server): Promise<void> {
  await stableSize(home)
  await node.stop()
  for (let start = 0; start < 2; start++) {
    const again = await startNode(home)
    await stableSize(home)
    await again.stop()
  }
}

/** Waits until the size of a store is stable for two seconds, at most half a minute. */
async function stableSize(home: string): Promise<void> {
  let size = -1
  for (let waited = 0; waited < 15; waited++) {
    const now = await bytesIn(join(home, 'store', 'db'))
    if (now === size) return
    size = now
    await sleep(2000)
  }
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder)
  // LevelDB may remove files meanwhile.
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).then(({ size }) => size, () => 0)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Writes a series of ten million points; returns its path. */
async function writeMany(home: string, owner: Owner): Promise<string> {
  const node = await startNode(home)
  const [path = ''] = await createSeries(node, owner, 1)
  process.stderr.write(`  writing ${MANY_POINTS.toLocaleString('en')} points\n`)
  for (let at = 0; at < MANY_POINTS; at += POINTS) await write(node, owner, path, pointsFrom(at, POINTS))
  await node.stop()
  return path
}

/** Measures the summary of a series of ten million points: the first read of a process, then further ones. */
async function measureSummary(home: string, owner: Owner, path: string, seconds: number): Promise<Measured[]> {
  const node = await startNode(home)
  const request = { path: `${path}/summary?points=${BUCKETS}`, token: owner.token }
  const begun = performance.now()
  const { summary } = (await callApi(node, request)) as { summary: { count: number; buckets: { count: number[] } } }
  const first = performance.now() - begun
  if (summary.count !== MANY_POINTS) throw new Error('series-summary: the summary has another number of points')
  const found = await load(node, request, 1, seconds)
  await node.stop()
  const figure = percentile(found.latencies, 0.5)
  const label = `series summary of ${MANY_POINTS.toLocaleString('en')} points`
  const target = { unit: 'ms', target: `< ${MAX_SUMMARY_MS} ms` }
  return [
    { id: 'series-summary-first', label: `${label}, first read`, figure: first, ...target, met: first < MAX_SUMMARY_MS },
    {
      ...measuredLatency(found),
      ...{ id: 'series-summary', label, figure, ...target },
      ...(figure === undefined ? {} : { met: figure < MAX_SUMMARY_MS }),
    },
  ]
}

/** Measures a moving time window in a series of ten million points. */
async function measureWindow(home: string, owner: Owner, path: string, seconds: number): Promise<Measured> {
  const node = await startNode(home)
  let turn = 0
  const window = (): string => {
    turn += 1
    const from = Math.floor(((turn * 0.618_033_988_749_895) % 1) * (MANY_POINTS - WINDOW_POINTS)) * STEP
    return `${path}?fromDeltaTime=${from.toFixed(3)}&toDeltaTime=${(from + WINDOW_POINTS * STEP).toFixed(3)}`
  }
  const { points } = await callApi(node, { path: window, token: owner.token })
  if (!Array.isArray(points) || points.length !== WINDOW_POINTS) throw new Error('series-window: the response has another number of points')
  await load(node, { path: window, token: owner.token }, 10, 0.6)
  const found = await load(node, { path: window, token: owner.token }, 1, seconds)
  await node.stop()
  const figure = percentile(found.latencies, 0.5)
  return {
    ...measuredLatency(found),
    id: 'series-window',
    label: `series: ${WINDOW_POINTS.toLocaleString('en')} of ${MANY_POINTS.toLocaleString('en')} points`,
    figure,
    unit: 'ms',
    target: `< ${MAX_WINDOW_MS} ms`,
    ...(figure === undefined ? {} : { met: figure < MAX_WINDOW_MS }),
  }
}
