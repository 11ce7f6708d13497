/** Measures the memory of a node for clients that request large responses and read nothing. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { batch, createStreams, register, streamIdOf, type Owner } from './account.js'
import { callApi } from './client.js'
import type { Measured } from './measure.js'
import { ownBytes, startNode, type Server } from './processes.js'

export const readerRows = ['readers-list', 'readers-one', 'readers-batch', 'readers-socket'] as const

export type ReaderRow = (typeof readerRows)[number]

const READERS = 60
const EVENTS = 1000
/** Characters of each of the many events, 10 MB in total, and of the large one. */
const SMALL = 10_000
const LARGE = 9_500_000
/** Account of the large event, which scans of the many must not read. */
const OTHER = 'archivist'
/** Size of a batch, so that its body stays small. */
const AT_ONCE = 100
/** Memory limits; responses that are built as a whole and then refused are garbage, which is collected later. */
const MAX_MB: Readonly<Record<ReaderRow, number>> = { 'readers-list': 150, 'readers-one': 100, 'readers-batch': 150, 'readers-socket': 200 }
const POLL_MS = 500
/** Number of polls without growth after which the memory is stable. */
const STABLE_POLLS = 8
const MAX_POLLS = 120

const LABELS: Readonly<Record<ReaderRow, string>> = {
  'readers-list': 'a list of 1,000 events',
  'readers-one': 'one event',
  'readers-batch': 'a batch',
  'readers-socket': 'a call over a websocket',
}

interface ReaderSetup {
  node: Server
  /** Account of the many events. */
  owner: Owner
  /** Account of the large event. */
  other: Owner
  /** Id of the large event. */
  large: string
}

/** Measures the selected rows, each on a freshly started node, because earlier memory would hide it. */
export async function measureReaders(home: string, isSelected: (id: ReaderRow) => boolean, record: (measured: Measured) => void): Promise<void> {
  const first = await startNode(home)
  const owner = await register(first, 'reader')
  const other = await register(first, OTHER)
  for (const one of [owner, other]) await createStreams(first, one)
  const creation = (size: number): object => ({ streamIds: [streamIdOf(0)], type: 'bench/text', content: 'x'.repeat(size) })
  for (let count = 0; count < EVENTS; count += AT_ONCE) {
    await batch(first, owner, Array.from({ length: AT_ONCE }, () => ({ method: 'events.create', params: creation(SMALL) })))
  }
  const { event } = await callApi(first, { verb: 'POST', path: `${OTHER}/events`, token: other.token, body: JSON.stringify(creation(LARGE)) })
  const { id: large } = event as { id: string }
  await first.stop()
  for (const id of readerRows) {
    if (!isSelected(id)) continue
    const node = await startNode(home)
    record(await measureGrowth(id, { node, owner, other, large }))
    await node.stop()
  }
}

async function measureGrowth(id: ReaderRow, setup: ReaderSetup): Promise<Measured> {
  const { node } = setup
  // The first reader loads the code of its request.
  const warm = await startReader(id, setup)
  await stableMemory(node)
  warm.destroy()
  const before = await stableMemory(node)
  const sockets = await Promise.all(Array.from({ length: READERS }, () => startReader(id, setup)))
  const after = await stableMemory(node)
  for (const socket of sockets) socket.destroy()
  const figure = before === undefined || after === undefined ? undefined : (after - before) / 1e6
  return {
    id,
    label: `memory for ${READERS} readers that read nothing of 10 MB: ${LABELS[id]}`,
    figure,
    unit: 'MB',
    target: `< ${MAX_MB[id]} MB`,
    ...(figure === undefined ? {} : { met: figure < MAX_MB[id] }),
  }
}

/** Waits until the memory of the node is stable; returns its maximum. */
async function stableMemory({ pid }: Server): Promise<number | undefined> {
  let peak = ownBytes(pid)
  for (let polls = 0, same = 0; polls < MAX_POLLS && same < STABLE_POLLS; polls++, same++) {
    await sleep(POLL_MS)
    const bytes = ownBytes(pid) ?? 0
    if (peak === undefined || bytes < peak + 1_000_000) continue
    peak = bytes
    same = 0
  }
  return peak
}

/** Connects a client that sends a request and then reads nothing. */
async function startReader(id: ReaderRow, { node, owner, other, large }: ReaderSetup): Promise<Socket> {
  const { hostname, port } = new URL(node.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const { token } = id === 'readers-one' ? other : owner
  const head = (line: string, more: readonly string[] = []): string =>
    [`${line} HTTP/1.1`, `Host: ${hostname}`, `Authorization: ${token}`, ...more, '', ''].join('\r\n')
  const query = { streams: [streamIdOf(0)], limit: EVENTS }
  if (id === 'readers-socket') {
    await upgraded(socket, head(`GET /socket.io/?EIO=4&transport=websocket&auth=${token}`, WEBSOCKET))
    socket.write(frame('40/reader,'))
    await received(socket, '40/reader,{"sid"')
    socket.write(frame(`42/reader,1["events.get",${JSON.stringify(query)}]`))
  } else if (id === 'readers-batch') {
    const body = JSON.stringify([{ method: 'events.get', params: query }])
    socket.write(head('POST /reader', ['Content-Type: application/json', `Content-Length: ${body.length}`]) + body)
  } else if (id === 'readers-one') {
    socket.write(head(`GET /${OTHER}/events/${large}`))
  } else {
    socket.write(head(`GET /reader/events?limit=${EVENTS}&streams=${streamIdOf(0)}`))
  }
  socket.pause()
  return socket
}

const WEBSOCKET = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

async function upgraded(socket: Socket, request: string): Promise<void> {
  socket.write(request)
  await received(socket, '101 Switching')
}

/** Resolves once a text was received. */
function received(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    let all = ''
    const read = (chunk: Buffer): void => {
      all += chunk.toString('latin1')
      if (!all.includes(text)) return
      socket.off('data', read)
      resolve()
    }
    socket.on('data', read)
  })
}

/** Returns a client text frame of less than 126 bytes, with a mask of zeros. */
const frame = (text: string): Buffer => Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), Buffer.alloc(4), Buffer.from(text)])
