/** The name server of a node, over UDP and TCP. */
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { connect } from 'node:net'
import { decode, encode, type DecodedPacket, type Packet } from 'dns-packet'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replyTo } from '../../../../src/server/platform/dns/reply.js'
import { createZone } from '../../../../src/server/platform/dns/zone.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { nameServer } from '../../../support/nodes/nameServer.js'
import { KEY } from '../../api/system/support.js'

const settings = {
  'auth.adminAccessKey': KEY,
  ...nameServer,
  'dns.tcpMaxConnections': 3,
  'dns.staticEntries': { www: { a: ['192.0.2.7'] } },
  'dns.records.root': { txt: Array.from({ length: 8 }, (_, i) => `${i}`.repeat(200)) },
}

let node: TestNode
let port = 0
let resolver: Resolver
beforeAll(async () => {
  node = await startTestNode(settings)
  port = node.namesPort ?? 0
  resolver = new Resolver({ timeout: 2000, tries: 2 })
  resolver.setServers([`127.0.0.1:${port}`])
  await makeAccount(node, 'ana-lovelace')
})
afterAll(() => node.stop())

const rcode = (packet: DecodedPacket): unknown => (packet as unknown as { rcode: string }).rcode
const question = (name: string, more: Partial<Packet> = {}, type: 'A' | 'TXT' = 'A'): Buffer => encode({ type: 'query', id: 4711, flags: 0x100, questions: [{ type, name }], ...more })

/** Sends a message over UDP; returns the reply, or undefined after 300 ms. */
function udp(bytes: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    const end = (answer?: Buffer): void => {
      clearTimeout(timer)
      socket.close(() => resolve(answer))
    }
    const timer = setTimeout(end, 300)
    socket.on('message', end)
    socket.send(bytes, port, '127.0.0.1')
  })
}

/** Sends bytes over a TCP connection; returns all replies. */
function tcp(bytes: Buffer): Promise<DecodedPacket[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(framesIn(Buffer.concat(chunks)).map((frame) => decode(frame))))
    socket.end(bytes)
  })
}

/** Returns the complete messages in received bytes. */
function framesIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = []
  let rest = bytes
  while (rest.length > 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
    found.push(rest.subarray(2, 2 + rest.readUInt16BE(0)))
    rest = rest.subarray(2 + rest.readUInt16BE(0))
  }
  return found
}
const framed = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])

