/** Delivery methods other than SMTP, timeouts, and diagnosis of failures. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/server/config/config.js'
import { diagnose } from '../../../src/server/mail/diagnosis.js'
import { limitConcurrency, QueueFull } from '../../../src/server/base/concurrency.js'
import { textOfHtml } from '../../../src/server/mail/htmlText.js'
import { createMailing, type Mailing } from '../../../src/server/mail/mailing.js'
import { smtpOptions } from '../../../src/server/mail/smtp.js'
import type { Mail } from '../../../src/server/mail/mailer.js'
import { homes } from '../../support/nodes/home.js'
import { readMail } from '../../support/services/mime.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { startSmtpSink, type Stage } from '../../support/services/smtp.js'

const welcome: Mail = { kind: 'welcome', to: 'ana@example.org', language: 'fr', substitutions: { USERNAME: 'ana', EMAIL: 'e' } }
const { folder } = homes()

async function withNode<T>(settings: Record<string, unknown>, work: (node: TestNode) => Promise<T>): Promise<T> {
  const node = await startTestNode(settings)
  try {
    return await work(node)
  } finally {
    await node.stop()
  }
}

describe('sendmail', () => {
  /** Creates a program that saves its arguments, environment and input. */
  async function program(ends: string): Promise<{ path: string; saved: (name: string) => Promise<string> }> {
    const at = await folder()
    const path = join(at, 'sendmail')
    await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$@" > ${at}/args\nenv > ${at}/env\ncat > ${at}/mail\n${ends}\n`)
    await chmod(path, 0o700)
    return { path, saved: (name) => readFile(join(at, name), 'utf8') }
  }
  const settings = (path: string): Record<string, unknown> => ({
    'services.email.smtp.sendmail': true,
    'services.email.smtp.path': path,
    'services.email.from.address': 'node@example.org',
  })

  it('receives the mail, the sender and one recipient', async () => {
    const { path, saved } = await program('exit 0')
    process.env['COFFER_TEST_SECRET'] = 'not for others'
    await withNode(settings(path), (node) => node.node.mail.send(welcome))
    delete process.env['COFFER_TEST_SECRET']
    expect(await saved('args')).toBe('-i\n-f\nnode@example.org\nana@example.org\n')
    const { subject, text } = readMail(await saved('mail'))
    expect([subject, text]).toEqual(['Bienvenue chez coffer', expect.stringContaining('Bonjour ana')])
    expect(await saved('env')).not.toContain('not for others')
  })

  it('fails the mail with a non-zero exit code, and its error output is logged', async () => {
    const { path } = await program('echo "queue is full" >&2; exit 75')
    await withNode(settings(path), async (node) => {
      await expect(node.node.mail.send(welcome)).rejects.toThrow('The mail could not be sent.')
      expect(node.logged.join()).toContain('queue is full')
    })
  })

  it('is terminated with the node when it hangs', async () => {
    const { path } = await program('exec sleep 60')
    const node = await startTestNode(settings(path))
    const sending = node.node.mail.send(welcome).catch((error: unknown) => String(error))
    await new Promise((resolve) => setTimeout(resolve, 700))
    await node.stop()
    expect(await sending).toContain('The mail could not be sent.')
  })
})

