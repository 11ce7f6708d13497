/** The published clients `@pryv/socket.io` and `@pryv/monitor`, unchanged, against a node (clients.md, "Websockets"). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import extendWithMonitor from '@pryv/monitor'
import extendWithSockets from '@pryv/socket.io'
import pryv from 'pryv'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { initialise } from '../../src/server/init.js'
import { placesOf, request, startTestNode, type TestNode } from '../support/node.js'
import { createAccount, logIn, PASSWORD, serviceOf, type Client } from '../support/pryvClient.js'

type Json = Record<string, unknown>
type Listener = (content?: unknown) => void

/** The socket of a connection, and what lies under it. */
interface ClientSocket {
  open(): Promise<ClientSocket>
  close(): void
  on(message: string, listener: Listener): void
  api(calls: { method: string; params: unknown }[], progress?: (percent: number) => void): Promise<Json[]>
  _io: { connected: boolean; io: { engine: { close(): void } } }
}
interface ClientMonitor {
  start(): Promise<ClientMonitor>
  stop(): void
  on(message: string, listener: Listener): ClientMonitor
  addUpdateMethod(method: unknown): ClientMonitor
}
type MonitorClass = (new (connection: unknown, scope?: Json) => ClientMonitor) & { UpdateMethod: { Socket: new () => unknown } }

let home: string
let node: TestNode
let other: Client
beforeAll(async () => {
  // They say on the console which version they are.
  const quiet = vi.spyOn(console, 'log').mockImplementation(() => {})
  ;(extendWithSockets as unknown as (library: typeof pryv) => void)(pryv)
  ;(extendWithMonitor as unknown as (library: typeof pryv) => void)(pryv)
  quiet.mockRestore()
  home = await mkdtemp(join(tmpdir(), 'coffer-test-'))
  await initialise(placesOf(home))
  node = await startTestNode({}, { home })
  await createAccount(serviceOf(node), 'alice')
  other = await logIn(serviceOf(node), 'alice')
  await other.api([{ method: 'streams.create', params: { id: 'diary', name: 'Diary' } }])
})
afterAll(async () => {
  await node.stop()
  await rm(home, { recursive: true, force: true })
})

const connected = async (): Promise<Client & { socket: ClientSocket }> =>
  (await logIn(serviceOf(node), 'alice')) as Client & { socket: ClientSocket }
const note = (content: string): Json => ({ streamIds: ['diary'], type: 'note/txt', content })
const create = async (content: string): Promise<string> => {
  const [result] = await other.api([{ method: 'events.create', params: note(content) }])
  return (result as { event: { id: string } }).event.id
}

describe('@pryv/socket.io', () => {
  it('connects, calls in batches, and hears changes', async () => {
    const connection = await connected()
    const socket = await connection.socket.open()
    const heard: string[] = []
    for (const message of ['eventsChanged', 'streamsChanged', 'accessesChanged']) socket.on(message, () => void heard.push(message))
    const steps: number[] = []
    connection.options.chunkSize = 2
    const results = await socket.api(
      [
        { method: 'events.create', params: note('by socket') },
        { method: 'streams.create', params: { id: 'work', name: 'Work' } },
        { method: 'events.get', params: { streams: ['diary'], limit: 1 } },
        { method: 'no.such', params: {} },
      ],
      (percent) => void steps.push(percent),
    )
    expect(results).toMatchObject([
      { event: { content: 'by socket' } },
      { stream: { id: 'work' } },
      { events: [{ content: 'by socket' }] },
      { error: { id: 'invalid-method' } },
    ])
    expect(steps.at(0)).toBe(50)
    await expect.poll(() => heard).toEqual(['eventsChanged', 'streamsChanged'])
    socket.close()
  })

  it('is told that its batch is none', async () => {
    const socket = await (await connected()).socket.open()
    await expect(socket.api([{ params: {} } as never])).rejects.toMatchObject({ error: { id: 'invalid-parameters-format' } })
    socket.close()
  })

  it('is told that its token is worth nothing', async () => {
    const connection = new pryv.Connection(`http://nonsense@127.0.0.1:${node.port}/alice/`) as unknown as { socket: ClientSocket }
    await expect(connection.socket.open()).rejects.toBeDefined()
  })

  it('hears that its session has ended', async () => {
    const login = await serviceOf(node).login('alice', PASSWORD, 'an app that leaves')
    const connection = login as unknown as Client & { socket: ClientSocket }
    const socket = await connection.socket.open()
    const ended = new Promise((resolve) => socket.on('disconnect', resolve))
    await connection.post('auth/logout', {})
    expect(await ended).toBe('io server disconnect')
  })
})

