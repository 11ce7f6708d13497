/** Unchanged releases of the published client `@pryv/monitor` with `pryv` and `@pryv/socket.io` (clients.md). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event } from 'pryv'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { initialise } from '../../../src/server/launch/init.js'
import { placesOf, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { createAccount, logIn, releases, serviceOf, soon, type Client, type ClientMonitor } from '../../support/http/pryvClient.js'

type Json = Record<string, unknown>

let home: string
let node: TestNode
let other: Client
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-test-'))
  await initialise(placesOf(home))
  node = await startTestNode({}, { home })
  await createAccount(serviceOf(node), 'alice')
  other = await logIn(serviceOf(node), 'alice')
})
afterAll(async () => {
  await node.stop()
  await rm(home, { recursive: true, force: true })
})

/** A monitor with its notifications, in order. */
interface Followed {
  monitor: ClientMonitor
  connection: Client
  /** Id and content of each event, marked if it is trashed; deletions as `deleted`. */
  seen: [id: string, state: string][]
  streams: string[]
  errors: unknown[]
}

/** Waits until a monitor is idle. If it is stopped before, it causes unhandled rejections. */
const idle = ({ states }: ClientMonitor): Promise<void> =>
  soon(() => states.updatingEvents === true || states.updatingStreams === true || states.updateEventRequired === true || states.updateStreamsRequired === true)
    .toBe(false)

