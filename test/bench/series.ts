/** High-frequency series: points written, read back, found among many, and what one takes on disk. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { batch, createStreams, register, streamIdOf, type Owner } from './account.js'
import { ask, load, percentile } from './client.js'
import { measure, measuredLatency, type Measured } from './measure.js'
import { startBare, startNode, type Server } from './processes.js'
import type { LoadRow } from './rows.js'

export const seriesRows = ['series-write', 'series-read', 'series-append', 'series-size', 'series-size-noise'] as const
/** Takes ten million points to begin with. */
export const longSeriesRows = ['series-window'] as const

export type SeriesRow = (typeof seriesRows)[number] | (typeof longSeriesRows)[number]

/** Points of one call. */
const POINTS = 100_000
/** Series that are written in turn, so that no point is written over another. */
const HOLDERS = 500
const SIZED_POINTS = 1_000_000
const MANY_POINTS = 10_000_000
const WINDOW_POINTS = 1000
/** Seconds between two points. */
const STEP = 0.01
const TIME = 1_500_000_000
const LEAST_RATE = 1_000_000
const MAX_BYTES = 8
const MOST_WINDOW_MS = 10

/** What a sensor measures, to one decimal. */
const measured = (n: number): number => Math.round((70 + 15 * Math.sin(n / 500) + ((n * 7919) % 13) / 10) * 10) / 10

/** Numbers without any regularity: what packs worst. */
const noise = (n: number): number => 70 + scattered(n) + scattered(n + 0x9e37_79b9) / 2 ** 32

/** From 0 to 1, of 32 bits, the same for the same number. */
function scattered(n: number): number {
  const once = Math.imul(n ^ (n >>> 16), 0x85eb_ca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2_ae35)
  return ((twice ^ (twice >>> 16)) >>> 0) / 2 ** 32
}

/** Points from the n-th on, as a client sends them. */
function pointsFrom(n: number, count: number, valueAt = measured): string {
  const points = Array.from({ length: count }, (_, i) => [Math.round((n + i) * STEP * 1000) / 1000, valueAt(n + i)])
  return JSON.stringify({ format: 'flatJSON', fields: ['deltaTime', 'value'], points })
}

/** An account with so many events that hold series; answers their paths. */
async function createHolders(node: Server, owner: Owner, count: number): Promise<string[]> {
  const event = { streamIds: [streamIdOf(0)], type: 'series:frequency/bpm', time: TIME }
  const calls = Array.from({ length: count }, () => ({ method: 'events.create', params: event }))
  const made = (await batch(node, owner, calls)) as { event: { id: string } }[]
  return made.map(({ event }) => `${owner.username}/events/${event.id}/series`)
}

const write = (node: Server, { token }: Owner, path: string, body: string): Promise<unknown> =>
  ask(node, { verb: 'POST', path, token, body })

/** The next of a list, again and again. */
function turning(paths: readonly string[]): () => string {
  let at = 0
  return () => paths[at++ % paths.length] ?? ''
}

/** Measures the rows that are chosen, on a home of their own. */
export async function measureSeries(
  home: string,
  chosen: (id: SeriesRow) => boolean,
  seconds: number,
  tell: (measured: Measured) => void,
): Promise<void> {
  const node = await startNode(home)
  const bare = await startBare()
  const owner = await register(node, 'recorder')
  await createStreams(node, owner)
  const [full = '', appended = '', ...holders] = await createHolders(node, owner, HOLDERS)
  await write(node, owner, full, pointsFrom(0, POINTS))
  for (const row of loadRowsOf(owner, { full, appended, holders }).filter(({ id }) => chosen(id))) {
    tell(await measure(row, undefined, { node, bare }, undefined, seconds, () => undefined))
  }
  await node.stop()
  await bare.stop()
  if (chosen('series-size')) tell(await measureSize(home, owner, 'series-size', 'numbers of one decimal', measured))
  if (chosen('series-size-noise')) tell(await measureSize(home, owner, 'series-size-noise', 'numbers of noise', noise))
  if (chosen('series-window')) tell(await measureWindow(home, owner, seconds))
}

