/** Mails of a node as received by an SMTP server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/store/model/failure.js'
import type { Mail } from '../../../src/server/mail/mailer.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { startSmtpSink, type SinkOptions, type SmtpSink } from '../../support/services/smtp.js'

const welcome = (mail: Partial<Mail> = {}): Mail => ({
  kind: 'welcome',
  to: 'ana@example.org',
  substitutions: { USERNAME: 'ana-lovelace', EMAIL: 'ana@example.org' },
  ...mail,
})

async function withSink<T>(
  options: SinkOptions,
  settings: Record<string, unknown>,
  work: (node: TestNode, sink: SmtpSink) => Promise<T>,
): Promise<T> {
  const sink = await startSmtpSink(options)
  const node = await startTestNode({ ...sink.settings, ...settings })
  try {
    return await work(node, sink)
  } finally {
    await node.stop()
    await sink.stop()
  }
}

/** Sends a mail that must fail; returns the log lines of the failure. */
async function failureLog(node: TestNode, mail: Mail = welcome()): Promise<string> {
  const error: unknown = await node.node.mail.send(mail).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Failure)
  expect(JSON.parse(JSON.stringify(error))).toEqual({ id: 'unexpected-error', message: 'The mail could not be sent.' })
  return node.logged.filter((line) => line.includes('failed to send mail')).join('\n')
}

