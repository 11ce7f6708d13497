/** Unchanged releases of the published client `@pryv/socket.io` with `pryv` (clients.md, "Websockets"). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialise } from '../../../src/server/launch/init.js'
import { placesOf, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { bodyOf, connect, createAccount, logIn, PASSWORD, releases, serviceOf, soon, type Client, type ClientSocket } from '../../support/http/pryvClient.js'

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
  await other.api([{ method: 'streams.create', params: { id: 'diary', name: 'Diary' } }])
})
afterAll(async () => {
  await node.stop()
  await rm(home, { recursive: true, force: true })
})

const note = (content: string): Json => ({ streamIds: ['diary'], type: 'note/txt', content })
const CHANGES = ['eventsChanged', 'streamsChanged', 'accessesChanged']

describe.each(releases)('socket of $name', (release) => {
  const suffix = release.isEarlier ? '-2' : '-3'
  const newConnection = (): Promise<Client> => logIn(serviceOf(node, release), 'alice')

  async function openSocket(): Promise<{ connection: Client; socket: ClientSocket; received: string[] }> {
    const connection = await newConnection()
    const socket = await connection.socket.open()
    const received: string[] = []
    for (const message of CHANGES) socket.on(message, () => void received.push(message))
    return { connection, socket, received }
  }

  it('connects, sends batches, and receives notifications', async () => {
    const { connection, socket, received } = await openSocket()
    const steps: number[] = []
    connection.options.chunkSize = 2
    const id = `work${suffix}`
    const results = await socket.api(
      [
        { method: 'events.create', params: note('by socket') },
        { method: 'streams.create', params: { id, name: id } },
        { method: 'events.get', params: { streams: ['diary'], limit: 1 } },
        { method: 'no.such', params: {} },
      ],
      (percent) => void steps.push(percent),
    )
    expect(results).toMatchObject([
      { event: { content: 'by socket' } },
      { stream: { id } },
      { events: [{ content: 'by socket' }] },
      { error: { id: 'invalid-method' } },
    ])
    // The last batch is empty.
    expect(steps).toEqual([50, 100, 100])
    await soon(() => received).toEqual(['eventsChanged', 'streamsChanged'])
    socket.close()
  })

  it('receives a notification for each kind of change by others', async () => {
    const { socket, received } = await openSocket()
    const id = `heard${suffix}`
    await other.api([{ method: 'streams.create', params: { id, name: id } }])
    await soon(() => received).toEqual(['streamsChanged'])
    await other.api([{ method: 'events.create', params: { ...note('for others'), streamIds: [id] } }])
    await soon(() => received).toEqual(['streamsChanged', 'eventsChanged'])
    await other.api([{ method: 'accesses.create', params: { name: id, permissions: [{ streamId: id, level: 'read' }] } }])
    await soon(() => received).toEqual(['streamsChanged', 'eventsChanged', 'accessesChanged'])
    socket.close()
  })

  it('sends more than 1,000 calls, and receives a large answer', async () => {
    const { socket } = await openSocket()
    const id = `many${suffix}`
    await other.api([{ method: 'streams.create', params: { id, name: id } }])
    const create = (at: number): { method: string; params: Json } => ({ method: 'events.create', params: { ...note(`é ${at}`.repeat(30)), streamIds: [id] } })
    const steps: number[] = []
    const made = await socket.api(Array.from({ length: 1200 }, (_, at) => create(at)), (percent) => void steps.push(percent))
    expect(made.filter((result) => result['event'] !== undefined)).toHaveLength(1200)
    expect(steps).toEqual([83, 100])
    const [read] = await socket.api([{ method: 'events.get', params: { streams: [id], limit: 2000 } }])
    expect(read?.['events']).toHaveLength(1200)
    socket.close()
  })

  it('uses a websocket, directly or after an upgrade from polling', async () => {
    const { socket } = await openSocket()
    await soon(() => socket._io.io.engine.transport.name).toBe('websocket')
    socket.close()
  })

  it('receives the failure of an invalid batch', async () => {
    const { socket } = await openSocket()
    await expect(socket.api([{ params: {} } as never])).rejects.toMatchObject({ error: { id: 'invalid-parameters-format' } })
    socket.close()
  })

  it('is refused with an unknown token and for an unknown account', async () => {
    const opening = (token: string, username: string): Promise<Json> =>
      bodyOf(connect(`http://${token}@127.0.0.1:${node.port}/${username}/`, release).socket.open() as unknown as Promise<Json>)
    // 2.x throws the HTTP answer, 3.x an error with its message.
    if (release.isEarlier) {
      expect(await opening('nonsense', 'alice')).toMatchObject({ error: { message: expect.stringContaining('Cannot find access from token.') as string } })
      await expect(connect(`${node.url}nobody-at-all/`, release).socket.open()).rejects.toMatchObject({ message: 'Not Found' })
    } else {
      await expect(opening('nonsense', 'alice')).rejects.toThrow('Cannot find access from token.')
      await expect(opening('nonsense', 'nobody-at-all')).rejects.toThrow('Unknown user')
    }
  })

  it('must be opened first, refuses unknown messages, and reports its disconnection', async () => {
    const connection = await newConnection()
    await expect(connection.socket.api([])).rejects.toThrow('Initialize socket.io')
    expect(() => { connection.socket.on('eventsChanged', () => {}) }).toThrow('Initialize socket.io')
    const socket = await connection.socket.open()
    expect(await connection.socket.open()).toBe(socket)
    expect(() => { socket.on('Bogus', () => {}) }).toThrow('Unkown event [Bogus]')
    const ended = new Promise((resolve) => { socket.on('disconnect', resolve) })
    socket.close()
    expect(await ended).toBe('io client disconnect')
  })

  it('is disconnected when its session ends', async () => {
    const connection = (await serviceOf(node, release).login('alice', PASSWORD, 'an app that leaves')) as unknown as Client
    const socket = await connection.socket.open()
    const ended = new Promise((resolve) => { socket.on('disconnect', resolve) })
    await connection.post('auth/logout', {})
    expect(await ended).toBe('io server disconnect')
  })

  it('reconnects after its connection broke', async () => {
    const { socket, received } = await openSocket()
    await soon(() => socket._io.io.engine.transport.name).toBe('websocket')
    socket._io.io.engine.close()
    await soon(() => socket._io.connected).toBe(false)
    await soon(() => socket._io.connected).toBe(true)
    expect(received).toEqual([])
    await other.api([{ method: 'events.create', params: note('after it broke') }])
    await soon(() => received).toContain('eventsChanged')
    expect(await socket.api([{ method: 'events.get', params: { streams: ['diary'], limit: 1 } }])).toMatchObject([
      { events: [{ content: 'after it broke' }] },
    ])
    socket.close()
  })

  it('reconnects after a restart of the node', async () => {
    const { socket, received } = await openSocket()
    await soon(() => socket._io.io.engine.transport.name).toBe('websocket')
    const { port } = node
    await node.stop()
    await soon(() => socket._io.connected).toBe(false)
    node = await startTestNode({ 'http.port': port }, { home })
    await soon(() => socket._io.connected).toBe(true)
    await other.api([{ method: 'events.create', params: note('after the restart') }])
    await soon(() => received).toContain('eventsChanged')
    socket.close()
  })
})
