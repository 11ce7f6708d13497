/** Measures live changes: delay of a notification, memory of idle sockets, duration of a broadcast. */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { createStreams, creation, register, type Owner } from './account.js'
import { percentile } from './client.js'
import type { Measured } from './measure.js'
import { post } from './post.js'
import { processorSeconds, residentBytes, startBare, startNode, type Server } from './processes.js'
import { addressOf, startListeners, type Listeners } from './sockets.js'

export const liveRows = ['live-event', 'sockets-idle', 'sockets-idle-one', 'sockets-broadcast'] as const

export type LiveRow = (typeof liveRows)[number]

const SOCKETS = 2000
const ACCOUNTS = 20
const MAX_EVENT_MS = 3
const MAX_IDLE_MB = 120
const MAX_BROADCAST_MS = 150
const WARM_UP_CHANGES = 200
const BROADCASTS = 15
const MAX_MS = 10_000
/** Time for background work of a server to end. */
const SETTLE_MS = 2000
const TURNS = 3

interface Servers {
  node: Server
  bare: Server
}

/** Request of a change, and address of the socket that receives it. */
interface Line {
  server: Server
  path: string
  token?: string
  address: string
}

const lineTo = (node: Server, owner: Owner): Line => ({
  server: node,
  path: `${owner.username}/events`,
  token: owner.token,
  address: addressOf(node, owner),
})

const bareLine = (bare: Server): Line => ({ server: bare, path: 'broadcast', address: `${bare.url}bare` })

/** Measures the selected rows, in a separate home. */
export async function measureLive(
  home: string,
  isSelected: (id: LiveRow) => boolean,
  seconds: number,
  record: (measured: Measured) => void,
): Promise<void> {
  const first = await startNode(home)
  const owners: Owner[] = []
  for (let n = 0; n < ACCOUNTS; n++) owners.push(await register(first, `listener-${n}`))
  const [one] = owners
  if (one === undefined) throw new Error('there is no account')
  await createStreams(first, one)
  await first.stop()

  const bare = await startBare()
  if (isSelected('live-event')) {
    const node = await startNode(home)
    record(await measureEvent({ node, bare }, one, seconds))
    await node.stop()
  }
  const listeners = startListeners()
  const spread = Array.from({ length: SOCKETS }, (_, n) => owners[n % ACCOUNTS] ?? one)
  if (isSelected('sockets-idle')) record(await measureIdle(home, listeners, 'sockets-idle', `of ${ACCOUNTS} accounts`, spread))
  const sameOwner = spread.map(() => one)
  if (isSelected('sockets-idle-one')) record(await measureIdle(home, listeners, 'sockets-idle-one', 'of one account', sameOwner))
  if (isSelected('sockets-broadcast')) {
    const node = await startNode(home)
    record(await measureBroadcast({ node, bare }, listeners, one))
    await node.stop()
  }
  await listeners.stop()
  await bare.stop()
}

/** Measures from an event creation over HTTP to the message at another client, one at a time. */
async function measureEvent({ node, bare }: Servers, owner: Owner, seconds: number): Promise<Measured> {
  const [ours, theirs] = [await openLine(lineTo(node, owner)), await openLine(bareLine(bare))]
  for (let n = 0; n < WARM_UP_CHANGES; n++) for (const line of [theirs, ours]) await line.change()
  const [delays, floors]: [number[], number[]] = [[], []]
  let used = 0
  const measure = async (line: OpenLine, into: number[], milliseconds: number): Promise<void> => {
    const until = performance.now() + milliseconds
    while (performance.now() < until) into.push(await line.change())
  }
  for (let turn = 0; turn < TURNS; turn++) {
    await measure(theirs, floors, (seconds * 1000) / 2 / TURNS)
    const before = processorSeconds(node.pid) ?? Number.NaN
    await measure(ours, delays, (seconds * 1000) / TURNS)
    used += (processorSeconds(node.pid) ?? Number.NaN) - before
  }
  ours.close()
  theirs.close()
  return {
    ...latencyRow({ id: 'live-event', label: 'events.create to eventsChanged at another', max: MAX_EVENT_MS }, delays, floors),
    processor: Number.isNaN(used) ? undefined : (used * 1e6) / delays.length,
  }
}

