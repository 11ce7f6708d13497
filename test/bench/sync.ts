/** Two nodes with copies of one account: the first sync, a reconnect, changes on both sides, live changes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { batch, createStreams, creation, EVENTS, fill, register, streamIdOf, timeOf, type Owner } from './account.js'
import { load, percentile, type Load } from './client.js'
import { inMilliseconds } from './live.js'
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
/** They fill an account with a million events first. */
export const longSyncRows = ['sync-million', 'sync-million-bytes', 'sync-million-reconnect', 'sync-million-memory'] as const

export type SyncRow = (typeof syncRows)[number] | (typeof longSyncRows)[number]

const MILLION = 1_000_000
const CHANGES = 100
const RECONNECTS = 7
const WARM_UP_CHANGES = 200
const TURNS = 3

const bytesOf = ({ bytesSent, bytesReceived }: Contact): number => bytesSent + bytesReceived

const most = (id: SyncRow, label: string, figure: number, unit: string, limit: number): Measured => ({
  id,
  label,
  figure,
  unit,
  target: `≤ ${limit.toLocaleString('en')} ${unit}`,
  met: figure <= limit,
})

/** Measures the rows that are chosen, on two homes of their own. */
export async function measureSync(
  folder: string,
  chosen: (id: SyncRow) => boolean,
  options: Pick<Options, 'seconds' | 'profile'>,
  tell: (measured: Measured) => void,
): Promise<void> {
  if (syncRows.some(chosen)) await measureUsual(folder, chosen, options, tell)
  if (longSyncRows.some(chosen)) await measureMillion(`${folder}-million`, chosen, tell)
}

/** Two nodes in sync, with an account of so many events; answers how long the first sync took, in seconds. */
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

async function measureUsual(
  folder: string,
  chosen: (id: SyncRow) => boolean,
  { seconds: time, profile }: Pick<Options, 'seconds' | 'profile'>,
  tell: (measured: Measured) => void,
): Promise<void> {
  const { ends, owner, took } = await prepare(folder, EVENTS, profile)
  const [a, b] = ends
  const contact = await pause(b)
  if (chosen('sync-first')) {
    const figure = EVENTS / took
    const label = `first sync of ${EVENTS.toLocaleString('en')} events`
    tell({ id: 'sync-first', label, figure, unit: 'events/s', target: '≥ 5,000 events/s', met: figure >= 5000 })
  }
  if (chosen('sync-first-bytes')) {
    tell(most('sync-first-bytes', 'bytes on the wire for each of them', bytesOf(contact) / EVENTS, 'B', 120))
  }
  if (chosen('sync-reconnect') || chosen('sync-reconnect-bytes')) await measureReconnect(b, '', chosen, tell)
  await resume(b)
  if (chosen('sync-live')) tell(await measureDelay(a, b, owner, time))
  if (chosen('sync-create')) tell(await measureCreate(a, b, owner, time))
  await stop(ends)
}

async function measureReconnect(
  end: End,
  which: '' | 'million',
  chosen: (id: SyncRow) => boolean,
  tell: (measured: Measured) => void,
): Promise<void> {
  const [id, label] = which === '' ? (['sync-reconnect', ''] as const) : (['sync-million-reconnect', ' of a million events'] as const)
  const contacts: Contact[] = []
  for (let n = 0; n < RECONNECTS; n++) {
    await resume(end)
    contacts.push(await pause(end))
  }
  const times = contacts.map(({ began, inSyncAt = NaN }) => (inSyncAt - began) * 1000).sort((x, y) => x - y)
  const bytes = contacts.map(bytesOf).sort((x, y) => x - y)
  if (chosen(id)) tell(most(id, `reconnect${label}, nothing changed`, percentile(Float64Array.from(times), 0.5) ?? NaN, 'ms', 50))
  if (which === '' && chosen('sync-reconnect-bytes')) {
    tell(most('sync-reconnect-bytes', 'bytes of a reconnect', percentile(Float64Array.from(bytes), 0.5) ?? NaN, 'B', 2048))
  }
}