describe('a service over HTTP', () => {
  let server: Server
  let url: string
  let requests: { url: string; body: unknown }[] = []
  let answer: { status: number; headers?: Record<string, string> } = { status: 200 }
  beforeAll(async () => {
    server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        requests.push({ url: request.url ?? '', body: JSON.parse(body) })
        response.writeHead(answer.status, answer.headers).end('{"secret":"of the service"}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sendmail/`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  beforeEach(() => {
    requests = []
    answer = { status: 200 }
  })

  async function bodyOf(request: IncomingMessage): Promise<string> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(Buffer.from(piece as Buffer))
    return Buffer.concat(pieces).toString('utf8')
  }
  const settings = (method: string): Record<string, unknown> => ({
    'services.email.method': method,
    'services.email.url': url,
    'services.email.key': 'the key',
  })

  it('receives template, language and substitutions with the method microservice', async () => {
    await withNode(settings('microservice'), (node) => node.node.mail.send(welcome))
    const to = { email: 'ana@example.org', name: 'ana@example.org', type: 'to' }
    expect(requests).toEqual([
      { url: '/sendmail/welcome-email/fr', body: { key: 'the key', to, substitutions: { USERNAME: 'ana', EMAIL: 'e' } } },
    ])
  })

  it.each([['../../x'], ['en/../..'], ['en?x=1'], ['']])('is called at its configured address with any language: %j', async (language) => {
    await withNode(settings('microservice'), (node) => node.node.mail.send({ ...welcome, language }))
    expect(requests.map(({ url }) => url)).toEqual(['/sendmail/welcome-email/en'])
  })

  it('receives them in the format of mandrill', async () => {
    await withNode(settings('mandrill'), (node) => node.node.mail.send(welcome))
    expect(requests).toMatchObject([
      {
        url: '/sendmail/',
        body: {
          key: 'the key',
          template_name: 'welcome-email',
          message: {
            to: [{ email: 'ana@example.org', type: 'to' }],
            global_merge_vars: [{ name: 'USERNAME', content: 'ana' }, { name: 'EMAIL', content: 'e' }],
            tags: ['welcome-email'],
          },
        },
      },
    ])
  })

  it.each([[401, 'rejected the key'], [500, 'status 500'], [302, 'status 302']])('that answers %s fails the mail', async (status, cause) => {
    answer = { status, headers: { location: `${url}elsewhere` } }
    await withNode(settings('microservice'), async (node) => {
      await expect(node.node.mail.send(welcome)).rejects.toThrow('The mail could not be sent.')
      expect(node.logged.join()).toContain(cause)
      expect(node.logged.join()).not.toMatch(/the key"|of the service/)
    })
    expect(requests).toHaveLength(1)
  })

  it('without an address disables mail', async () => {
    await withNode({ 'services.email.method': 'microservice' }, (node) => {
      expect(node.node.mail.isOn('welcome')).toBe(false)
      return Promise.resolve()
    })
  })
})

describe('the time limit', () => {
  const mailingTo = (port: number, limitMs: number, logged: string[]): Mailing => {
    const stored = new Map<string, unknown>()
    const log = (message: string, fields?: Record<string, unknown>): void => void logged.push(message + JSON.stringify(fields))
    return createMailing({
      config: loadConfig({ flags: { 'services.email.smtp.host': '127.0.0.1', 'services.email.smtp.port': port } }),
      log: { debug: log, info: log, warn: log, error: log },
      records: {
        get: (family, id) => Promise.resolve(stored.get(`${family}/${id}`)),
        list: () => Promise.resolve([]),
        change(family, id, step) {
          const { put, result } = step(stored.get(`${family}/${id}`))
          if (put !== undefined) stored.set(`${family}/${id}`, put)
          return Promise.resolve(result)
        },
        claim: () => Promise.resolve(true),
        watch: () => () => {},
      },
      publicBase: () => 'http://127.0.0.1:3000',
      limitMs,
    })
  }

  it.each(['connect', 'from', 'to', 'data'] as Stage[])('aborts a mail whose server stops answering at %s', async (hangs) => {
    const sink = await startSmtpSink({ hangs })
    const logged: string[] = []
    const mailing = mailingTo(sink.port, 1500, logged)
    await expect(mailing.mailer.send(welcome)).rejects.toThrow('The mail could not be sent.')
    expect(logged.join()).toContain('did not finish in time')
    await mailing.stop()
    await sink.stop()
  })
})

describe('the mail settings', () => {
  const options = (flags: Record<string, unknown>): ReturnType<typeof smtpOptions> =>
    smtpOptions(loadConfig({ flags: { 'services.email.smtp.host': 'mail.example.org', ...flags } }))
  const login = { 'services.email.smtp.auth.user': 'u', 'services.email.smtp.auth.pass': 'p' }

  it('require encryption and a valid certificate to send a password to another machine', () => {
    expect(options(login)).toMatchObject({ requireTLS: true, secure: false, auth: { user: 'u', pass: 'p' } })
    expect(options(login).tls).toBeUndefined()
    expect(options({ ...login, 'services.email.smtp.host': '127.0.0.1.example.org' }).requireTLS).toBe(true)
    expect(options({})).toMatchObject({ requireTLS: false })
    for (const host of ['localhost', '127.0.0.1', '::1']) {
      expect(options({ ...login, 'services.email.smtp.host': host })).toMatchObject({
        requireTLS: false, tls: { rejectUnauthorized: false },
      })
    }
  })

  it.each([
    [{ code: 'ESOCKET', originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'not trusted', 'services.email.smtp.host'],
    [{ code: 'ESOCKET', originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'not trusted', 'services.email.smtp.host'],
    [{ code: 'ETIMEDOUT', timeoutType: 'CONNECT_TIMEOUT' }, 'firewall', 'services.email.smtp.port'],
    [{ code: 'ESOCKET', originalCode: 'ENETUNREACH' }, 'No route to', 'services.email.smtp.host'],
    [{ code: 'ETLS', command: 'STARTTLS' }, 'no working encryption', 'services.email.smtp.port'],
    [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 530, response: '530 5.7.0' }, 'requires a login', 'services.email.smtp.auth.user'],
    [{ code: 'ECONNECTION' }, 'closed the connection', 'services.email.smtp.port'],
  ])('are named in the diagnosis of %j', (fields, cause, setting) => {
    const config = loadConfig({ flags: { 'services.email.smtp.host': 'mail.example.org' } })
    const found = diagnose(Object.assign(new Error('x'), fields), config)
    expect([found.cause, found.setting]).toEqual([expect.stringContaining(cause), setting])
  })
})

describe('the text of an HTML page', () => {
  it.each([
    ['<p>a</p><p>b</p>', 'a\n\nb'],
    ['<p>a\n  b<br>c</p>', 'a b\nc'],
    ['<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    ['<p>See <a href="https://x.example/?a=1&amp;b=2">here</a>.</p>', 'See here:\nhttps://x.example/?a=1&b=2\n.'],
    ["<a class='x' href='https://x.example'>https://x.example</a>", 'https://x.example'],
    ['<head><title>t</title></head><style>p {}</style><script>x</script>a<!-- b -->', 'a'],
    ['&lt;b&gt; &amp;lt; &#65;&#x42; &nope; &#0; &#x110000;', '<b> &lt; AB &nope; &#0; &#x110000;'],
    ['a &lt;script&gt; b', 'a <script> b'],
  ])('%s', (html, text) => expect(textOfHtml(html)).toBe(text))

  it('is extracted in bounded time', () => {
    for (const piece of ['<a href="', '<', '<!--', '<style>', '<p', '&#', ' \n']) {
      expect(textOfHtml(piece.repeat(20_000)).length).toBeLessThan(200_000)
    }
  })
})

describe('limitConcurrency', () => {
  it('runs a limited number of tasks, queues more, and refuses tasks over the queue length', async () => {
    const gate = limitConcurrency(2, 1)
    const ends: (() => void)[] = []
    const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve))
    const all = [gate(work), gate(work), gate(work)]
    await expect(gate(work)).rejects.toThrow(QueueFull)
    expect(ends).toHaveLength(2)
    ends[0]?.()
    await all[0]
    await new Promise((resolve) => setImmediate(resolve))
    expect(ends).toHaveLength(3)
    for (const end of ends) end()
    await Promise.all(all)
    const failing = gate(() => Promise.reject(new Error('x')))
    await expect(failing).rejects.toThrow('x')
    await gate(() => Promise.resolve())
  })
})