/** Returns a row of latencies with their median as figure, compared with those of the floor. */
export function latencyRow(
  { id, label, max }: { id: string; label: string; max: number },
  delays: readonly number[],
  floors: readonly number[],
): Measured {
  const sorted = Float64Array.from(delays).sort()
  const figure = percentile(sorted, 0.5)
  const bare = percentile(Float64Array.from(floors).sort(), 0.5) ?? Number.NaN
  return {
    id,
    label,
    figure,
    unit: 'ms',
    p50: figure,
    p99: percentile(sorted, 0.99),
    bare,
    ...(figure === undefined ? {} : { bareRatio: figure / bare, met: figure < max }),
    target: `< ${max} ms`,
  }
}

interface OpenLine {
  /** Makes one change; returns the milliseconds until the socket received it. */
  change(): Promise<number>
  close(): void
}

/** Opens one socket, and one connection for changes. */
async function openLine({ server, path, token, address }: Line): Promise<OpenLine> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const socket = io(address, { transports: ['websocket'], forceNew: true, reconnection: false })
  await new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(undefined))
    socket.once('connect_error', reject)
  })
  const target = { url: server.url + path, ...(token === undefined ? {} : { token }) }
  return {
    async change() {
      const received = new Promise<number>((resolve, reject) => {
        const timeout = setTimeout(() => reject(new Error(`${address.split('?')[0] ?? ''}: no message received`)), MAX_MS)
        socket.once('eventsChanged', () => {
          clearTimeout(timeout)
          resolve(performance.now())
        })
      })
      const begun = performance.now()
      const [at] = await Promise.all([received, post(agent, { ...target, body: creation() })])
      return at - begun
    },
    close() {
      socket.disconnect()
      agent.destroy()
    },
  }
}

/** Measures the memory of idle sockets on a freshly started node, because earlier memory would hide it. */
async function measureIdle(
  home: string,
  listeners: Listeners,
  id: LiveRow,
  description: string,
  owners: readonly Owner[],
): Promise<Measured> {
  const node = await startNode(home)
  // The first sockets load code that sockets need.
  await listeners.connect(owners.slice(0, ACCOUNTS).map((owner) => addressOf(node, owner)))
  await listeners.disconnect()
  await sleep(SETTLE_MS)
  const before = residentBytes(node.pid)
  await listeners.connect(owners.map((owner) => addressOf(node, owner)))
  await sleep(SETTLE_MS)
  const after = residentBytes(node.pid)
  await listeners.disconnect()
  await node.stop()
  const figure = before === undefined || after === undefined ? undefined : (after - before) / 1e6
  return {
    id,
    label: `memory for ${SOCKETS.toLocaleString('en')} idle sockets ${description}`,
    figure,
    unit: 'MB',
    target: `< ${MAX_IDLE_MB} MB`,
    ...(figure === undefined ? {} : { met: figure < MAX_IDLE_MB }),
  }
}

/** Measures until all sockets of an account received one change. */
async function measureBroadcast({ node, bare }: Servers, listeners: Listeners, owner: Owner): Promise<Measured> {
  const times = async ({ server, path, token, address }: Line): Promise<number[]> => {
    await listeners.connect(Array.from({ length: SOCKETS }, () => address))
    const target = { url: server.url + path, ...(token === undefined ? {} : { token }) }
    // Warms up the compiler.
    for (let n = 0; n < 3; n++) await listeners.broadcast({ ...target, body: creation() })
    const found: number[] = []
    for (let n = 0; n < BROADCASTS; n++) found.push(await listeners.broadcast({ ...target, body: creation() }))
    await listeners.disconnect()
    return found
  }
  const floors = await times(bareLine(bare))
  const delays = await times(lineTo(node, owner))
  const label = `one change sent to ${SOCKETS.toLocaleString('en')} sockets`
  return latencyRow({ id: 'sockets-broadcast', label, max: MAX_BROADCAST_MS }, delays, floors)
}