describe.each(releases)('monitor of $name', (release) => {
  const { library, isEarlier } = release
  let stream: string
  let count = 0
  /** Events of this test. Deletions are reported for the whole account. */
  const mine = new Set<string>()

  /** Creates a stream for a test. */
  async function newStream(): Promise<void> {
    count += 1
    stream = `${isEarlier ? 'earlier' : 'current'}-${count}`
    await other.api([{ method: 'streams.create', params: { id: stream, name: stream } }])
  }

  const note = (content: string): { method: string; params: Json } => ({
    method: 'events.create',
    params: { streamIds: [stream], type: 'note/txt', content },
  })
  async function create(content: string): Promise<string> {
    const [result] = await other.api([note(content)])
    const { id } = (result as { event: { id: string } }).event
    mine.add(id)
    return id
  }
  const update = (id: string, content: string): Promise<unknown> => other.api([{ method: 'events.update', params: { id, update: { content } } }])
  const remove = (id: string): Promise<unknown> => other.api([{ method: 'events.delete', params: { id } }])

  beforeEach(() => {
    mine.clear()
  })

  async function createMonitor(scope: Json = {}, by: 'connection' | 'address' = 'connection'): Promise<Followed> {
    const connection = await logIn(serviceOf(node, release), 'alice')
    const monitor = new library.Monitor(by === 'address' ? connection.apiEndpoint : connection, { streams: [stream], ...scope })
    const followed: Followed = { monitor, connection, seen: [], streams: [], errors: [] }
    monitor.on('event', (event) => {
      const { id, content, trashed } = event as Event & { trashed?: boolean }
      followed.seen.push([id, trashed === true ? `${String(content)} (trashed)` : String(content)])
    })
    monitor.on('eventDelete', (deletion) => {
      const { id } = deletion as { id: string }
      if (mine.has(id)) followed.seen.push([id, 'deleted'])
    })
    monitor.on('streams', (list) => {
      followed.streams = (list as { id: string }[]).map(({ id }) => id)
    })
    monitor.on('error', (error) => void followed.errors.push(error))
    onTestFinished(async () => {
      await idle(monitor)
      if (monitor.started) monitor.stop()
    })
    return followed
  }

  async function bySocket(scope: Json = {}): Promise<Followed> {
    const followed = await createMonitor(scope)
    followed.monitor.addUpdateMethod(new library.Monitor.UpdateMethod.Socket())
    await followed.monitor.start()
    const { socket } = followed.connection
    await soon(() => (socket._io as typeof socket._io | null)?.connected).toBe(true)
    await soon(() => socket._io.io.engine.transport.name).toBe('websocket')
    return followed
  }

  async function byTimer(scope: Json = {}): Promise<Followed> {
    const followed = await createMonitor(scope)
    followed.monitor.addUpdateMethod(new library.Monitor.UpdateMethod.EventsTimer(10))
    await followed.monitor.start()
    return followed
  }

  it('reports all events of its scope when it starts, with a connection and with an address', async () => {
    await newStream()
    const first = await create('first')
    const second = await create('second')
    const trashed = await create('trashed')
    await remove(trashed)
    for (const by of ['connection', 'address'] as const) {
      const { monitor, seen, errors, streams } = await createMonitor({}, by)
      expect(await monitor.start()).toBe(monitor)
      expect(monitor.started).toBe(true)
      expect(seen).toEqual([[second, 'second'], [first, 'first']])
      expect([streams.length, errors]).toEqual([0, []])
    }
  })

  it('reports streams when it starts and on updateStreams', async () => {
    await newStream()
    const followed = await createMonitor()
    await followed.monitor.start()
    expect(followed.streams).toContain(stream)
    await newStream()
    expect(followed.streams).not.toContain(stream)
    await followed.monitor.updateStreams()
    expect(followed.streams).toContain(stream)
    expect(followed.errors).toEqual([])
  })

  it('reports each change once on updateEvents', async () => {
    await newStream()
    const { monitor, seen, errors, connection } = await createMonitor()
    await monitor.start()
    const expected: [string, string][] = []
    for (let round = 0; round < 5; round++) {
      await monitor.updateEvents()
      expect(seen).toEqual(expected)
      const id = await create(`made ${round}`)
      await monitor.updateEvents()
      await update(id, `changed ${round}`)
      await monitor.updateEvents()
      await remove(id)
      await monitor.updateEvents()
      await monitor.updateEvents()
      await remove(id)
      await monitor.updateEvents()
      expected.push([id, `made ${round}`], [id, `changed ${round}`], [id, `changed ${round} (trashed)`], [id, 'deleted'])
    }
    expect(seen).toEqual(expected)
    expect(errors).toEqual([])
    expect(await connection.username()).toBe('alice')
  })

  it('reports the matching changes of a batch once', async () => {
    await newStream()
    const { monitor, seen, errors } = await createMonitor({ types: ['note/txt'] })
    await monitor.start()
    await other.api([...Array.from({ length: 50 }, (_, at) => note(`of one batch ${at}`)), { method: 'events.create', params: { streamIds: [stream], type: 'mass/kg', content: 1 } }])
    for (let n = 0; n < 3; n++) await monitor.updateEvents()
    expect(seen.map(([, state]) => state).sort()).toEqual(Array.from({ length: 50 }, (_, at) => `of one batch ${at}`).sort())
    expect(errors).toEqual([])
  })

  it('applies a changed scope while it runs', async () => {
    await newStream()
    const { monitor, seen } = await createMonitor({ types: ['note/txt'] })
    await monitor.start()
    const measure = { method: 'events.create', params: { streamIds: [stream], type: 'mass/kg', content: 1 } }
    await other.api([measure])
    await monitor.updateEvents()
    expect(seen).toEqual([])
    expect(monitor.eventsGetScope).toMatchObject({ includeDeletions: true, state: 'all' })
    monitor.eventsGetScope['types'] = ['mass/kg', 'note/txt']
    await monitor.updateEvents()
    expect(seen.map(([, state]) => state)).toEqual(['1'])
  })

  it('serialises concurrent updates', async () => {
    await newStream()
    const { monitor, seen, errors } = await createMonitor()
    await monitor.start()
    const id = await create('once')
    await Promise.all(Array.from({ length: 10 }, () => monitor.updateEvents()))
    await soon(() => seen).toEqual([[id, 'once']])
    expect(errors).toEqual([])
  })

  it('reports nothing while it is stopped, and can be started again', async () => {
    await newStream()
    const { monitor, seen, errors } = await byTimer()
    monitor.stop()
    expect(monitor.started).toBe(false)
    await idle(monitor)
    const id = await create('meanwhile')
    await expect(monitor.updateEvents()).rejects.toThrow('Start Monitor')
    await expect(monitor.updateStreams()).rejects.toThrow('Start Monitor')
    expect(seen).toEqual([])
    await monitor.start()
    await soon(() => seen).toEqual([[id, 'meanwhile']])
    expect(errors).toEqual([])
  })

  it('reports an error when its access is revoked', async () => {
    await newStream()
    const [granted] = await other.api([{ method: 'accesses.create', params: { name: stream, permissions: [{ streamId: stream, level: 'read' }] } }])
    const { access } = granted as { access: { id: string; apiEndpoint: string } }
    const monitor = new library.Monitor(access.apiEndpoint, {})
    const errors: unknown[] = []
    monitor.on('error', (error) => void errors.push(error))
    await monitor.start()
    expect(errors).toEqual([])
    await other.api([{ method: 'accesses.delete', params: { id: access.id } }])
    await monitor.updateEvents()
    expect(errors).toHaveLength(1)
    monitor.stop()
  })

  describe.each([['a timer', byTimer], ['a socket', bySocket]])('with %s', (_, follow) => {
    it('reports creation, update, trashing and deletion by others once each', async () => {
      await newStream()
      const { seen, errors } = await follow()
      const id = await create('first')
      const expected: [string, string][] = [[id, 'first']]
      await soon(() => seen).toEqual(expected)
      await update(id, 'second')
      expected.push([id, 'second'])
      await soon(() => seen).toEqual(expected)
      await remove(id)
      expected.push([id, 'second (trashed)'])
      await soon(() => seen).toEqual(expected)
      await remove(id)
      expected.push([id, 'deleted'])
      await soon(() => seen).toEqual(expected)
      expect(errors).toEqual([])
    })

    it('reports many concurrent changes', async () => {
      await newStream()
      const { seen, errors } = await follow()
      const ids = await Promise.all(Array.from({ length: 40 }, (_at, i) => create(`many ${i}`)))
      await soon(() => seen.length).toBe(40)
      await Promise.all(ids.map(async (id) => {
        await remove(id)
        await remove(id)
      }))
      const deleted = (): string[] => seen.filter(([, state]) => state === 'deleted').map(([id]) => id)
      await soon(() => deleted().length).toBe(40)
      expect(new Set(deleted())).toEqual(new Set(ids))
      expect(errors).toEqual([])
    })
  })

  it('reports streams with a socket', async () => {
    await newStream()
    const followed = await bySocket()
    await newStream()
    await soon(() => followed.streams).toContain(stream)
    expect(followed.errors).toEqual([])
  })

  /*
   * The client reconnects by itself, but it does not fetch missed changes until the next notification. Then it requests all
   * changes since its last request. It receives each message once for each former connection; each change is reported once.
   */
  it('reconnects after its connection broke, and reports missed changes with the next one', async () => {
    await newStream()
    const { connection, seen, errors } = await bySocket()
    connection.socket._io.io.engine.close()
    await soon(() => connection.socket._io.connected).toBe(false)
    const away = await create('while away')
    await soon(() => connection.socket._io.connected).toBe(true)
    const after = await create('after')
    await soon(() => seen.length).toBe(2)
    expect(new Map(seen)).toEqual(new Map([[after, 'after'], [away, 'while away']]))
    const last = await create('last')
    await soon(() => seen.slice(2)).toEqual([[last, 'last']])
    expect(errors).toEqual([])
  })

  it('reconnects after a restart of the node', async () => {
    await newStream()
    const { connection, seen, errors } = await bySocket()
    const { port } = node
    await node.stop()
    await soon(() => connection.socket._io.connected).toBe(false)
    node = await startTestNode({ 'http.port': port }, { home })
    const away = await create('while restarted')
    await soon(() => connection.socket._io.connected).toBe(true)
    const after = await create('after the restart')
    await soon(() => seen.length).toBe(2)
    expect(new Map(seen)).toEqual(new Map([[after, 'after the restart'], [away, 'while restarted']]))
    expect(errors).toEqual([])
  })
})