describe('the names of the node', () => {
  it('resolve with the resolver of the system', async () => {
    expect(await resolver.resolve4('ana-lovelace.example.org')).toEqual(['203.0.113.5'])
    expect(await resolver.resolve4('reg.example.org')).toEqual(['203.0.113.5'])
    expect(await resolver.resolve4('www.example.org')).toEqual(['192.0.2.7'])
    expect(await resolver.resolveNs('example.org')).toEqual(['core.example.org'])
    expect(await resolver.resolveSoa('example.org')).toMatchObject({ nsname: 'core.example.org' })
    await expect(resolver.resolve4('nobody-here.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(resolver.resolve4('example.com')).rejects.toMatchObject({ code: 'EREFUSED' })
  })

  it('change immediately with accounts and with records set by the operator', async () => {
    await expect(resolver.resolve4('ben-hopper.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await makeAccount(node, 'ben-hopper')
    expect(await resolver.resolve4('ben-hopper.example.org')).toEqual(['203.0.113.5'])
    const { serial } = await resolver.resolveSoa('example.org')
    const set = await request(`${node.url}reg/records`, { token: KEY, body: { subdomain: 'cal', records: { a: ['192.0.2.30'] } } })
    expect(set.status).toBe(200)
    expect(await resolver.resolve4('cal.example.org')).toEqual(['192.0.2.30'])
    expect((await resolver.resolveSoa('example.org')).serial).toBeGreaterThan(serial)
    await request(`${node.url}reg/records/cal`, { method: 'DELETE', token: KEY })
    await expect(resolver.resolve4('cal.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })

  it('exist without data above a name with records, as long as it has records', async () => {
    const above = ['b-mail.example.org', 'in.b-mail.example.org']
    const codes = (): Promise<unknown[]> => Promise.all(above.map((name) => resolver.resolve4(name).catch((error: unknown) => (error as { code: string }).code)))
    expect(await codes()).toEqual(['ENOTFOUND', 'ENOTFOUND'])
    await request(`${node.url}reg/records`, { token: KEY, body: { subdomain: '_dmarc.in.b-mail', records: { txt: ['v=DMARC1'] } } })
    expect(await codes()).toEqual(['ENODATA', 'ENODATA'])
    await request(`${node.url}reg/records/_dmarc.in.b-mail`, { method: 'DELETE', token: KEY })
    expect(await codes()).toEqual(['ENOTFOUND', 'ENOTFOUND'])
  })

  it('are used in the service information', async () => {
    const { body } = await request(`${node.url}service/info`)
    expect(body).toMatchObject({ api: 'https://{username}.example.org/', register: 'https://reg.example.org/' })
    expect(node.node.publicBase()).toBe('https://core.example.org')
  })
})

describe('queries', () => {
  it('with long answers are truncated over UDP and answered completely over TCP', async () => {
    const cut = decode((await udp(question('example.org', {}, 'TXT'))) ?? Buffer.alloc(0))
    expect([cut.flag_tc, cut.answers]).toEqual([true, []])
    expect((await resolver.resolveTxt('example.org')).length).toBe(8)
    const [long] = await tcp(framed(question('example.org', {}, 'TXT')))
    expect([long?.flag_tc, long?.answers?.length]).toEqual([false, 8])
  })

  it('are answered in order over one connection', async () => {
    const answers = await tcp(Buffer.concat(['www', 'reg', 'nobody-here'].map((name) => framed(question(`${name}.example.org`)))))
    expect(answers.map((each) => [each.id, rcode(each)])).toEqual([[4711, 'NOERROR'], [4711, 'NOERROR'], [4711, 'NXDOMAIN']])
  })

  const opt = (more: object): Partial<Packet> => ({ additionals: [{ type: 'OPT', name: '.', udpPayloadSize: 4096, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [], ...more }] })
  it.each<[string, Buffer, string]>([
    ['with an unknown opcode', encode({ type: 'query', id: 4711, flags: 0x2000, questions: [{ type: 'A', name: 'www.example.org' }] }), 'NOTIMP'],
    ['without a name', encode({ type: 'query', id: 4711 }), 'FORMERR'],
    ['with two questions', question('www.example.org', { questions: [{ type: 'A', name: 'a.example.org' }, { type: 'A', name: 'b.example.org' }] }), 'FORMERR'],
    ['that are truncated', question('www.example.org').subarray(0, 20), 'FORMERR'],
    ['with a name that points to itself', Buffer.concat([Buffer.from([0x12, 0x67, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]), Buffer.from([0xc0, 12, 0, 1, 0, 1])]), 'FORMERR'],
    ['with EDNS', question('www.example.org', opt({})), 'NOERROR'],
  ])('%s are answered with a response code', async (_, bytes, code) => {
    const answer = decode((await udp(bytes)) ?? Buffer.alloc(0))
    expect([answer.id, answer.type, rcode(answer)]).toEqual([bytes.readUInt16BE(0), 'response', code])
  })

  it('with an unknown EDNS version are answered with the supported version', async () => {
    const answer = decode((await udp(question('www.example.org', opt({ ednsVersion: 3 })))) ?? Buffer.alloc(0))
    expect(answer.answers).toEqual([])
    expect(answer.additionals).toMatchObject([{ type: 'OPT', extendedRcode: 1, ednsVersion: 0 }])
  })

  it('that are too short, or responses, are ignored', async () => {
    expect(await udp(Buffer.from([1, 2, 3]))).toBeUndefined()
    expect(await udp(encode({ type: 'response', id: 1, questions: [{ type: 'A', name: 'www.example.org' }] }))).toBeUndefined()
    expect(await tcp(framed(Buffer.alloc(4000)))).toEqual([])
  })

  it('are all answered over a slowly read connection, without leaking listeners', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warned)
    try {
      const sent = 20_000
      const chunks: Buffer[] = []
      const socket = connect(port, '127.0.0.1')
      // Pauses between reads, so that the server fills the buffers and waits many times.
      socket.on('data', (chunk) => {
        chunks.push(chunk)
        socket.pause()
        setImmediate(() => socket.resume())
      })
      socket.pause()
      socket.write(Buffer.concat(Array.from({ length: sent }, () => framed(question('example.org', {}, 'TXT')))))
      setTimeout(() => socket.resume(), 200)
      await expect.poll(() => framesIn(Buffer.concat(chunks)).length, { timeout: 30_000 }).toBe(sent)
      socket.destroy()
      expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
    } finally {
      process.off('warning', warned)
    }
  })

  it('over too many connections do not block others', async () => {
    const held = Array.from({ length: 10 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    expect(await resolver.resolve4('www.example.org')).toEqual(['192.0.2.7'])
    for (const socket of held) socket.destroy()
    await expect.poll(async () => (await tcp(framed(question('www.example.org'))).catch(() => [])).length).toBe(1)
  })
})

it('arbitrary messages are answered in bounded length or ignored', async () => {
  const here = { a: ['192.0.2.1'] }
  const places = { here: () => here, service: () => here, core: () => undefined, account: () => Promise.resolve(here), nameServers: () => ['core'] }
  const zone = createZone({ domain: 'example.org', ttl: 1, root: {}, places, recordsOf: () => undefined, hasBelow: () => false, serial: () => 1 })
  const good = [...question('ana-lovelace.example.org')]
  const broken = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 }).map((edits) => {
    const bytes = [...good]
    for (const [at, byte] of edits) bytes[at] = byte
    return Uint8Array.from(bytes)
  })
  const label = fc.uint8Array({ minLength: 1, maxLength: 63, size: 'max' }).map((bytes) => [bytes.length, ...bytes])
  const named = fc.array(label, { maxLength: 6 }).map((labels) => Uint8Array.from([0x12, 0x67, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels.flat(), 0, 0, 1, 0, 1]))
  await fc.assert(
    fc.asyncProperty(fc.oneof(broken, named, fc.uint8Array({ maxLength: 600 })), async (bytes) => {
      const answer = await replyTo(zone, Buffer.from(bytes), 'udp')
      if (answer === undefined) return
      expect(answer.length).toBeLessThanOrEqual(1232)
      const reply = decode(answer)
      expect(reply).toMatchObject({ type: 'response', id: (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0) })
      if (reply.questions?.length === 1) expect(reply.questions).toEqual(decode(Buffer.from(bytes)).questions)
    }),
    { numRuns: 500 },
  )
})

it('a node does not start if the port of the name server is in use', async () => {
  await expect(startTestNode({ ...settings, 'dns.port': port })).rejects.toMatchObject({ name: 'NameServerProblem', code: 'EADDRINUSE' })
})
