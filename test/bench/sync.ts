/** Measures sync of one account between two nodes: first sync, reconnect, changes on both nodes, live changes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { batch, createStreams, creation, EVENTS, fill, register, streamIdOf, timeOf, type Owner } from './account.js'
import { load, percentile, type Load } from './client.js'
import { latencyRow } from './live.js'
import type { Measured } from './measure.js'
import type { Options } from './options.js'
import { post } from './post.js'
import { ownBytes, residentBytes } from './processes.js'
import { inSync, pair, pause, program, resume, run, startEnd, USER, type Contact, type End } from './syncEnds.js'

export const syncRows = [
  'sync-first',
  'sync-first-bytes',
  'sync-reconnect',
  'sync-reconnect-bytes',
  'sync-live',
  'sync-create',
] as const
/** Rows that first fill an account with a million events. */
export const longSyncRows = ['sync-million', 'sync-million-bytes', 'sync-million-reconnect', 'sync-million-memory'] as const

export type SyncRow = (typeof syncRows)[number] | (typeof longSyncRows)[number]

const MILLION = 1_000_000
const CHANGES = 100
const RECONNECTS = 7
const WARM_UP_CHANGES = 200
const TURNS = 3

const bytesOf = ({ bytesSent, bytesReceived }: Contact): number => bytesSent + bytesReceived

const atMost = (id: SyncRow, label: string, figure: number, unit: string, limit: number): Measured => ({
  id,
  label,
  figure,
  unit,
  target: `≤ ${limit.toLocaleString('en')} ${unit}`,
  met: figure <= limit,
})

/** Measures the selected rows, in two separate homes. */
export async function measureSync(
  folder: string,
  isSelected: (id: SyncRow) => boolean,
  options: Pick<Options, 'seconds' | 'profile'>,
  record: (measured: Measured) => void,
): Promise<void> {
  if (syncRows.some(isSelected)) await measureDefault(folder, isSelected, options, record)
  if (longSyncRows.some(isSelected)) await measureMillion(`${folder}-million`, isSelected, record)
}

/** Pairs two nodes with an account of a number of events; returns the seconds of the first sync. */
async function prepare(
  folder: string,
  events: number,
  profile?: string,
): Promise<{ ends: [End, End]; owner: Owner; took: number }> {
  const start = (name: string): Promise<End> =>
    startEnd(join(folder, name), profile === undefined ? undefined : join(profile, name))
  const ends: [End, End] = [await start('a'), await start('b')]
  const owner = await register(ends[0].server, USER)
  await createStreams(ends[0].server, owner)
  await fill(ends[0].server, owner, events)
  const paired = await pair(...ends)
  return { ends, owner, took: (await inSync(ends[1], paired)) - paired }
}

async function stop(ends: readonly End[]): Promise<void> {
  for (const { server } of ends) await server.stop()
}

async function measureDefault(
  folder: string,
  isSelected: (id: SyncRow) => boolean,
  { seconds: time, profile }: Pick<Options, 'seconds' | 'profile'>,
  record: (measured: Measured) => void,
): Promise<void> {
  const { ends, owner, took } = await prepare(folder, EVENTS, profile)
  const [a, b] = ends
  const contact = await pause(b)
  if (isSelected('sync-first')) {
    const figure = EVENTS / took
    const label = `first sync of ${EVENTS.toLocaleString('en')} events`
    record({ id: 'sync-first', label, figure, unit: 'events/s', target: '≥ 5,000 events/s', met: figure >= 5000 })
  }
  if (isSelected('sync-first-bytes')) {
    record(atMost('sync-first-bytes', 'bytes on the wire for each of them', bytesOf(contact) / EVENTS, 'B', 120))
  }
  if (isSelected('sync-reconnect') || isSelected('sync-reconnect-bytes')) await measureReconnect(b, '', isSelected, record)
  await resume(b)
  if (isSelected('sync-live')) record(await measureDelay(a, b, owner, time))
  if (isSelected('sync-create')) record(await measureCreate(a, b, owner, time))
  await stop(ends)
}

async function measureReconnect(
  end: End,
  which: '' | 'million',
  isSelected: (id: SyncRow) => boolean,
  record: (measured: Measured) => void,
): Promise<void> {
  const [id, label] = which === '' ? (['sync-reconnect', ''] as const) : (['sync-million-reconnect', ' of a million events'] as const)
  const contacts: Contact[] = []
  for (let n = 0; n < RECONNECTS; n++) {
    await resume(end)
    contacts.push(await pause(end))
  }
  const times = contacts.map(({ began, inSyncAt = NaN }) => (inSyncAt - began) * 1000).sort((x, y) => x - y)
  const bytes = contacts.map(bytesOf).sort((x, y) => x - y)
  if (isSelected(id)) record(atMost(id, `reconnect${label}, nothing changed`, percentile(Float64Array.from(times), 0.5) ?? NaN, 'ms', 50))
  if (which === '' && isSelected('sync-reconnect-bytes')) {
    record(atMost('sync-reconnect-bytes', 'bytes of a reconnect', percentile(Float64Array.from(bytes), 0.5) ?? NaN, 'B', 2048))
  }
}

