import { createServer, type Server } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createSyncHandler, type SyncHandlerOptions, type SyncHandler } from '../../../src/server/sync/syncHandler.js'
import { dial, websocketUrl } from '../../../src/server/sync/dial.js'
import { MAX_MESSAGE, type Channel } from '../../../src/sync/channel/channel.js'
import { purposeMessage } from '../../../src/sync/channel/purpose.js'
import type { Signer } from '../../../src/sync/channel/signer.js'
import { request, startTestNode } from '../../support/nodes/node.js'
import { manualTimers, newSigner, realTimers } from '../../support/sync/signers.js'

let local: Signer
let remote: Signer
beforeAll(async () => {
  local = await newSigner()
  remote = await newSigner()
})

const PAIRING = 'A'.repeat(22)
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

interface Listener {
  url: string
  port: number
  handler: SyncHandler
  sessions: { channel: Channel; pairing: string }[]
  logged: string[]
}

async function listen(options: Partial<SyncHandlerOptions> = {}): Promise<Listener> {
  const sessions: Listener['sessions'] = []
  const logged: string[] = []
  const handler = createSyncHandler({
    signer: () => Promise.resolve(local),
    timers: realTimers,
    addressOf: ({ socket }) => socket.remoteAddress ?? '',
    onPair: () => Promise.resolve(),
    async onSession(channel, pairing) {
      sessions.push({ channel, pairing })
      for await (const message of channel.messages) await channel.send(message)
    },
    log: { debug: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`), warn: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`) },
    ...options,
  })
  const server: Server = createServer((_, response) => response.writeHead(404).end())
  server.on('upgrade', (incoming, socket, head) => {
    socket.on('error', () => {})
    if (handler.has(incoming.url ?? '')) handler.upgrade(incoming, socket, head)
    else socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  ends.push(() => {
    handler.stop()
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}/`, port, handler, sessions, logged }
}

const call = (url: string, expected = local.node): Promise<Channel> => dial(url, { signer: remote, timers: realTimers, expected, timeoutMs: 5000 })
const next = (channel: Channel): Promise<IteratorResult<Uint8Array>> => channel.messages[Symbol.asyncIterator]().next()
async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 500 && !holds(); n++) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(holds()).toBe(true)
}

describe('a connection to another node', () => {
  it('becomes a session with messages of up to the maximum length in both directions', async () => {
    const { url, sessions } = await listen()
    const channel = await call(url)
    await channel.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    const long = Buffer.alloc(MAX_MESSAGE, 7)
    for (const message of [Buffer.from('x'), Buffer.alloc(0), long]) {
      await channel.send(message)
      expect(Buffer.compare((await next(channel)).value as Uint8Array, message)).toBe(0)
    }
    expect(sessions).toMatchObject([{ pairing: PAIRING, channel: { node: remote.node } }])
    expect(channel.received).toBe(sessions[0]?.channel.sent)
    channel.close('enough')
    await until(() => sessions[0]?.channel.closeReason === 'enough')
  })

  it('applies backpressure from the reader to the sender', async () => {
    let release = (): void => {}
    const blocked = new Promise<void>((resolve) => {
      release = resolve
    })
    let read = 0
    const { url } = await listen({
      async onSession(channel) {
        await blocked
        for await (const _ of channel.messages) read += 1
      },
    })
    const channel = await call(url)
    await channel.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    let sent = 0
    const sending = (async () => {
      for (; sent < 32; sent++) await channel.send(new Uint8Array(MAX_MESSAGE))
    })()
    let before = -1
    while (before !== sent) {
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    expect(sent).toBeLessThan(24)
    release()
    await sending
    channel.close()
    await until(() => read === 32)
  })

  it.each([
    ['another node', 'wrong-node', async () => (await listen()).url, 'x'],
    ['a server that is not a node', 'not-a-node', async () => `${(await listen()).url}elsewhere/`, undefined],
    ['a port without a listener', 'refused', async () => {
      const { port, url } = await listen()
      ends.splice(0).forEach((end) => end())
      await until(() => port > 0)
      return url
    }, undefined],
    ['an unknown host', 'unknown-host', () => Promise.resolve('http://no-such-host.invalid/'), undefined],
    ['a server without TLS', 'tls', async () => (await listen()).url.replace('http:', 'https:'), undefined],
    ['an address of another scheme', 'address', () => Promise.resolve('ftp://x/'), undefined],
    ['an invalid address', 'address', () => Promise.resolve('here'), undefined],
  ])('to %s fails: %s', async (_, reason, url, wrong) => {
    await expect(call(await url(), wrong === undefined ? undefined : remote.node)).rejects.toMatchObject({ reason })
  })

  it('to a server that does not answer times out', async () => {
    const open = new Set<Socket>()
    const server = createTcpServer((socket) => void open.add(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(() => {
      for (const socket of open) socket.destroy()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await expect(dial(url, { signer: remote, timers: realTimers, timeoutMs: 100 })).rejects.toMatchObject({ reason: 'timeout' })
  })

  it('uses the path /sync of an address', () => {
    expect(websocketUrl('https://user:pass@home.example/base/?a#b').href).toBe('wss://home.example/base/sync')
    expect(websocketUrl('http://[::1]:3000').href).toBe('ws://[::1]:3000/sync')
  })
})

describe('the sync handler', () => {
  const raw = (port: number): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/sync`)
      socket.on('open', () => resolve(socket))
      socket.on('error', reject)
      ends.push(() => socket.terminate())
    })
  const closed = (socket: WebSocket): Promise<void> => new Promise((resolve) => void socket.on('close', () => resolve()))

  it.each([['garbage', Buffer.from('garbage')], ['an empty frame', Buffer.alloc(0)], ['text', 'text']])('closes the connection after %s', async (_, frame) => {
    const { port } = await listen()
    const socket = await raw(port)
    const end = closed(socket)
    socket.send(frame)
    await end
  })

  it('closes connections without a handshake or with an unknown or missing purpose', async () => {
    const timers = manualTimers()
    const { port, url } = await listen({ timers })
    const silent = await raw(port)
    await until(() => timers.waiting > 1)
    const end = closed(silent)
    timers.pass(10_000)
    await end
    const channel = await call(url)
    await channel.send(Buffer.from('give me everything'))
    expect((await next(channel)).done).toBe(true)
    expect(channel.closeReason).toBe('unknown purpose')
    const later = manualTimers()
    const tens: number[] = []
    const counting = { after: (ms: number, run: () => void) => (ms === 10_000 && tens.push(ms), later.after(ms, run)) }
    const idle = await call((await listen({ timers: counting })).url)
    // One timer for the handshake, one for the purpose.
    await until(() => tens.length === 2)
    later.pass(10_000)
    expect((await next(idle)).done).toBe(true)
    expect(idle.closeReason).toBe('timeout')
  })

  it('reads a bounded amount before authentication', async () => {
    const { port } = await listen()
    const socket = connect(port, '127.0.0.1')
    ends.push(() => socket.destroy())
    socket.on('error', () => {})
    const key = 'dGhlIHNhbXBsZSBub25jZQ=='
    socket.write(`GET /sync HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    // A message of 1 MiB, within the message limit.
    socket.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]))
    socket.write(Buffer.alloc(16 * 1024 * 1024))
    await new Promise((resolve) => setTimeout(resolve, 200))
    // The rest remains in the buffers of the system and the sender.
    expect(socket.writableLength).toBeGreaterThan(4 * 1024 * 1024)
  })

  it('refuses a message over the limit by its header', async () => {
    const { port } = await listen()
    const socket = await raw(port)
    const end = closed(socket)
    socket.on('error', () => {})
    socket.send(Buffer.alloc(MAX_MESSAGE + 100))
    await end
  })

  it('limits unauthenticated connections for each address', async () => {
    const { port, url } = await listen({ limits: { unknownOfAddress: 2 } })
    const first = await raw(port)
    await raw(port)
    await expect(call(url)).rejects.toMatchObject({ reason: 'busy' })
    first.terminate()
    let channel: Channel | undefined
    for (let n = 0; n < 100 && channel === undefined; n++) {
      channel = await call(url).catch(() => undefined)
      if (channel === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    // Authenticated sessions do not count.
    await channel?.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    await channel?.send(Buffer.from('x'))
    expect(channel === undefined ? undefined : (await next(channel)).done).toBe(false)
    await call(url)
  })

  it('limits sessions for each node', async () => {
    const { url } = await listen({ limits: { knownOfNode: 1 } })
    const start = async (): Promise<Channel> => {
      const channel = await call(url)
      await channel.send(purposeMessage({ is: 'session', pairing: PAIRING }))
      await channel.send(Buffer.from('x'))
      return channel
    }
    const first = await start()
    expect((await next(first)).done).toBe(false)
    const second = await start()
    expect((await next(second)).done).toBe(true)
    expect(second.closeReason).toBe('busy')
    first.close()
    await until(() => first.closeReason === undefined)
  })

  it('closes a connection without answers to pings for 90 seconds', async () => {
    const timers = manualTimers()
    const { url, sessions, logged } = await listen({ timers })
    const channel = await call(url)
    await channel.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    await until(() => sessions.length === 1)
    // The connection remains open while pings are answered.
    for (let n = 0; n < 5; n++) {
      timers.pass(30_000)
      await channel.send(Buffer.from('x'))
      await next(channel)
    }
    for (let n = 0; n < 3; n++) timers.pass(30_000)
    await until(() => logged.some((line) => line.includes('"closed"')))
  })

  it('closes all connections when it stops, and refuses others', async () => {
    const { url, handler } = await listen()
    const channel = await call(url)
    await channel.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    handler.stop()
    await expect(next(channel)).rejects.toMatchObject({ reason: 'closed' })
    await expect(call(url)).rejects.toMatchObject({ reason: 'busy' })
  })
})

describe('a node', () => {
  it('answers 404 to a plain request for /sync', async () => {
    const node = await startTestNode()
    try {
      expect(await request(`${node.url}sync`)).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    } finally {
      await node.stop()
    }
  })
})
