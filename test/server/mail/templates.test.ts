/** Routes of the operator for mail templates, and initial templates of the store. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundled } from '../../../src/server/mail/bundled/all.js'
import { homes } from '../../support/nodes/home.js'
import { request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'
import { startSmtpSink, type SmtpSink } from '../../support/services/smtp.js'

const KEY = 'an operator key of mine'
const admin = { 'auth.adminAccessKey': KEY }

function callsOf(node: TestNode): (method: string, path?: string, body?: unknown, token?: string) => Promise<Answer> {
  return (method, path = '', body, token = KEY) =>
    request(`${node.url}system/admin/mail/${path}`, { method, token, ...(body === undefined ? {} : { body }) })
}

interface Listed {
  type: string
  lang: string
  part: string
  length: number
}

describe('the routes of templates', () => {
  let sink: SmtpSink
  let node: TestNode
  let call: ReturnType<typeof callsOf>
  const list = async (): Promise<Listed[]> => (await call('GET', 'templates')).body['templates'] as Listed[]
  const put = (path: string, body: unknown): Promise<Answer> => call('PUT', `templates/${path}`, body)

  beforeAll(async () => {
    sink = await startSmtpSink()
    node = await startTestNode({ ...admin, ...sink.settings })
    call = callsOf(node)
  })
  afterAll(async () => {
    await node.stop()
    await sink.stop()
  })

  it('list all templates', async () => {
    const templates = await list()
    expect(templates).toHaveLength(5 * 3 * 2)
    expect(templates).toContainEqual({
      type: 'welcome-email', lang: 'en', part: 'subject', length: bundled['en']?.['welcome-email']?.subject.length,
    })
    expect([...templates].sort((a, b) => `${a.type}/${a.lang}/${a.part}` < `${b.type}/${b.lang}/${b.part}` ? -1 : 1)).toEqual(templates)
  })

  it('read, write and remove one part', async () => {
    const pug = '| Grüezi #{USERNAME}\n'
    expect((await put('welcome-email/gsw/subject', { pug })).status).toBe(204)
    const read = await call('GET', 'templates/welcome-email/gsw/subject')
    expect([read.status, read.body['text']]).toEqual([200, pug])
    expect(read.headers.get('content-type')).toContain('text/plain')
    expect(await list()).toContainEqual({ type: 'welcome-email', lang: 'gsw', part: 'subject', length: pug.length })
    expect((await call('DELETE', 'templates/welcome-email/gsw/subject')).status).toBe(204)
    expect((await call('GET', 'templates/welcome-email/gsw/subject')).status).toBe(404)
    expect((await call('DELETE', 'templates/welcome-email/gsw/subject')).status).toBe(204)
  })

  it('remove both parts of a language only', async () => {
    await put('notice/en/subject', { pug: '| a' })
    await put('notice/en/html', { pug: 'p a' })
    await put('notice/fr/html', { pug: 'p a' })
    expect((await call('DELETE', 'templates/notice/en')).status).toBe(204)
    const remaining = (await list()).filter(({ type }) => type === 'notice')
    expect(remaining.map(({ lang, part }) => `${lang}/${part}`)).toEqual(['fr/html'])
  })

  it.each([
    ['welcome-email/en/text'],
    ['welcome-email/xx/html'],
    ['nothing/en/html'],
  ])('answer 404 for %s', async (path) => {
    const { status, body } = await call('GET', `templates/${path}`)
    expect([status, (body['error'] as { id: string }).id]).toEqual([404, 'unknown-resource'])
  })

  it.each([
    ['an empty object', 'welcome-email/en/html', {}],
    ['no body', 'welcome-email/en/html', undefined],
    ['a number', 'welcome-email/en/html', { pug: 5 }],
    ['null', 'welcome-email/en/html', { pug: null }],
    ['a list', 'welcome-email/en/html', { pug: ['p'] }],
    ['another name', 'welcome-email/en/html', { source: 'p' }],
    ['another part', 'welcome-email/en/text', { pug: 'p' }],
    ['an invalid language', 'welcome-email/.en/html', { pug: 'p' }],
    ['a type with a slash', 'a%2Fb/en/html', { pug: 'p' }],
    ['a template that does not compile', 'welcome-email/en/html', { pug: 'p(' }],
    ['a template that fails', 'welcome-email/en/html', { pug: 'p= USERNAME.a.b' }],
    ['an inclusion of a file', 'welcome-email/en/html', { pug: 'include /etc/hostname' }],
    ['an endless loop', 'welcome-email/en/html', { pug: '- while (true) {}' }],
    ['an output of 100 MB', 'welcome-email/en/html', { pug: "p!= 'x'.repeat(1e8)" }],
    ['a source of a megabyte', 'welcome-email/en/html', { pug: `p ${'x'.repeat(1e6)}` }],
  ])('refuse to write %s', async (_, path, body) => {
    const before = await list()
    const { status, body: answer } = await put(path, body)
    expect([status, (answer['error'] as { id: string }).id]).toEqual([400, 'invalid-request-structure'])
    expect(await list()).toEqual(before)
  })

  it.each([
    ['GET', 'templates'],
    ['GET', 'templates/welcome-email/en/html'],
    ['PUT', 'templates/welcome-email/en/html'],
    ['DELETE', 'templates/welcome-email/en/html'],
    ['DELETE', 'templates/welcome-email/en'],
    ['POST', 'send-test'],
  ])('answer 404 without the operator key: %s %s', async (method, path) => {
    for (const token of ['', 'wrong', `Bearer ${KEY}`]) {
      const { status, body } = await call(method, path, method === 'PUT' || method === 'POST' ? { pug: 'p' } : undefined, token)
      expect([status, (body['error'] as { id: string }).id]).toEqual([404, 'unknown-resource'])
    }
    expect((await call('GET', 'templates/welcome-email/en/html')).status).toBe(200)
  })

  it('change the next mail', async () => {
    const welcome = { kind: 'welcome', to: 'next@example.org', substitutions: { USERNAME: 'ana' } } as const
    await node.node.mail.send(welcome)
    expect((await sink.mailTo('next@example.org')).subject).toBe('Welcome to coffer')
    await put('welcome-email/en/subject', { pug: '| Changed for #{USERNAME}' })
    await node.node.mail.send(welcome)
    expect((await sink.mailTo('next@example.org')).subject).toBe('Changed for ana')
  })

  it('use a template only if both of its parts exist', async () => {
    await put('welcome-email/es/subject', { pug: '| Hola' })
    const welcome = { kind: 'welcome', to: 'es@example.org', language: 'es', substitutions: { USERNAME: 'ana' } } as const
    await node.node.mail.send(welcome)
    expect((await sink.mailTo('es@example.org')).text).toContain('Hello ana')
    await put('welcome-email/es/html', { pug: 'p Hola #{USERNAME}' })
    await node.node.mail.send(welcome)
    expect((await sink.mailTo('es@example.org')).text).toBe('Hola ana\n')
  })

  describe('send-test', () => {
    const sample = { type: 'welcome-email', lang: 'fr', recipient: 'test@example.org' }
    const id = ({ body }: Answer): unknown => (body['error'] as { id: string }).id

    it('sends to an address, or to a name and an address', async () => {
      const { status, body } = await call('POST', 'send-test', sample)
      expect([status, body['sent']]).toEqual([200, true])
      expect((await sink.mailTo('test@example.org')).text).toContain('Bonjour ana-lovelace')
      const named = { ...sample, recipient: { name: 'Zoë\r\nBcc: eve@example.org', email: 'named@example.org' } }
      expect((await call('POST', 'send-test', named)).status).toBe(200)
      const mail = await sink.mailTo('named@example.org')
      expect(mail.headers.get('to')).toContain('Zoë Bcc: eve')
      expect(mail.to).toEqual(['named@example.org'])
      expect(mail.headers.has('bcc')).toBe(false)
    })

    it.each([
      ['no body', undefined],
      ['no type', { ...sample, type: undefined }],
      ['no language', { ...sample, lang: undefined }],
      ['no recipient', { ...sample, recipient: undefined }],
      ['a recipient without an address', { ...sample, recipient: { name: 'Ana' } }],
      ['an empty address', { ...sample, recipient: '' }],
      ['an invalid address', { ...sample, recipient: 'ana' }],
      ['two addresses', { ...sample, recipient: 'a@example.org, b@example.org' }],
      ['a number as the address', { ...sample, recipient: { email: 5 } }],
    ])('refuses %s', async (_, body) => {
      const answer = await call('POST', 'send-test', body)
      expect([answer.status, id(answer)]).toEqual([400, 'invalid-request-structure'])
    })

    it('answers 404 for unknown types', async () => {
      const answer = await call('POST', 'send-test', { ...sample, type: 'nothing' })
      expect([answer.status, id(answer)]).toEqual([404, 'unknown-resource'])
    })
  })
})

describe('send-test without a server', () => {
  it('answers 500 without details', async () => {
    const node = await startTestNode(admin)
    const { status, body } = await callsOf(node)('POST', 'send-test', { type: 'welcome-email', lang: 'en', recipient: 'a@example.org' })
    expect([status, (body['error'] as { id: string }).id]).toEqual([500, 'unexpected-error'])
    await node.stop()
  })
})

describe('the initial templates', () => {
  const { home, folder } = homes()
  const names = async (node: TestNode): Promise<string[]> =>
    ((await callsOf(node)('GET', 'templates')).body['templates'] as Listed[]).map(({ type, lang, part }) => `${type}/${lang}/${part}`)

  it('are created once, so removed and changed ones are not restored', async () => {
    const places = await home()
    const settings = { ...admin, 'services.email.smtp.host': '127.0.0.1' }
    let node = await startTestNode(settings, { home: places.home })
    expect(await names(node)).toHaveLength(30)
    await callsOf(node)('DELETE', 'templates/welcome-email/fr')
    await callsOf(node)('PUT', 'templates/welcome-email/en/subject', { pug: '| Mine' })
    await node.stop()
    node = await startTestNode(settings, { home: places.home })
    expect(await names(node)).toHaveLength(28)
    expect((await callsOf(node)('GET', 'templates/welcome-email/en/subject')).body['text']).toBe('| Mine')
    await node.stop()
  })

  it('are available before mail is enabled', async () => {
    const node = await startTestNode(admin)
    expect(await names(node)).toHaveLength(30)
    await node.stop()
  })

  it('are read from the configured folder', async () => {
    const root = await folder()
    await mkdir(join(root, 'welcome-email', 'en'), { recursive: true })
    await writeFile(join(root, 'welcome-email', 'en', 'subject.pug'), '| Ours')
    await writeFile(join(root, 'welcome-email', 'en', 'html.pug'), 'p Ours')
    await writeFile(join(root, 'welcome-email', 'en', 'other.pug'), 'p no')
    await writeFile(join(root, 'readme.txt'), 'no')
    const node = await startTestNode({ ...admin, 'services.email.templatesRootDir': root })
    expect(await names(node)).toEqual(['welcome-email/en/html', 'welcome-email/en/subject'])
    await node.stop()
  })

  it.each([['missing'], ['empty']])('are the built-in ones if the folder is %s', async (state) => {
    const root = await mkdtemp(join(tmpdir(), 'coffer-mail-'))
    if (state === 'missing') await rm(root, { recursive: true })
    const node = await startTestNode({ ...admin, 'services.email.templatesRootDir': root })
    expect(await names(node)).toHaveLength(30)
    expect(node.logged.join()).toContain('templatesRootDir')
    await node.stop()
    await rm(root, { recursive: true, force: true })
  })

  it('have the configured names', async () => {
    const node = await startTestNode({ ...admin, 'services.email.welcomeTemplate': 'hello' })
    expect(await names(node)).toContain('hello/fr/html')
    expect(await names(node)).not.toContain('welcome-email/fr/html')
    await node.stop()
  })
})

describe('the built-in templates', () => {
  it('have the same types, parts and substitutions in every language', () => {
    const filled = (source: string): string[] => [...source.matchAll(/\b[A-Z_]{4,}\b/g)].map(([name]) => name).sort()
    const english = bundled['en'] ?? {}
    for (const [lang, types] of Object.entries(bundled)) {
      expect(Object.keys(types), lang).toEqual(Object.keys(english))
      for (const [type, { subject, html }] of Object.entries(types)) {
        expect(new Set(filled(subject + html)), `${lang} ${type}`).toEqual(
          new Set(filled((english[type]?.subject ?? '') + (english[type]?.html ?? ''))),
        )
      }
    }
  })
})
