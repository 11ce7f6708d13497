/** Cancellation of searches when their clients disconnect, over every transport. */
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database, Pages } from '../../../../src/store/engine/database.js'
import { CallerGone, filtered, yieldEvery } from '../../../../src/store/engine/yield.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { connectSocket } from '../../../support/http/socket.js'
import { silentReader, wireRequest } from '../../../support/http/slowReaders.js'

const EVENTS = 3000
let node: TestNode
let token: string
let db: Database
const sockets: Socket[] = []

beforeAll(async () => {
  node = await startTestNode()
  token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 's', name: 's' } })
  const create = (n: number): object => ({ method: 'events.create', params: { streamIds: ['s'], type: 'test/text', content: 'x'.repeat(2000), time: 1_700_000_000 + n, duration: n % 2 } })
  for (let created = 0; created < EVENTS; created += 500) {
    await request(`${node.url}alice`, { token, body: Array.from({ length: 500 }, (_, n) => create(created + n)) })
  }
  db = node.node.store.db
}, 60_000)
beforeEach(() => {
  // The searches are long because they read the database.
  vi.spyOn(node.node.eventPages, 'of').mockReturnValue(undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(() => node.stop())

interface WatchedScans {
  /** Count of pages read. */
  pages: number
  /** Count of open iterators. */
  open: number
  /** Resolves when the read of a page is blocked. */
  isBlocked: Promise<void>
  /** Unblocks this read and all later ones. */
  unblock(): void
}

/** Counts pages of database scans, and blocks them at the second page. */
function watch(): WatchedScans {
  let block: () => void = () => undefined
  let unblock: () => void = () => undefined
  const isBlocked = new Promise<void>((resolve) => (block = resolve))
  const unblocked = new Promise<void>((resolve) => (unblock = resolve))
  const watched: WatchedScans = { pages: 0, open: 0, isBlocked, unblock }
  const watchPages = <T>(pages: Pages<T>): Pages<T> => {
    watched.open += 1
    let isOpen = true
    return {
      async next(size) {
        watched.pages += 1
        if (watched.pages === 2) block()
        if (watched.pages >= 2) await unblocked
        return pages.next(size)
      },
      close() {
        if (isOpen) watched.open -= 1
        isOpen = false
        return pages.close()
      },
    }
  }
  for (const kind of ['values', 'keys', 'entries'] as const) {
    const read = db[kind].bind(db) as (...args: unknown[]) => Pages<unknown>
    vi.spyOn(db, kind).mockImplementation(((...args: unknown[]) => watchPages(read(...args))) as never)
  }
  return watched
}

/** Query without matches, which scans everything. */
const NO_MATCH = { types: ['none/such'], limit: 100_000 }
let asked = 0
/** Returns a new query that finds nothing: a repeated one may be answered from memory. */
const nothingPath = (): string => `/alice/events?types[]=none/such&limit=100000&skip=${++asked}`

/** Waits until a scan is blocked, disconnects its client, unblocks the scan and waits for its end. */
async function disconnectDuringScan(watched: WatchedScans, disconnect: () => void): Promise<void> {
  await watched.isBlocked
  disconnect()
  // The node sees the disconnection in a turn of its event loop.
  await new Promise((resolve) => setTimeout(resolve, 100))
  watched.unblock()
  await expect.poll(() => watched.open).toBe(0)
}

describe('a search', () => {
  it('reads all pages while its client is connected', async () => {
    const watched = watch()
    const answer = request(node.url + nothingPath().slice(1), { token })
    await watched.isBlocked
    watched.unblock()
    expect((await answer).body['events']).toEqual([])
    expect(watched.pages).toBeGreaterThan(20)
  })

  it.each([
    ['HTTP', wireRequest.bind(undefined, `GET ${nothingPath()}`)],
    ['HTTP, in a window of time', wireRequest.bind(undefined, `GET ${nothingPath()}&fromTime=1700002900&toTime=1800000000`)],
    ['a batch', (own: string) => wireRequest('POST /alice', own, [{ method: 'events.get', params: { ...NO_MATCH, skip: ++asked } }])],
    ['a batch, in a window of time', (own: string) => wireRequest('POST /alice', own, [{ method: 'events.get', params: { ...NO_MATCH, fromTime: 1_700_000_000, toTime: 1_800_000_000 } }])],
  ])('ends when its client disconnects: %s', async (_, requestFor) => {
    const watched = watch()
    const socket = silentReader(node.port, requestFor(token))
    sockets.push(socket)
    await disconnectDuringScan(watched, () => void socket.destroy())
    expect(watched.pages).toBeLessThan(6)
  })

  it('ends when its client disconnects: a websocket', async () => {
    const socket = await connectSocket(node, 'alice', { token })
    const watched = watch()
    void socket.call('events.get', { ...NO_MATCH, skip: ++asked })
    await disconnectDuringScan(watched, () => socket.close())
    expect(watched.pages).toBeLessThan(6)
  })

  it('of a disconnected client has an incomplete count in the audit record, and is not logged as an error', async () => {
    const before = node.logged.length
    const watched = watch()
    const socket = silentReader(node.port, wireRequest(`GET ${nothingPath()}`, token))
    await disconnectDuringScan(watched, () => void socket.destroy())
    vi.restoreAllMocks()
    const { body } = await request(`${node.url}alice/events?streams=:_audit:action-events.get&limit=1`, { token })
    expect((body['events'] as { content: object }[])[0]?.content).toMatchObject({ recordCountIncomplete: true })
    expect(node.logged.slice(before)).toEqual([])
  })
})

describe('a slow filter', () => {
  /** Blocks for a millisecond. */
  const slow = (): boolean => {
    for (const until = performance.now() + 1; performance.now() < until; );
    return true
  }
  const items = Array.from({ length: 200 }, (_, n) => n)

  it('yields to other tasks', async () => {
    let turns = 0
    let isOver = false
    const otherTask = (): void => {
      turns += 1
      if (!isOver) setImmediate(otherTask)
    }
    setImmediate(otherTask)
    expect(await filtered(items, slow, yieldEvery())).toHaveLength(items.length)
    isOver = true
    expect(turns).toBeGreaterThan(1)
  })

  it('stops when the caller is gone', async () => {
    let evaluated = 0
    const assertCaller = (): never => {
      throw new CallerGone()
    }
    const filter = (): boolean => {
      evaluated += 1
      return slow()
    }
    await expect(filtered(items, filter, yieldEvery(assertCaller))).rejects.toBeInstanceOf(CallerGone)
    expect(evaluated).toBeLessThan(items.length)
  })
})
