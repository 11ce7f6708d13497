/** Tests of announcing and searching over multicast on the loopback interface, also between two processes. */
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { encode } from 'dns-packet'
import { Secret } from '../../../src/store/model/secret.js'
import { announce } from '../../../src/sync/nearby/announce.js'
import { announcementPacket } from '../../../src/sync/nearby/announcement.js'
import { MulticastUnavailable, openMulticast, ownAddresses } from '../../../src/sync/nearby/multicast.js'
import { MAX_TRIED, searchLink, type SearchResult } from '../../../src/sync/nearby/search.js'

const LINK = `coffer:pair/${'x'.repeat(68)}@http://127.0.0.1:3000/`
const code = new Secret('7KQM-2XWD')
const wrong = new Secret('0000-0000')
const interfaces = ['127.0.0.1']

/** A port of its own for each test, so that other programs of the machine and other tests stay out. */
const freePort = async (): Promise<number> => {
  const socket = createSocket('udp4')
  socket.bind(0)
  await once(socket, 'listening')
  const { port } = socket.address()
  await new Promise<void>((closed) => socket.close(closed))
  return port
}

const search = (port: number, sought: Secret<string>, milliseconds: number, signal = new AbortController().signal): Promise<SearchResult> =>
  searchLink({ code: sought, milliseconds, signal, interfaces, port })

/** Checks whether a packet that this process sends to the group on the loopback interface arrives. */
async function hasMulticast(): Promise<boolean> {
  const port = await freePort()
  let arrive = (): void => undefined
  const arrived = new Promise<boolean>((resolve) => {
    arrive = () => resolve(true)
    setTimeout(resolve, 2000, false)
  })
  try {
    const multicast = await openMulticast({ interfaces, port })
    multicast.listen(() => arrive())
    await multicast.send({ type: 'query', questions: [] })
    return await arrived.finally(() => multicast.close())
  } catch {
    return false
  }
}

const isPossible = await hasMulticast()

describe.skipIf(!isPossible)(`an announcement${isPossible ? '' : ': this machine has no multicast on its loopback interface'}`, () => {
  it('of another process is found and opened by its code', async () => {
    const port = await freePort()
    const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('announcingProcess.ts', import.meta.url)), LINK, code.reveal(), String(port)], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    expect(await search(port, code, 30_000)).toEqual({ link: LINK, sender: '127.0.0.1' })
    expect(await search(port, wrong, 4000)).toEqual({ link: undefined, tried: 1 })
    child.stdin.end()
    await once(child, 'exit')
    expect(await search(port, code, 1500)).toEqual({ link: undefined, tried: 0 })
  })

  it('ends with its offer', async () => {
    const port = await freePort()
    const announcing = await announce({ link: LINK, code, nodePort: 3000, seconds: 0.2, interfaces, port })
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(await search(port, code, 1500)).toEqual({ link: undefined, tried: 0 })
    await announcing.end()
  })

  it('is searched among few others, and not in packets that are too large or malformed', async () => {
    const port = await freePort()
    const found = search(port, code, 3000)
    const multicast = await openMulticast({ interfaces, port })
    const raw = createSocket('udp4')
    onTestFinished(async () => {
      raw.close()
      await multicast.close()
    })
    for (let n = 0; n < MAX_TRIED + 5; n++) {
      const instance = n.toString(16).padStart(16, '0')
      await multicast.send(announcementPacket({ instance, salt: Buffer.alloc(16, n), sealed: Buffer.alloc(100, n) }, 3000, 120))
    }
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(7, 255), Buffer.alloc(1400, 255), Buffer.concat([encode({ type: 'response', answers: [] }), Buffer.alloc(8000)])]) {
      await new Promise((sent) => raw.send(bytes, port, '127.0.0.1', sent))
    }
    expect(await found).toEqual({ link: undefined, tried: MAX_TRIED })
  })

  it('is no longer searched after a cancellation', async () => {
    const stop = new AbortController()
    const found = search(await freePort(), code, 60_000, stop.signal)
    stop.abort()
    expect(await found).toEqual({ link: undefined, tried: 0 })
  })
})

describe('a machine without multicast', () => {
  it('is reported', async () => {
    await expect(openMulticast({ interfaces: [] })).rejects.toThrow('no network interface with an IPv4 address')
    // An address of documentation (RFC 5737), which is on no interface.
    await expect(announce({ link: LINK, code, nodePort: 3000, seconds: 1, interfaces: ['203.0.113.9'], port: await freePort() })).rejects.toThrow(MulticastUnavailable)
    await expect(searchLink({ code, milliseconds: 1, signal: new AbortController().signal, interfaces: ['203.0.113.9'], port: await freePort() })).rejects.toThrow('No network interface of this machine has multicast')
  })

  it('has the loopback address alone', () => expect(ownAddresses({ loopback: true })).toContain('127.0.0.1'))
})
