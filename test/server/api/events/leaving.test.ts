/** Clients that leave while what they asked for is searched: the search ends, whatever way they came. */
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
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
  for (let made = 0; made < EVENTS; made += 500) {
    await request(`${node.url}alice`, { token, body: Array.from({ length: 500 }, (_, n) => create(made + n)) })
  }
  db = node.node.store.db
}, 60_000)
afterEach(() => {
  vi.restoreAllMocks()
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(() => node.stop())

interface Watched {
  /** Pages that were read. */
  pages: number
  /** Iterators and snapshots that are open. */
  open: number
  /** Resolves when a page is to be read that is not given yet. */
  isHeld: Promise<void>
  /** Gives it, and all that follow. */
  go(): void
}

/** Watches scans, and holds them up at their second page. */
function watch(): Watched {
  let hold: () => void = () => undefined
  let go: () => void = () => undefined
  const isHeld = new Promise<void>((resolve) => (hold = resolve))
  const given = new Promise<void>((resolve) => (go = resolve))
  const watched: Watched = { pages: 0, open: 0, isHeld, go }
  const follow = <T>(pages: Pages<T>): Pages<T> => {
    watched.open += 1
    let isOpen = true
    return {
      async next(size) {
        watched.pages += 1
        if (watched.pages === 2) hold()
        if (watched.pages >= 2) await given
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
    vi.spyOn(db, kind).mockImplementation(((...args: unknown[]) => follow(read(...args))) as never)
  }
  return watched
}

/** Query without matches, so that all is searched. */
const NOTHING = { types: ['none/such'], limit: 100_000 }
const asQuery = '/alice/events?types[]=none/such&limit=100000'

/** Waits until a client is held up, has it leave, and lets the search go on. */
async function left(watched: Watched, leave: () => void): Promise<void> {
  await watched.isHeld
  leave()
  // The node hears of it in a turn of its loop.
  await new Promise((resolve) => setTimeout(resolve, 100))
  watched.go()
  await expect.poll(() => watched.open).toBe(0)
}

describe('a search', () => {
  it('that is waited for reads all', async () => {
    const watched = watch()
    const answer = request(node.url + asQuery.slice(1), { token })
    await watched.isHeld
    watched.go()
    expect((await answer).body['events']).toEqual([])
    expect(watched.pages).toBeGreaterThan(20)
  })

  it.each([
    ['HTTP', wireRequest.bind(undefined, `GET ${asQuery}`)],
    ['HTTP, in a window of time', wireRequest.bind(undefined, `GET ${asQuery}&fromTime=1700002900&toTime=1800000000`)],
    ['a batch', (own: string) => wireRequest('POST /alice', own, [{ method: 'events.get', params: NOTHING }])],
    ['a batch, in a window of time', (own: string) => wireRequest('POST /alice', own, [{ method: 'events.get', params: { ...NOTHING, fromTime: 1_700_000_000, toTime: 1_800_000_000 } }])],
  ])('ends when its client leaves: %s', async (_, asked) => {
    const watched = watch()
    const socket = silentReader(node.port, asked(token))
    sockets.push(socket)
    await left(watched, () => void socket.destroy())
    expect(watched.pages).toBeLessThan(6)
  })

  it('ends when its client leaves: a websocket', async () => {
    const socket = await connectSocket(node, 'alice', { token })
    const watched = watch()
    void socket.call('events.get', NOTHING)
    await left(watched, () => socket.close())
    expect(watched.pages).toBeLessThan(6)
  })

  it('that was left is recorded as such, and is no fault of the node', async () => {
    const before = node.logged.length
    const watched = watch()
    const socket = silentReader(node.port, wireRequest(`GET ${asQuery}`, token))
    await left(watched, () => void socket.destroy())
    vi.restoreAllMocks()
    const { body } = await request(`${node.url}alice/events?streams=:_audit:action-events.get&limit=1`, { token })
    expect((body['events'] as { content: object }[])[0]?.content).toMatchObject({ recordCountIncomplete: true })
    expect(node.logged.slice(before)).toEqual([])
  })
})

describe('a condition that is slow', () => {
  /** Takes a millisecond. */
  const slow = (): boolean => {
    for (const until = performance.now() + 1; performance.now() < until; );
    return true
  }
  const items = Array.from({ length: 200 }, (_, n) => n)

  it('lets others have their turn', async () => {
    let turns = 0
    let isOver = false
    const others = (): void => {
      turns += 1
      if (!isOver) setImmediate(others)
    }
    setImmediate(others)
    expect(await filtered(items, slow, yieldEvery())).toHaveLength(items.length)
    isOver = true
    expect(turns).toBeGreaterThan(1)
  })

  it('is asked no more once nobody waits', async () => {
    let asked = 0
    const gone = (): never => {
      throw new CallerGone()
    }
    const keep = (): boolean => {
      asked += 1
      return slow()
    }
    await expect(filtered(items, keep, yieldEvery(gone))).rejects.toBeInstanceOf(CallerGone)
    expect(asked).toBeLessThan(items.length)
  })
})