describe('a mail', () => {
  let sink: SmtpSink
  let node: TestNode
  beforeAll(async () => {
    sink = await startSmtpSink()
    node = await startTestNode({
      ...sink.settings,
      'service.name': 'Ana & Söhne',
      'services.email.from.address': 'node@example.org',
    })
  })
  afterAll(async () => {
    await node.stop()
    await sink.stop()
  })
  const send = (mail: Partial<Mail>): Promise<void> => node.node.mail.send(welcome(mail))

  it('has HTML, the same as text, a subject and the configured sender', async () => {
    await send({})
    const mail = await sink.mailTo('ana@example.org')
    expect(mail.subject).toBe('Welcome to Ana & Söhne')
    expect(mail.text).toContain('Your account at Ana & Söhne is ready. Your user name is ana-lovelace.')
    expect(mail.html).toContain('<p>Hello ana-lovelace,</p>')
    expect(mail.from).toBe('node@example.org')
    expect(mail.headers.get('from')).toBe('Ana & Söhne <node@example.org>')
    expect(mail.headers.get('to')).toBe('ana@example.org')
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
    expect(mail.encrypted).toBe(true)
  })

  it.each([
    ['resetPassword', { RESET_LINK: 'https://p.example/r?x=1&resetToken=t' }, 'https://p.example/r?x=1&resetToken=t'],
    ['verifyEmail', { VERIFY_LINK: 'https://p.example/v?a=1&b=2', USERNAME: 'u', EMAIL: 'e@x' }, 'https://p.example/v?a=1&b=2'],
    ['emailChallenge', { CODE: 'ABCD-EFGH', EMAIL: 'e@x', CODE_MAX_AGE_MINUTES: '7' }, 'ABCD-EFGH'],
    ['mfaChange', { USERNAME: 'u', MFA_CHANGE: 'deactivatedByAdmin' }, 'The operator of'],
  ] as const)('of the kind %s contains its essential text', async (kind, substitutions, essential) => {
    await send({ kind, substitutions, to: `${kind}@example.org` })
    const { text } = await sink.mailTo(`${kind}@example.org`)
    expect(text).toContain(essential)
    expect(text).not.toMatch(/undefined|#\{|&amp;/)
  })

  it.each([
    ['fr', 'Bonjour'],
    ['fr-CH', 'Bonjour'],
    ['fr_CH', 'Bonjour'],
    ['FR', 'Bonjour'],
    ['de', 'Guten Tag'],
    ['en', 'Hello'],
    ['it', 'Hello'],
    ['', 'Hello'],
    ['../..', 'Hello'],
    [undefined, 'Hello'],
  ])('in the language %j begins with %s', async (language, begins) => {
    const to = `lang-${begins.replace(' ', '')}@example.org`
    await send({ to, ...(language === undefined ? {} : { language }) })
    expect((await sink.mailTo(to)).text).toMatch(new RegExp(`^${begins} ana-lovelace,`))
  })

  it('escapes text of strangers', async () => {
    const USERNAME = '<img src=x onerror=alert(1)>#{process}\r\nBcc: eve@example.org'
    const EMAIL = `"><script>alert(1)</script>&lt;b&gt;`
    await send({ to: 'shown@example.org', substitutions: { USERNAME, EMAIL } })
    const mail = await sink.mailTo('shown@example.org')
    expect(mail.html).not.toMatch(/<img|<script/)
    expect(mail.text).toContain('<img src=x onerror=alert(1)>#{process}')
    expect(mail.text).toContain('"><script>alert(1)</script>&lt;b&gt;')
    expect(mail.headers.has('bcc')).toBe(false)
    expect(mail.to).toEqual(['shown@example.org'])
  })

  it('has a subject of one bounded line', async () => {
    const substitutions = { CODE: 'A\r\nBcc: eve@example.org\r\n\r\nbody\u0000\u2028' + 'x'.repeat(500), EMAIL: 'e', CODE_MAX_AGE_MINUTES: '1' }
    await send({ kind: 'emailChallenge', to: 'subject@example.org', substitutions })
    const mail = await sink.mailTo('subject@example.org')
    expect(mail.subject).toMatch(/^A Bcc: eve@example.org body x+…$/)
    expect([...mail.subject].length).toBeLessThanOrEqual(200)
    expect([...mail.headers.keys()]).not.toContain('bcc')
    expect(mail.to).toEqual(['subject@example.org'])
  })

  it.each([
    ['ana@example.org, eve@example.org'],
    ['ana@example.org\r\nBcc: eve@example.org'],
    ['ana@example.org\r\nRCPT TO:<eve@example.org>'],
    ['Ana <ana@example.org>'],
    ['"ana@example.org" <eve@example.org>'],
    ['-oQ/tmp@example.org'],
    ['ana'],
    ['@example.org'],
    ['ana@'],
    ['ana@a@b'],
    ['ana@example.org;eve@example.org'],
    ['ana\u202e@example.org'],
    [`${'a'.repeat(300)}@example.org`],
    [''],
  ])('is not sent to %j', async (to) => {
    const before = sink.mails.length
    expect(await failureLog(node, welcome({ to }))).toContain('not an e-mail address')
    expect(sink.mails.length).toBe(before)
  })
})

describe('an SMTP server', () => {
  const auth = { user: 'node', pass: 'a long secret' }

  it('receives a login over STARTTLS', () =>
    withSink({ auth }, {}, async (node, sink) => {
      await node.node.mail.send(welcome())
      expect(await sink.mailTo('ana@example.org')).toMatchObject({ user: 'node', encrypted: true })
      expect(sink.mails[0]?.from).toBe('no-reply@127.0.0.1')
    }))

  it('may require implicit TLS', () =>
    withSink({ auth, secure: true }, {}, async (node, sink) => {
      await node.node.mail.send(welcome())
      expect(await sink.mailTo('ana@example.org')).toMatchObject({ user: 'node', encrypted: true })
    }))

  it('that refuses the password fails the mail', () =>
    withSink({ auth }, { 'services.email.smtp.auth.pass': 'another secret' }, async (node) => {
      expect(await failureLog(node)).toContain('rejected the user name or password')
      expect(node.logged.join()).not.toContain('another secret')
    }))

  it.each([
    ['connect', 554, 'closed the connection'],
    ['from', 550, 'rejected the sender'],
    ['to', 550, 'rejected the recipient'],
    ['data', 552, 'rejected the message'],
  ] as const)('that refuses at %s fails the mail', (stage, code, cause) =>
    withSink({ refuses: { stage, code, says: 'I will not' } }, {}, async (node, sink) => {
      const logged = await failureLog(node)
      if (stage !== 'connect') expect(logged).toContain(cause)
      expect(logged).toContain('I will not')
      expect(sink.mails).toEqual([])
    }))

  it('that is unreachable fails the mail', async () => {
    const node = await startTestNode({ 'services.email.smtp.host': '127.0.0.1', 'services.email.smtp.port': 1 })
    expect(await failureLog(node)).toContain('Connection refused by 127.0.0.1:1')
    await node.stop()
  })

  it('that hangs does not block the shutdown of the node', async () => {
    const sink = await startSmtpSink({ hangs: 'data' })
    const node = await startTestNode(sink.settings)
    const sending = failureLog(node)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await node.stop()
    expect(await sending).toContain('did not finish in time')
    await sink.stop()
  })
})

describe('mail', () => {
  it('is disabled without a server', async () => {
    const node = await startTestNode()
    expect(node.node.mail.isOn('welcome')).toBe(false)
    await node.node.mail.send(welcome())
    expect(node.node.mailing.isSetUp).toBe(false)
    await node.stop()
  })

  it('of a disabled kind is not sent', () =>
    withSink({}, { 'services.email.enabled.welcome': false }, async (node, sink) => {
      expect(node.node.mail.isOn('welcome')).toBe(false)
      expect(node.node.mail.isOn('mfaChange')).toBe(true)
      expect(node.node.mail.isOn('emailChallenge')).toBe(true)
      await node.node.mail.send(welcome())
      expect(sink.mails).toEqual([])
    }))

  it('is sent completely in 50 concurrent calls', () =>
    withSink({}, {}, async (node, sink) => {
      const all = Array.from({ length: 50 }, (_, i) => node.node.mail.send(welcome({ to: `u${i}@example.org` })))
      await Promise.all(all)
      expect(new Set(sink.mails.flatMap(({ to }) => to)).size).toBe(50)
    }))
})
