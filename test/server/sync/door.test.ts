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

let home: Signer
let away: Signer
beforeAll(async () => {
  home = await newSigner()
  away = await newSigner()
})

const PAIRING = 'A'.repeat(22)
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

interface Here {
  url: string
  port: number
  door: SyncHandler
  sessions: { channel: Channel; pairing: string }[]
  logged: string[]
}

async function listening(options: Partial<SyncHandlerOptions> = {}): Promise<Here> {
  const sessions: Here['sessions'] = []
  const logged: string[] = []
  const door = createSyncHandler({
    signer: () => Promise.resolve(home),
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
    if (door.has(incoming.url ?? '')) door.upgrade(incoming, socket, head)
    else socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  ends.push(() => {
    door.stop()
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}/`, port, door, sessions, logged }
}

const call = (url: string, expected = home.node): Promise<Channel> => dial(url, { signer: away, timers: realTimers, expected, timeoutMs: 5000 })
const next = (channel: Channel): Promise<IteratorResult<Uint8Array>> => channel.messages[Symbol.asyncIterator]().next()
async function until(isSo: () => boolean): Promise<void> {
  for (let n = 0; n < 500 && !isSo(); n++) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(isSo()).toBe(true)
}

describe('a call to another node', () => {
  it('becomes a session, whose messages go both ways up to the longest', async () => {
    const { url, sessions } = await listening()
    const channel = await call(url)
    await channel.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    const long = Buffer.alloc(MAX_MESSAGE, 7)
    for (const message of [Buffer.from('x'), Buffer.alloc(0), long]) {
      await channel.send(message)
      expect(Buffer.compare((await next(channel)).value as Uint8Array, message)).toBe(0)
    }
    expect(sessions).toMatchObject([{ pairing: PAIRING, channel: { node: away.node } }])
    expect(channel.received).toBe(sessions[0]?.channel.sent)
    channel.close('enough')
    await until(() => sessions[0]?.channel.closeReason === 'enough')
  })

  it('makes a sender wait for a reader, at both ends', async () => {
    let release = (): void => {}
    const waiting = new Promise<void>((resolve) => {
      release = resolve
    })
    let read = 0
    const { url } = await listening({
      async onSession(channel) {
        await waiting
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
    ['another node', 'wrong-node', async () => (await listening()).url, 'x'],
    ['a server that is no node', 'not-a-node', async () => `${(await listening()).url}elsewhere/`, undefined],
    ['a port at which nothing listens', 'refused', async () => {
      const { port, url } = await listening()
      ends.splice(0).forEach((end) => end())
      await until(() => port > 0)
      return url
    }, undefined],
    ['a host that is not there', 'unknown-host', () => Promise.resolve('http://no-such-host.invalid/'), undefined],
    ['what does not speak TLS', 'tls', async () => (await listening()).url.replace('http:', 'https:'), undefined],
    ['an odd address', 'address', () => Promise.resolve('ftp://x/'), undefined],
    ['no address', 'address', () => Promise.resolve('here'), undefined],
  ])('to %s is refused: %s', async (_, reason, url, wrong) => {
    await expect(call(await url(), wrong === undefined ? undefined : away.node)).rejects.toMatchObject({ reason })
  })

  it('to what never answers ends', async () => {
    const open = new Set<Socket>()
    const server = createTcpServer((socket) => void open.add(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(() => {
      for (const socket of open) socket.destroy()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await expect(dial(url, { signer: away, timers: realTimers, timeoutMs: 100 })).rejects.toMatchObject({ reason: 'timeout' })
  })

  it('goes to /sync of any address', () => {
    expect(websocketUrl('https://user:pass@home.example/base/?a#b').href).toBe('wss://home.example/base/sync')
    expect(websocketUrl('http://[::1]:3000').href).toBe('ws://[::1]:3000/sync')
  })
})

describe('the door for other nodes', () => {
  const raw = (port: number): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/sync`)
      socket.on('open', () => resolve(socket))
      socket.on('error', reject)
      ends.push(() => socket.terminate())
    })
  const closed = (socket: WebSocket): Promise<void> => new Promise((resolve) => void socket.on('close', () => resolve()))

  it.each([['garbage', Buffer.from('garbage')], ['an empty frame', Buffer.alloc(0)], ['text', 'text']])('ends at %s', async (_, frame) => {
    const { port } = await listening()
    const socket = await raw(port)
    const end = closed(socket)
    socket.send(frame)
    await end
  })

  it('ends a caller who says nothing, or not what it calls for', async () => {
    const timers = manualTimers()
    const { port, url } = await listening({ timers })
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
    const idle = await call((await listening({ timers: counting })).url)
    // The first is for the handshake, the second for its purpose.
    await until(() => tens.length === 2)
    later.pass(10_000)
    expect((await next(idle)).done).toBe(true)
    expect(idle.closeReason).toBe('timeout')
  })

  it('takes little from whoever has not shown itself', async () => {
    const { port } = await listening()
    const socket = connect(port, '127.0.0.1')
    ends.push(() => socket.destroy())
    socket.on('error', () => {})
    const key = 'dGhlIHNhbXBsZSBub25jZQ=='
    socket.write(`GET /sync HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    // One message of a mebibyte, which is within the limit of messages.
    socket.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]))
    socket.write(Buffer.alloc(16 * 1024 * 1024))
    await new Promise((resolve) => setTimeout(resolve, 200))
    // The rest waits in the buffers of the system, and of the sender.
    expect(socket.writableLength).toBeGreaterThan(4 * 1024 * 1024)
  })

  it('refuses a message over the limit before it has come', async () => {
    const { port } = await listening()
    const socket = await raw(port)
    const end = closed(socket)
    socket.on('error', () => {})
    socket.send(Buffer.alloc(MAX_MESSAGE + 100))
    await end
  })

  it('has few places for those who have not said who they are, and gives them back', async () => {
    const { port, url } = await listening({ limits: { unknownOfAddress: 2 } })
    const first = await raw(port)
    await raw(port)
    await expect(call(url)).rejects.toMatchObject({ reason: 'busy' })
    first.terminate()
    let channel: Channel | undefined
    for (let n = 0; n < 100 && channel === undefined; n++) {
      channel = await call(url).catch(() => undefined)
      if (channel === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    // A session does not count as unknown.
    await channel?.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    await channel?.send(Buffer.from('x'))
    expect(channel === undefined ? undefined : (await next(channel)).done).toBe(false)
    await call(url)
  })

  it('has a number of places for those of a node', async () => {
    const { url } = await listening({ limits: { knownOfNode: 1 } })
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

  it('ends a connection whose other end is silent for ninety seconds', async () => {
    const timers = manualTimers()
    const { url, sessions, logged } = await listening({ timers })
    const channel = await call(url)
    await channel.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    await until(() => sessions.length === 1)
    // It answers pings: an hour later it is still there.
    for (let n = 0; n < 5; n++) {
      timers.pass(30_000)
      await channel.send(Buffer.from('x'))
      await next(channel)
    }
    for (let n = 0; n < 3; n++) timers.pass(30_000)
    await until(() => logged.some((line) => line.includes('"closed"')))
  })

  it('ends all connections when it stops, and takes no more', async () => {
    const { url, door } = await listening()
    const channel = await call(url)
    await channel.send(purposeMessage({ is: 'session', pairing: PAIRING }))
    door.stop()
    await expect(next(channel)).rejects.toMatchObject({ reason: 'closed' })
    await expect(call(url)).rejects.toMatchObject({ reason: 'busy' })
  })
})

describe('a node', () => {
  it('answers a plain request for /sync as one for a resource that is not there', async () => {
    const node = await startTestNode()
    try {
      expect(await request(`${node.url}sync`)).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    } finally {
      await node.stop()
    }
  })
})