/** Measures from an event creation on one node to the message at a client of the other. */
async function measureDelay(a: End, b: End, owner: Owner, time: number): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const token = await tokenAt(b)
  const socket = io(`${b.server.url}${USER}?auth=${token}`, { transports: ['websocket'], forceNew: true })
  await once(socket as unknown as NodeJS.EventEmitter, 'connect')
  const target = { url: `${a.server.url}${USER}/events`, token: owner.token }
  const change = async (): Promise<number> => {
    const received = new Promise<number>((resolve) => socket.once('eventsChanged', () => resolve(performance.now())))
    const begun = performance.now()
    const [at] = await Promise.all([received, post(agent, { ...target, body: creation() })])
    return at - begun
  }
  for (let n = 0; n < WARM_UP_CHANGES; n++) await change()
  const delays: number[] = []
  const until = performance.now() + time * 1000
  while (performance.now() < until) delays.push(await change())
  socket.disconnect()
  agent.destroy()
  return latencyRow({ id: 'sync-live', label: "events.create to eventsChanged at a client of the other node", max: 15 }, delays, [])
}

/** Creates an access on the node with the replica; returns its token. */
async function tokenAt({ home }: End): Promise<string> {
  const words = ['accesses', 'create', '--user', USER, '--name', 'listener', '--permission', '*:contribute', '--json', '--home', home]
  const { stdout } = await run(process.execPath, [program, ...words])
  return (JSON.parse(stdout) as { access: { token: string } }).access.token
}

/** Measures event creations with the other node in sync, compared with those without it. */
async function measureCreate(a: End, b: End, owner: Owner, time: number): Promise<Measured> {
  const spec = { verb: 'POST' as const, path: `${USER}/events`, token: owner.token, body: creation() }
  const [on, off]: [number[], number[]] = [[], []]
  const [busy, alone]: [number[], number[]] = [[], []]
  const each = ({ processor, answers }: Load): number => ((processor ?? NaN) * 1e6) / answers
  await load(a.server, spec, 10, 1)
  for (let turn = 0; turn < TURNS; turn++) {
    const live = await load(a.server, spec, 10, time / TURNS)
    on.push(live.answers / live.seconds)
    busy.push(each(live))
    await inSync(b, 0)
    await b.call('sync.pause', { username: USER })
    const single = await load(a.server, spec, 10, time / TURNS)
    off.push(single.answers / single.seconds)
    alone.push(each(single))
    await resume(b)
  }
  await b.call('sync.pause', { username: USER })
  const busyLoad = await withBusyProcessor(() => load(a.server, spec, 10, time / TURNS))
  await resume(b)
  const mean = (rates: number[]): number => rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  const figure = mean(on) / mean(off)
  const rates = [mean(on), mean(off), busyLoad.answers / busyLoad.seconds].map(Math.round)
  const label = `events.create at 10 connections: ${rates[0]}/s with the other node, ${rates[1]}/s alone, ${rates[2]}/s with a busy loop`
  return {
    id: 'sync-create',
    label,
    figure,
    unit: 'of alone',
    target: '≥ 0.9',
    met: figure >= 0.9,
    // With few processors for both nodes and the client, the processor time of the writing node is more significant than its rate.
    processor: mean(busy),
    bareProcessor: mean(alone),
  }
}

/** Measures while another process keeps one processor busy, as an upper bound of the cost of another node. */
async function withBusyProcessor<T>(measure: () => Promise<T>): Promise<T> {
  const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  try {
    return await measure()
  } finally {
    busy.kill('SIGKILL')
  }
}

async function measureMillion(
  folder: string,
  isSelected: (id: SyncRow) => boolean,
  record: (measured: Measured) => void,
): Promise<void> {
  const { ends, owner, took } = await prepare(folder, MILLION)
  const [a, b] = ends
  process.stderr.write(`  first sync of a million events in ${took.toFixed(0)} s\n`)
  await pause(b)
  if (isSelected('sync-million-reconnect')) await measureReconnect(b, 'million', isSelected, record)
  const changes = (side: number): unknown[] =>
    Array.from({ length: CHANGES }, (_, n) => ({
      method: 'events.create',
      params: { streamIds: [streamIdOf(n % 20)], type: 'mass/kg', content: 50 + side, time: timeOf(side * CHANGES + n) },
    }))
  await batch(a.server, owner, changes(0))
  await batch(b.server, { username: USER, token: await tokenAt(b) }, changes(1))
  await resume(b)
  const contact = await pause(b)
  const { began, inSyncAt = NaN } = contact
  if (isSelected('sync-million')) {
    record(atMost('sync-million', `${CHANGES} changes on each side of a million events`, inSyncAt - began, 's', 3))
  }
  if (isSelected('sync-million-bytes')) {
    record(atMost('sync-million-bytes', 'bytes on the wire for each of these changes', bytesOf(contact) / CHANGES / 2, 'B', 400))
  }
  if (isSelected('sync-million-memory')) {
    const largest = (bytesOfNode: typeof ownBytes): number => Math.max(...ends.map(({ server }) => bytesOfNode(server.pid) ?? NaN)) / 1e6
    const withFiles = `${largest(residentBytes).toFixed(0)} MB with mapped files`
    record(atMost('sync-million-memory', `memory of the larger of the two nodes (${withFiles})`, largest(ownBytes), 'MB', 300))
  }
  await stop(ends)
}