describe('@pryv/monitor', () => {
  let monitor: ClientMonitor
  let connection: Client & { socket: ClientSocket }
  let events: Map<string, unknown>
  let streams: string[]
  let errors: unknown[]

  async function follow(): Promise<void> {
    connection = await connected()
    events = new Map()
    streams = []
    errors = []
    const { Monitor } = pryv as unknown as { Monitor: MonitorClass }
    monitor = new Monitor(connection, { streams: ['diary'] })
    monitor.on('event', (event) => {
      const { id, content, trashed } = event as { id: string; content: string; trashed?: boolean }
      events.set(id, trashed === true ? `${content} (trashed)` : content)
    })
    monitor.on('eventDelete', (event) => void events.set((event as { id: string }).id, 'deleted'))
    monitor.on('streams', (list) => {
      streams = (list as { id: string }[]).map(({ id }) => id)
    })
    monitor.on('error', (error) => void errors.push(error))
    monitor.addUpdateMethod(new Monitor.UpdateMethod.Socket())
    await monitor.start()
    await expect.poll(() => connection.socket._io?.connected).toBe(true)
  }
  afterEach(() => {
    monitor.stop()
  })

  const seen = (id: string): (() => unknown) => () => events.get(id)
  const reconnected = (): Promise<void> =>
    expect.poll(() => connection.socket._io.connected, { timeout: 15_000, interval: 50 }).toBe(true)

  it('sees what others create, change, trash and delete', async () => {
    await follow()
    const id = await create('first')
    await expect.poll(seen(id)).toBe('first')
    await other.api([{ method: 'events.update', params: { id, update: { content: 'second' } } }])
    await expect.poll(seen(id)).toBe('second')
    await other.api([{ method: 'events.delete', params: { id } }])
    await expect.poll(seen(id)).toBe('second (trashed)')
    await other.api([{ method: 'events.delete', params: { id } }])
    await expect.poll(seen(id)).toBe('deleted')
    await request(`${node.url}alice/streams`, { token: other.token ?? '', body: { id: 'garden', name: 'Garden' } })
    await expect.poll(() => streams).toContain('garden')
    expect(errors).toEqual([])
  })

  it('keeps up with many changes at once', async () => {
    await follow()
    const ids = await Promise.all(Array.from({ length: 40 }, (_, i) => create(`many ${i}`)))
    await expect.poll(() => ids.every((id) => events.has(id)), { timeout: 5000 }).toBe(true)
    expect(errors).toEqual([])
  })

  /*
   * The client connects again by itself. It does not ask what happened meanwhile: that comes with the first change that
   * it is told of, since it asks for everything modified since it last asked.
   */
  it('comes back after its connection broke, and catches up with the next change', async () => {
    await follow()
    connection.socket._io.io.engine.close()
    await expect.poll(() => connection.socket._io.connected).toBe(false)
    const away = await create('while away')
    await reconnected()
    const id = await create('after')
    await expect.poll(seen(id)).toBe('after')
    expect(seen(away)()).toBe('while away')
    expect(errors).toEqual([])
  }, 30_000)

  it('comes back after the node was restarted', async () => {
    await follow()
    const { port } = node
    await node.stop()
    await expect.poll(() => connection.socket._io.connected).toBe(false)
    node = await startTestNode({ 'http.port': port }, { home })
    const away = await create('while restarted')
    await reconnected()
    const id = await create('after the restart')
    await expect.poll(seen(id)).toBe('after the restart')
    expect(seen(away)()).toBe('while restarted')
    expect(errors).toEqual([])
  }, 30_000)
})
