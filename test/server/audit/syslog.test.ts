/** Syslog output of audit records: docs/interface/audit.md#calls, docs/interface/audit.md#settings. */
import { createSocket } from 'node:dgram'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/server/config/config.js'
import { fillTemplate, isSyslogTemplate, syslogMessage } from '../../../src/server/audit/syslogLine.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Sink {
  url: string
  /** Messages received so far. */
  lines: string[]
  /** Waits for a line that contains a text; returns the line. */
  saw(text: string): Promise<string>
}

function sinkOf(url: string, lines: string[]): Sink {
  return {
    url,
    lines,
    async saw(text) {
      await expect.poll(() => lines.find((line) => line.includes(text)), { timeout: 5000 }).toBeDefined()
      return lines.find((line) => line.includes(text)) ?? ''
    },
  }
}

async function udpSink(): Promise<Sink> {
  const lines: string[] = []
  const socket = createSocket('udp4', (message) => void lines.push(message.toString()))
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  closing.push(() => socket.close())
  return sinkOf(`udp://127.0.0.1:${socket.address().port}`, lines)
}

/** Receives messages framed by octet counting. */
async function tcpSink(): Promise<Sink> {
  const lines: string[] = []
  const server = createServer((socket) => {
    let buffered = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      buffered = Buffer.concat([buffered, chunk])
      for (;;) {
        const [, count] = /^(\d+) /.exec(buffered.toString('latin1')) ?? []
        if (count === undefined || buffered.length < count.length + 1 + Number(count)) return
        const from = count.length + 1
        lines.push(buffered.subarray(from, from + Number(count)).toString())
        buffered = buffered.subarray(from + Number(count))
      }
    })
    closing.push(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return sinkOf(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, lines)
}

async function nodeWith(settings: Record<string, unknown>): Promise<TestNode> {
  const node = await startTestNode(settings, { clock: fakeClock() })
  closing.push(() => node.stop())
  return node
}

const active = (sink: Sink): Record<string, unknown> => ({ 'audit.syslog.active': true, 'audit.syslog.url': sink.url })

describe.each([
  ['UDP', udpSink],
  ['TCP', tcpSink],
])('syslog over %s', (_, open) => {
  it('receives a message for each call: an RFC 5424 header, then the template', async () => {
    const sink = await open()
    const node = await nodeWith(active(sink))
    const token = await registerUser(node, 'alice')
    const { headers } = await request(`${node.url}alice/streams?state=all&auth=${token}`)
    const access = headers.get('svc-access-id') ?? ''
    const line = await sink.saw('streams.get')
    expect(line).toMatch(/^<110>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ coffer \d+ call - /)
    expect(line).toContain(`call - alice ${access} streams.get http 127.0.0.1 {"state":"all"}`)
    expect(sink.lines.join('\n')).not.toContain(token)
  })

  it('receives failed calls as warnings with failure id and message', async () => {
    const sink = await open()
    const node = await nodeWith(active(sink))
    await registerUser(node, 'alice')
    await request(`${node.url}alice/events`, { token: 'nobody' })
    const line = await sink.saw('events.get')
    expect(line).toMatch(/^<108>1 /)
    expect(line).toContain('alice invalid events.get http 127.0.0.1 {} invalid-access-token "Cannot find access from token."')
  })
})

describe('the syslog output', () => {
  it('includes registrations, which are in no account', async () => {
    const sink = await udpSink()
    const node = await nodeWith(active(sink))
    const token = await registerUser(node, 'alice')
    expect(await sink.saw('auth.register')).toContain('call - - public auth.register http 127.0.0.1')
    const refused = await request(`${node.url}users`, { body: { username: 'x' } })
    expect(refused.status).toBe(400)
    await sink.saw('auth.register http 127.0.0.1 {} invalid-parameters-format')
    const { body } = await request(`${node.url}alice/events?streams=[":_audit:"]`, { token })
    expect(JSON.stringify(body)).not.toContain('auth.register')
  })

  it('includes logins under the pseudo access id', async () => {
    const sink = await udpSink()
    const node = await nodeWith({ ...active(sink), 'auth.trustedApps': '*@*' })
    await registerUser(node, 'alice')
    await request(`${node.url}alice/auth/login`, { body: { username: 'alice', password: 'correct horse', appId: 'some-app' } })
    expect(await sink.saw('auth.login')).toContain('alice valid-password auth.login')
    expect(sink.lines.join('\n')).not.toContain('correct horse')
  })

  it('excludes service info, roots, and checks before a registration', async () => {
    const sink = await udpSink()
    const node = await nodeWith(active(sink))
    const token = await registerUser(node, 'alice')
    for (const path of ['', 'service/info', 'alice/service/info', 'alice/', 'reg/alice/check_username', 'apps']) {
      await request(`${node.url}${path}`, { token })
    }
    await request(`${node.url}alice/access-info`, { token })
    await sink.saw('getAccessInfo')
    expect(sink.lines.map((line) => line.split(' ')[9])).toEqual(['auth.register', 'getAccessInfo'])
  })

  it('has a filter of its own', async () => {
    const sink = await udpSink()
    const node = await nodeWith({
      ...active(sink),
      'audit.syslog.filter.methods.include': ['events.all', 'getAccessInfo'],
      'audit.syslog.filter.methods.exclude': ['events.create'],
      'audit.storage.filter.methods.exclude': ['events.get'],
    })
    const token = await registerUser(node, 'alice')
    await request(`${node.url}alice/streams`, { token, body: { id: 'home', name: 'home' } })
    await request(`${node.url}alice/events`, { token, body: { streamIds: ['home'], type: 'note/txt', content: 'x' } })
    await request(`${node.url}alice/events`, { token })
    await request(`${node.url}alice/access-info`, { token })
    await sink.saw('getAccessInfo')
    expect(sink.lines.map((line) => line.split(' ')[9])).toEqual(['events.get', 'getAccessInfo'])
    const { body } = await request(`${node.url}alice/events?streams=[":_audit:"]&limit=50`, { token })
    const actions = (body['events'] as { content: { action: string } }[]).map(({ content }) => content.action)
    expect(actions.sort()).toEqual(['events.create', 'getAccessInfo', 'streams.create'])
  })

  it('is empty while the output or the audit is disabled', async () => {
    const sink = await udpSink()
    for (const settings of [{ 'audit.syslog.url': sink.url }, { ...active(sink), 'audit.active': false }]) {
      const node = await nodeWith(settings)
      const token = await registerUser(node, 'alice')
      await request(`${node.url}alice/events`, { token })
    }
    expect(sink.lines).toEqual([])
  })

  it('uses the configured templates', async () => {
    const sink = await udpSink()
    const node = await nodeWith({
      ...active(sink),
      'audit.syslog.templates.success': 'ok {{ method }} found={{count}} by={{callerId}} wrote={{record}}',
      'audit.syslog.templates.failure': 'no {{method}} {{error}}',
    })
    const token = await registerUser(node, 'alice')
    await request(`${node.url}alice/events`, { token: `${token} some\u00e9 caller` })
    await request(`${node.url}alice/events/unknown`, { token })
    expect(await sink.saw('ok events.get')).toMatch(/ - ok events\.get found=\d+ by=some.* caller wrote=-$/)
    expect(await sink.saw('no events.getOne')).toMatch(/ - no events\.getOne unknown-resource$/)
  })
})

it('calls are not delayed by an unreachable syslog server, and dropped records are logged once', async () => {
  const node = await nodeWith({ 'audit.syslog.active': true, 'audit.syslog.url': 'tcp://127.0.0.1:9' })
  const token = await registerUser(node, 'alice')
  for (let i = 0; i < 5; i++) expect((await request(`${node.url}alice/events`, { token })).status).toBe(200)
  await expect.poll(() => node.logged.filter((line) => line.includes('audit records dropped'))).toHaveLength(1)
})

describe('a syslog line', () => {
  it('escapes control characters sent by clients', () => {
    const values = { username: 'a', message: 'x\n<110>1 forged\u0000\u2028\u009b"', query: { 'a\nb': 'c\rd' } }
    expect(fillTemplate('{{username}} {{message}} {{query}} {{error}}', values)).toBe(
      'a x\\n<110>1 forged\\u0000\\u2028\\u009b\\" {"a\\nb":"c\\rd"} -',
    )
  })

  it('does not expand fields in inserted values', () => {
    expect(fillTemplate('{{message}}', { message: '{{username}}', username: 'a' })).toBe('{{username}}')
  })

  it('is truncated to 8192 bytes at a character boundary', () => {
    const message = syslogMessage({ time: 0, host: 'h', pid: 1 }, 'success', 'é'.repeat(9000))
    expect(message.length).toBeLessThanOrEqual(8192)
    expect(message.toString('utf8')).not.toContain('\ufffd')
    expect(message.toString('utf8').startsWith('<110>1 1970-01-01T00:00:00.000Z h coffer 1 call - é')).toBe(true)
  })

  it.each([
    ['{{method}} {{ ip }}', true],
    ['nothing at all', true],
    ['{{colour}}', false],
    ['two\nlines', false],
  ])('accepts the template %j: %s', (template, is) => expect(isSyslogTemplate(template)).toBe(is))
})

it.each([
  ['audit.syslog.url', 'http://127.0.0.1'],
  ['audit.syslog.url', 'udp://'],
  ['audit.syslog.url', 'udp://user@host:514'],
  ['audit.syslog.templates.success', '{{colour}}'],
  ['audit.syslog.filter.methods.include', ['events.fly']],
])('refuses the setting %s = %j', (key, value) => {
  expect(() => loadConfig({ flags: { [key]: value } })).toThrow(key)
})