/** From sending a creation to one node to the message at a client of the other. */
async function measureDelay(a: End, b: End, owner: Owner, time: number): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const token = await tokenAt(b)
  const socket = io(`${b.server.url}${USER}?auth=${token}`, { transports: ['websocket'], forceNew: true })
  await once(socket as unknown as NodeJS.EventEmitter, 'connect')
  const target = { url: `${a.server.url}${USER}/events`, token: owner.token }
  const change = async (): Promise<number> => {
    const told = new Promise<number>((give) => socket.once('eventsChanged', () => give(performance.now())))
    const begun = performance.now()
    const [at] = await Promise.all([told, post(agent, { ...target, body: creation() })])
    return at - begun
  }
  for (let n = 0; n < WARM_UP_CHANGES; n++) await change()
  const delays: number[] = []
  const until = performance.now() + time * 1000
  while (performance.now() < until) delays.push(await change())
  socket.disconnect()
  agent.destroy()
  return inMilliseconds({ id: 'sync-live', label: "events.create to eventsChanged at a client of the other node", most: 15 }, delays, [])
}

/** An access of the account at the node that has only a copy of it. */
async function tokenAt({ home }: End): Promise<string> {
  const asked = ['accesses', 'create', '--user', USER, '--name', 'listener', '--permission', '*:contribute', '--json', '--home', home]
  const { stdout } = await run(process.execPath, [program, ...asked])
  return (JSON.parse(stdout) as { access: { token: string } }).access.token
}

/** Creations at full speed with the other node in sync beside those without it. */
async function measureCreate(a: End, b: End, owner: Owner, time: number): Promise<Measured> {
  const question = { verb: 'POST' as const, path: `${USER}/events`, token: owner.token, body: creation() }
  const [on, off]: [number[], number[]] = [[], []]
  const [busy, alone]: [number[], number[]] = [[], []]
  const each = ({ processor, answers }: Load): number => ((processor ?? NaN) * 1e6) / answers
  await load(a.server, question, 10, 1)
  for (let turn = 0; turn < TURNS; turn++) {
    const live = await load(a.server, question, 10, time / TURNS)
    on.push(live.answers / live.seconds)
    busy.push(each(live))
    await inSync(b, 0)
    await b.ask('sync.pause', { username: USER })
    const single = await load(a.server, question, 10, time / TURNS)
    off.push(single.answers / single.seconds)
    alone.push(each(single))
    await resume(b)
  }
  await b.ask('sync.pause', { username: USER })
  const beside = await besideBusy(() => load(a.server, question, 10, time / TURNS))
  await resume(b)
  const mean = (rates: number[]): number => rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  const figure = mean(on) / mean(off)
  const rates = [mean(on), mean(off), beside.answers / beside.seconds].map(Math.round)
  const label = `events.create at 10 connections: ${rates[0]}/s with the other node, ${rates[1]}/s alone, ${rates[2]}/s beside a busy loop`
  return {
    id: 'sync-create',
    label,
    figure,
    unit: 'of alone',
    target: '≥ 0.9',
    met: figure >= 0.9,
    // Where the two nodes and the client share few processors, what the writing node spends tells more than its rate.
    processor: mean(busy),
    bareProcessor: mean(alone),
  }
}

/** Measures while a process that has nothing to do with it keeps one processor busy: what another node takes at most. */
async function besideBusy<T>(measure: () => Promise<T>): Promise<T> {
  const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  try {
    return await measure()
  } finally {
    busy.kill('SIGKILL')
  }
}

async function measureMillion(
  folder: string,
  chosen: (id: SyncRow) => boolean,
  tell: (measured: Measured) => void,
): Promise<void> {
  const { ends, owner, took } = await prepare(folder, MILLION)
  const [a, b] = ends
  process.stderr.write(`  a million events came over in ${took.toFixed(0)} s\n`)
  await pause(b)
  if (chosen('sync-million-reconnect')) await measureReconnect(b, 'million', chosen, tell)
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
  if (chosen('sync-million')) {
    tell(most('sync-million', `${CHANGES} changes on each side of a million events`, inSyncAt - began, 's', 3))
  }
  if (chosen('sync-million-bytes')) {
    tell(most('sync-million-bytes', 'bytes on the wire for each of these changes', bytesOf(contact) / CHANGES / 2, 'B', 400))
  }
  if (chosen('sync-million-memory')) {
    const largest = (bytesOfNode: typeof ownBytes): number => Math.max(...ends.map(({ server }) => bytesOfNode(server.pid) ?? NaN)) / 1e6
    const whole = `${largest(residentBytes).toFixed(0)} MB with mapped files`
    tell(most('sync-million-memory', `memory of the larger of the two nodes (${whole})`, largest(ownBytes), 'MB', 300))
  }
  await stop(ends)
}
