/** Readers that ask for much and read nothing: how much a node grows by them. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { batch, createStreams, register, streamIdOf, type Owner } from './account.js'
import { ask } from './client.js'
import type { Measured } from './measure.js'
import { ownBytes, startNode, type Server } from './processes.js'

export const readerRows = ['readers-list', 'readers-one', 'readers-batch', 'readers-socket'] as const

export type ReaderRow = (typeof readerRows)[number]

const READERS = 60
const EVENTS = 1000
/** Characters of each of the many events, which are 10 MB together, and of the large one. */
const SMALL = 10_000
const LARGE = 9_500_000
/** The account of the large event: scans of the many should not meet it. */
const OTHER = 'archivist'
/** Of a batch, so that its body stays small. */
const AT_ONCE = 100
/** Memory limits; answers built in one piece and then refused are garbage that is not collected at once. */
const MAX_MB: Readonly<Record<ReaderRow, number>> = { 'readers-list': 150, 'readers-one': 100, 'readers-batch': 150, 'readers-socket': 200 }
const LOOK_MS = 500
/** Looks at the memory without growth after which it grows no more. */
const STILL = 8
const LONGEST_LOOKS = 120

const LABELS: Readonly<Record<ReaderRow, string>> = {
  'readers-list': 'a list of 1,000 events',
  'readers-one': 'one event',
  'readers-batch': 'a batch',
  'readers-socket': 'a call over a websocket',
}

interface Asker {
  node: Server
  /** Has the many events. */
  owner: Owner
  /** Has the large one. */
  other: Owner
  /** Its id. */
  large: string
}

/** Measures the rows that are chosen, each on a start of its own: memory that was used before would hide it. */
export async function measureReaders(home: string, chosen: (id: ReaderRow) => boolean, tell: (measured: Measured) => void): Promise<void> {
  const first = await startNode(home)
  const owner = await register(first, 'reader')
  const other = await register(first, OTHER)
  for (const one of [owner, other]) await createStreams(first, one)
  const creation = (size: number): object => ({ streamIds: [streamIdOf(0)], type: 'bench/text', content: 'x'.repeat(size) })
  for (let made = 0; made < EVENTS; made += AT_ONCE) {
    await batch(first, owner, Array.from({ length: AT_ONCE }, () => ({ method: 'events.create', params: creation(SMALL) })))
  }
  const { event } = await ask(first, { verb: 'POST', path: `${OTHER}/events`, token: other.token, body: JSON.stringify(creation(LARGE)) })
  const { id: large } = event as { id: string }
  await first.stop()
  for (const id of readerRows) {
    if (!chosen(id)) continue
    const node = await startNode(home)
    tell(await measureGrowth(id, { node, owner, other, large }))
    await node.stop()
  }
}

async function measureGrowth(id: ReaderRow, asker: Asker): Promise<Measured> {
  const { node } = asker
  // The first one loads what its way needs.
  const warm = await asking(id, asker)
  await still(node)
  warm.destroy()
  const before = await still(node)
  const sockets = await Promise.all(Array.from({ length: READERS }, () => asking(id, asker)))
  const after = await still(node)
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

/** The most memory that the node has had, once it has stopped growing. */
async function still({ pid }: Server): Promise<number | undefined> {
  let most = ownBytes(pid)
  for (let looks = 0, same = 0; looks < LONGEST_LOOKS && same < STILL; looks++, same++) {
    await sleep(LOOK_MS)
    const bytes = ownBytes(pid) ?? 0
    if (most === undefined || bytes < most + 1_000_000) continue
    most = bytes
    same = 0
  }
  return most
}

/** A client that has asked, and reads nothing from then on. */
async function asking(id: ReaderRow, { node, owner, other, large }: Asker): Promise<Socket> {
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
    await seen(socket, '40/reader,{"sid"')
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
  await seen(socket, '101 Switching')
}

/** Resolves once a text has come. */
function seen(socket: Socket, text: string): Promise<void> {
  return new Promise((give) => {
    let all = ''
    const read = (chunk: Buffer): void => {
      all += chunk.toString('latin1')
      if (!all.includes(text)) return
      socket.off('data', read)
      give()
    }
    socket.on('data', read)
  })
}

/** A text frame as clients send it, of less than 126 bytes, with a mask of zeros. */
const frame = (text: string): Buffer => Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), Buffer.alloc(4), Buffer.from(text)])