function loadRowsOf(
  { token }: Owner,
  paths: { full: string; appended: string; holders: readonly string[] },
): (LoadRow<undefined> & { id: SeriesRow })[] {
  const many = POINTS.toLocaleString('en')
  const target = { of: 'figure', least: LEAST_RATE } as const
  const body = pointsFrom(0, POINTS)
  const next = turning(paths.holders)
  let appends = 0
  return [
    {
      id: 'series-write',
      label: `series: ${many} points in one call`,
      connections: 1,
      unit: 'points/s',
      items: POINTS,
      question: () => ({ verb: 'POST', path: next, token, body }),
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
      question: () => ({ path: paths.full, token }),
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
      question: () => ({ verb: 'POST', path: paths.appended, token, body: () => pointsFrom(appends++, 1) }),
      bare: 'same body, small answer',
      writes: false,
    },
  ]
}

/** Bytes on disk for a point: what the store grows by, once the node has put it in order. */
async function measureSize(
  home: string,
  owner: Owner,
  id: SeriesRow,
  what: string,
  valueAt: (n: number) => number,
): Promise<Measured> {
  const first = await startNode(home)
  const [path = ''] = await createHolders(first, owner, 1)
  await settle(home, first)
  const before = await bytesIn(join(home, 'store', 'db'))
  const node = await startNode(home)
  for (let at = 0; at < SIZED_POINTS; at += POINTS) await write(node, owner, path, pointsFrom(at, POINTS, valueAt))
  await settle(home, node)
  const figure = ((await bytesIn(join(home, 'store', 'db'))) - before) / SIZED_POINTS
  return {
    id,
    label: `series: a point on disk, ${what}`,
    figure,
    unit: 'bytes',
    ...(id === 'series-size' ? { target: `≤ ${MAX_BYTES} bytes`, met: figure <= MAX_BYTES } : {}),
  }
}

/**
 * Until a node has merged what it will; then started twice more: LevelDB's log becomes tables with the first, and tables
 * that others have replaced go with the second at the latest.
 */
async function settle(home: string, node: Server): Promise<void> {
  await quiet(home)
  await node.stop()
  for (let start = 0; start < 2; start++) {
    const again = await startNode(home)
    await quiet(home)
    await again.stop()
  }
}

/** Waits until the files of a store keep their size for two seconds, at most half a minute. */
async function quiet(home: string): Promise<void> {
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
  // LevelDB removes files while they are looked at.
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).then(({ size }) => size, () => 0)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** A window that moves in a series of ten million points. */
async function measureWindow(home: string, owner: Owner, seconds: number): Promise<Measured> {
  const node = await startNode(home)
  const [path = ''] = await createHolders(node, owner, 1)
  process.stderr.write(`  writing ${MANY_POINTS.toLocaleString('en')} points\n`)
  for (let at = 0; at < MANY_POINTS; at += POINTS) await write(node, owner, path, pointsFrom(at, POINTS))
  let turn = 0
  const window = (): string => {
    turn += 1
    const from = Math.floor(((turn * 0.618_033_988_749_895) % 1) * (MANY_POINTS - WINDOW_POINTS)) * STEP
    return `${path}?fromDeltaTime=${from.toFixed(3)}&toDeltaTime=${(from + WINDOW_POINTS * STEP).toFixed(3)}`
  }
  const { points } = await ask(node, { path: window, token: owner.token })
  if (!Array.isArray(points) || points.length !== WINDOW_POINTS) throw new Error('series-window: the answer has another number of points')
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
    target: `< ${MOST_WINDOW_MS} ms`,
    ...(figure === undefined ? {} : { met: figure < MOST_WINDOW_MS }),
  }
}
