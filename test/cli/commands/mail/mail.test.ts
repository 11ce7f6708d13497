import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { environmentName, isSettingKey } from '../../../../src/server/config/settings/settings.js'
import { startTestNode } from '../../../support/nodes/node.js'
import { startSmtpSink, type SinkOptions, type SmtpSink } from '../../../support/services/smtp.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

let home: TestHome
beforeAll(async () => {
  home = await testHome()
})
afterAll(() => home.remove())

const run = (words: string[], given?: Parameters<TestHome['run']>[1]): ReturnType<TestHome['run']> => home.run(['mail', ...words], given)
const json = (...words: string[]): Promise<Record<string, unknown>> => home.json(['mail', ...words])

/** Converts settings to environment variables. */
function variables(settings: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [isSettingKey(key) ? environmentName(key) : key, String(value)]),
  )
}

describe('mail templates', () => {
  it('lists types and languages', async () => {
    const { out, err } = await run(['templates'], { tty: true })
    expect(out.split('\n')[0]).toMatch(/^TEMPLATE +LANGUAGE +SUBJECT +PAGE/)
    expect(out).toMatch(/welcome-email +fr +\d+ +[\d,]+/)
    expect(err).toContain('15 templates')
    expect((await run(['templates', '-q'])).out).toContain('mfa-change/de\n')
    expect(((await json('templates'))['templates'] as unknown[]).length).toBe(30)
  })
})

describe('mail show', () => {
  it('prints both parts, or exactly one', async () => {
    const both = await run(['show', 'welcome-email'])
    expect(both.out).toContain('| Welcome to #{SERVICE_NAME}\ndoctype html\n')
    expect(both.err).toContain('Subject of welcome-email in en:')
    const one = await run(['show', 'welcome-email', '--lang', 'fr', '--part', 'subject'])
    expect([one.out, one.err]).toEqual(['| Bienvenue chez #{SERVICE_NAME}\n', expect.not.stringContaining('Subject')])
    expect(await json('show', 'welcome-email', '--part', 'subject')).toEqual({
      type: 'welcome-email', lang: 'en', subject: '| Welcome to #{SERVICE_NAME}\n',
    })
  })

  it('exits 5 for an unknown template or language', async () => {
    for (const words of [['nothing'], ['welcome-email', '--lang', 'xx']]) {
      const { code, err } = await run(['show', ...words])
      expect([code, err]).toEqual([5, expect.stringContaining('coffer mail templates')])
    }
  })
})

describe('mail set', () => {
  it('stores a file unchanged, and preview uses it', async () => {
    const file = join(home.home, 'page.pug')
    const pug = 'div\n\tp Salve #{USERNAME}\n'
    await writeFile(file, pug)
    const { code, err } = await run(['set', 'welcome-email', file, '--lang', 'la', '--part', 'html'])
    expect([code, err]).toEqual([0, expect.stringContaining('✔ Page of welcome-email in la saved')])
    expect((await run(['show', 'welcome-email', '--lang', 'la', '--part', 'html'])).out).toBe(pug)
    expect((await run(['show', 'welcome-email', '--lang', 'la'])).err).toContain('not used without this part')
    await run(['set', 'welcome-email', '-', '--lang', 'la', '--part', 'subject'], { stdin: '| Ave' })
    expect((await run(['preview', 'welcome-email', '--lang', 'la'])).out).toBe('Subject: Ave\n\nSalve ana-lovelace\n')
  })

  it.each([
    [['welcome-email', '-'], 'p', 2, '--part is required'],
    [['welcome-email', '-', '--part', 'text'], 'p', 2, 'one of subject, html'],
    [['welcome-email', '-', '--part', 'html'], ' \n', 2, 'stdin is empty'],
    [['welcome-email', '/nowhere/x.pug', '--part', 'html'], '', 5, 'cannot be read'],
    [['welcome-email', '-', '--part', 'html'], 'p(', 1, 'line 1'],
    [['welcome-email', '-', '--part', 'html'], 'include x', 1, 'include is not available'],
    [['wel/come', '-', '--part', 'html'], 'p', 1, 'A template requires a type'],
  ])('refuses %j', async (words, stdin, exit, says) => {
    const { code, err } = await run(['set', ...words], { stdin })
    expect([code, err]).toEqual([exit, expect.stringContaining(says)])
  })
})

