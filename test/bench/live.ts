/** Live changes: how soon a websocket hears of one, what idle sockets weigh, how long it takes to tell many. */
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
const MOST_EVENT_MS = 3
const MOST_IDLE_MB = 120
const MOST_BROADCAST_MS = 150
const WARM_UP_CHANGES = 200
const BROADCASTS = 15
const MAX_MS = 10_000
/** Until a server has put in order what it did before. */
const SETTLE_MS = 2000
const TURNS = 3

interface Servers {
  node: Server
  bare: Server
}

/** Where a change is made, and where it is heard of. */
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

const bareLine = (bare: Server): Line => ({ server: bare, path: 'tell', address: `${bare.url}bare` })

/** Measures the rows that are chosen, on a home of their own. */
export async function measureLive(
  home: string,
  chosen: (id: LiveRow) => boolean,
  seconds: number,
  tell: (measured: Measured) => void,
): Promise<void> {
  const first = await startNode(home)
  const owners: Owner[] = []
  for (let n = 0; n < ACCOUNTS; n++) owners.push(await register(first, `listener-${n}`))
  const [one] = owners
  if (one === undefined) throw new Error('there is no account')
  await createStreams(first, one)
  await first.stop()

  const bare = await startBare()
  if (chosen('live-event')) {
    const node = await startNode(home)
    tell(await measureEvent({ node, bare }, one, seconds))
    await node.stop()
  }
  const listeners = startListeners()
  const spread = Array.from({ length: SOCKETS }, (_, n) => owners[n % ACCOUNTS] ?? one)
  if (chosen('sockets-idle')) tell(await measureIdle(home, listeners, 'sockets-idle', `of ${ACCOUNTS} accounts`, spread))
  const alike = spread.map(() => one)
  if (chosen('sockets-idle-one')) tell(await measureIdle(home, listeners, 'sockets-idle-one', 'of one account', alike))
  if (chosen('sockets-broadcast')) {
    const node = await startNode(home)
    tell(await measureBroadcast({ node, bare }, listeners, one))
    await node.stop()
  }
  await listeners.stop()
  await bare.stop()
}

/** From sending a creation over HTTP to the message at another client, one after the other. */
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
    ...inMilliseconds({ id: 'live-event', label: 'events.create to eventsChanged at another', most: MOST_EVENT_MS }, delays, floors),
    processor: Number.isNaN(used) ? undefined : (used * 1e6) / delays.length,
  }
}

/** A row of times, its figure the median, beside those of the floor. */
export function inMilliseconds(
  { id, label, most }: { id: string; label: string; most: number },
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
    ...(figure === undefined ? {} : { bareRatio: figure / bare, met: figure < most }),
    target: `< ${most} ms`,
  }
}

interface OpenLine {
  /** Makes one change; answers the milliseconds until the socket was told. */
  change(): Promise<number>
  close(): void
}

/** Connects one socket, and keeps one connection for changes. */
async function openLine({ server, path, token, address }: Line): Promise<OpenLine> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const socket = io(address, { transports: ['websocket'], forceNew: true, reconnection: false })
  await new Promise((give, fail) => {
    socket.once('connect', () => give(undefined))
    socket.once('connect_error', fail)
  })
  const target = { url: server.url + path, ...(token === undefined ? {} : { token }) }
  return {
    async change() {
      const told = new Promise<number>((give, fail) => {
        const late = setTimeout(() => fail(new Error(`${address.split('?')[0] ?? ''}: no message came`)), MAX_MS)
        socket.once('eventsChanged', () => {
          clearTimeout(late)
          give(performance.now())
        })
      })
      const begun = performance.now()
      const [at] = await Promise.all([told, post(agent, { ...target, body: creation() })])
      return at - begun
    },
    close() {
      socket.disconnect()
      agent.destroy()
    },
  }
}

/** How much a node grows by sockets that only listen. A start of its own: memory used before would hide it. */
async function measureIdle(
  home: string,
  listeners: Listeners,
  id: LiveRow,
  whose: string,
  owners: readonly Owner[],
): Promise<Measured> {
  const node = await startNode(home)
  // The first few load what sockets need.
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
    label: `memory for ${SOCKETS.toLocaleString('en')} idle sockets ${whose}`,
    figure,
    unit: 'MB',
    target: `< ${MOST_IDLE_MB} MB`,
    ...(figure === undefined ? {} : { met: figure < MOST_IDLE_MB }),
  }
}

/** Until all sockets of an account know of one change. */
async function measureBroadcast({ node, bare }: Servers, listeners: Listeners, owner: Owner): Promise<Measured> {
  const times = async ({ server, path, token, address }: Line): Promise<number[]> => {
    await listeners.connect(Array.from({ length: SOCKETS }, () => address))
    const target = { url: server.url + path, ...(token === undefined ? {} : { token }) }
    // The first few are for the compiler.
    for (let n = 0; n < 3; n++) await listeners.broadcast({ ...target, body: creation() })
    const found: number[] = []
    for (let n = 0; n < BROADCASTS; n++) found.push(await listeners.broadcast({ ...target, body: creation() }))
    await listeners.disconnect()
    return found
  }
  const floors = await times(bareLine(bare))
  const delays = await times(lineTo(node, owner))
  const label = `one change told to ${SOCKETS.toLocaleString('en')} sockets`
  return inMilliseconds({ id: 'sockets-broadcast', label, most: MOST_BROADCAST_MS }, delays, floors)
}