describe('mail reset', () => {
  it('restores the built-in text after a confirmation', async () => {
    await run(['set', 'verify-email', '-', '--part', 'subject'], { stdin: '| Mine' })
    const refused = await run(['reset', 'verify-email'])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--yes is missing')])
    expect((await run(['preview', 'verify-email'])).out).toContain('Subject: Mine')
    const answer = await json('reset', 'verify-email', '--lang', 'en', '--yes')
    expect((answer['templates'] as { part: string }[]).map(({ part }) => part)).toEqual(['subject', 'html'])
    expect((await run(['preview', 'verify-email'])).out).toContain('Subject: Confirm your e-mail address at coffer')
    const unknown = await run(['reset', 'verify-email', '--lang', 'xx', '--yes'])
    expect([unknown.code, unknown.err]).toEqual([5, expect.stringContaining('verify-email/xx')])
  })
})

describe('mail preview', () => {
  it('inserts sample and given values', async () => {
    const { out } = await run(['preview', 'mfa-change', '--value', 'MFA_CHANGE=recovered', '--value', 'USERNAME=<b>'])
    expect(out).toContain('Hello <b>,')
    expect(out).toContain('with a recovery code')
    expect((await run(['preview', 'mfa-change', '--html'])).out).toContain('<p>Hello ana-lovelace,</p>')
  })

  it('writes the page into a file, and reports a fallback to another language', async () => {
    const file = join(home.home, 'page.html')
    const { code, err } = await run(['preview', 'welcome-email', '--lang', 'pt', '--output', file])
    expect([code, err]).toEqual([0, expect.stringContaining('No template in pt; showing en.')])
    expect(await readFile(file, 'utf8')).toMatch(/^<!DOCTYPE html><html lang="en">/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it.each([
    [['nothing'], 5, 'No mail template "nothing"'],
    [['welcome-email', '--value', 'X'], 2, 'NAME=text'],
  ])('refuses %j', async (words, exit, says) => {
    const { code, err } = await run(['preview', ...words])
    expect([code, err]).toEqual([exit, expect.stringContaining(says)])
  })
})

describe('mail test', () => {
  const auth = { user: 'node-user', pass: 'a long secret' }
  async function runTest(
    options: SinkOptions,
    settings: Record<string, unknown> = {},
    words: string[] = [],
  ): Promise<{ code: number; out: string; err: string; sink: SmtpSink }> {
    const sink = await startSmtpSink(options)
    try {
      const env = variables({ ...sink.settings, ...settings })
      return { ...(await run(['test', 'ana@example.org', ...words], { env })), sink }
    } finally {
      await sink.stop()
    }
  }

  it('sends, and prints the SMTP conversation without the login', async () => {
    const { code, out, err, sink } = await runTest({ auth }, {}, ['--lang', 'fr'])
    expect(code).toBe(0)
    expect(err).toContain('✔ The server accepted the mail for ana@example.org')
    expect(out).toMatch(/^← 220 /)
    expect(out).toContain('→ AUTH PLAIN (hidden)')
    expect(out).toContain('→ MAIL FROM:<no-reply@127.0.0.1>')
    expect(sink.mails[0]?.text).toContain('Bonjour')
    for (const form of [auth.pass, Buffer.from(auth.pass).toString('base64'), Buffer.from(`\0${auth.user}\0${auth.pass}`).toString('base64')]) {
      expect(out + err).not.toContain(form)
    }
  })

  it.each<[string, SinkOptions, Record<string, unknown>, string, string]>([
    ['a refused password', { auth }, { 'services.email.smtp.auth.pass': 'wrong secret' }, 'rejected the user name', 'config set services.email.smtp.auth.pass'],
    ['a missing password', { auth }, { 'services.email.smtp.auth.pass': 'null' }, 'no password', 'config set services.email.smtp.auth.pass'],
    ['a missing login', { auth }, { 'services.email.smtp.auth.user': 'null' }, 'requires a login', 'config set services.email.smtp.auth.user node@example.org'],
    ['a refused sender', { refuses: { stage: 'from', code: 550, says: 'Not you' } }, {}, 'rejected the sender', 'config set services.email.from.address node@example.org'],
    ['a refused recipient', { refuses: { stage: 'to', code: 550, says: 'Nobody here' } }, {}, 'rejected the recipient', 'config list'],
    ['a server that denies relaying', { refuses: { stage: 'to', code: 554, says: 'Relay access denied' } }, {}, 'requires a login', 'auth.user'],
    ['a refused mail', { refuses: { stage: 'data', code: 554, says: 'Smells like spam' } }, {}, 'rejected the message', 'config list'],
    ['TLS to a server without it', {}, { 'services.email.smtp.secure': true }, 'does not start with TLS', 'config set services.email.smtp.secure false'],
    ['a closed port', {}, { 'services.email.smtp.port': 1 }, 'Connection refused by 127.0.0.1:1', 'config set services.email.smtp.port 465'],
    ['an unknown host name', {}, { 'services.email.smtp.host': 'mail.invalid' }, 'Cannot resolve the host name mail.invalid', 'config set services.email.smtp.host mail.example.org'],
    ['a missing host setting', {}, { 'services.email.smtp.host': 'null' }, 'Mail is not configured', 'config set services.email.smtp.host mail.example.org'],
    ['a missing sendmail program', {}, { 'services.email.smtp.sendmail': true, 'services.email.smtp.path': '/nowhere/sendmail' }, 'No executable sendmail program', 'config set services.email.smtp.path /usr/sbin/sendmail'],
  ])('reports %s, and suggests a fix', async (_, options, settings, says, hint) => {
    const { code, err, out, sink } = await runTest(options, settings)
    expect([code, err]).toEqual([1, expect.stringContaining(says)])
    expect(err).toContain(hint)
    expect(out + err).not.toContain('wrong secret')
    expect(sink.mails).toEqual([])
  })

  it('reports a server that expects TLS', async () => {
    const { code, err } = await runTest({ secure: true }, { 'services.email.smtp.secure': false })
    expect([code, err]).toEqual([1, expect.stringContaining('it may expect TLS from the first byte')])
    expect(err).toContain('config set services.email.smtp.secure true')
  })

  it('includes the SMTP conversation in the JSON error', async () => {
    const { err, out } = await runTest({ refuses: { stage: 'from', code: 550, says: 'Not you' } }, {}, ['--json'])
    const { error } = JSON.parse(err.split('\n').find((line) => line.startsWith('{')) ?? '') as { error: { data: Record<string, unknown> } }
    expect(out).toBe('')
    expect(error.data['problem']).toMatchObject({ setting: 'services.email.from.address', response: '550 Not you' })
    expect(error.data['conversation']).toContainEqual({ by: 'server', line: '550 Not you' })
  })

  it('calls a running node, which uses its own settings', async () => {
    const sink = await startSmtpSink()
    const node = await startTestNode(sink.settings, { home: home.home })
    try {
      const { code, out } = await run(['test', 'ana@example.org'])
      expect([code, out]).toEqual([0, expect.stringContaining('250 ')])
      expect(sink.mails).toHaveLength(1)
    } finally {
      await node.stop()
      await sink.stop()
    }
  })

  it.each([
    [['nobody'], 1, 'not an e-mail address'],
    [['ana@example.org', '--type', 'nothing'], 5, 'No mail template'],
    [[], 2, '<address> is missing'],
  ])('refuses %j', async (words, exit, says) => {
    const { code, err } = await run(['test', ...words], { env: variables({ 'services.email.smtp.host': '127.0.0.1' }) })
    expect([code, err]).toEqual([exit, expect.stringContaining(says)])
  })
})
