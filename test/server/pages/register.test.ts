/** Registration page in a browser without scripts. */
import { describe, expect, it } from 'vitest'
import { testMailer } from '../../support/services/mail.js'
import { registerUser, request, type TestNode } from '../../support/nodes/node.js'
import { withNode } from '../../support/nodes/started.js'
import { visitor, type Page, type Visitor } from '../../support/people/visitor.js'

const mail = testMailer()
const PASSWORD = 'correct horse'

let people = 0
/** Returns the fields of a new person. */
function filled(more: Record<string, string | null> = {}): Record<string, string | null> & { username: string } {
  const username = `person-${(people += 1)}`
  const rest = { email: `${username}@example.org`, password: PASSWORD, again: PASSWORD, ...more }
  return { ...rest, username: more['username'] ?? username }
}

async function openForm(node: TestNode, language = 'en', query = ''): Promise<Visitor> {
  const browser = visitor(node, language)
  await browser.open(`/web/register${query}`)
  return browser
}
const isInvalid = ({ html }: Page, field: string): boolean =>
  new RegExp(`<input[^>]* id="${field}"[^>]* aria-invalid="true"`).test(html)

async function accountOf(node: TestNode, username: string, password = PASSWORD): Promise<Record<string, unknown>> {
  const { body } = await request(`${node.url}${username}/auth/login`, {
    body: { username, password, appId: 'test-app' },
    headers: { origin: new URL(node.url).origin },
  })
  const answer = await request(`${node.url}${username}/account`, { token: String(body['token']) })
  return answer.body['account'] as Record<string, unknown>
}

describe('registration', () => {
  const node = withNode({ 'auth.passwordComplexityMinLength': 8 }, { mail })

  it('creates an account and signs in', async () => {
    const browser = await openForm(node())
    const person = filled()
    const page = await browser.submit({ ...person, username: ` ${person.username.toUpperCase()} ` })
    expect(page.path).toBe('/web/overview')
    expect(page.text).toContain(`${person.username}`)
    expect(await accountOf(node(), person.username)).toMatchObject({ email: person['email'], language: 'en' })
    expect(mail.to(`${person.username}@example.org`)).toMatchObject([{ kind: 'welcome' }])
    expect((await browser.open('/web/register')).path).toBe('/web/overview')
  })

  it('has only the configured fields, and the URL of a username check', async () => {
    const { page } = await openForm(node())
    const names = [...page.html.matchAll(/<input[^>]* name="([^"]+)"/g)].map(([, name]) => name)
    expect(names).toEqual(['form_token', 'step', 'username', 'email', 'password', 'again'])
    const [, check = ''] = /data-check="([^"]+)"/.exec(page.html) ?? []
    const free = await fetch(new URL(check.replace('*', 'some-free-name'), node().url))
    expect(await free.json()).toMatchObject({ reserved: false })
    const [, hint = ''] = /data-hint="([^"]+)"/.exec(page.html) ?? []
    expect(page.html).toContain(`id="${hint}"`)
    expect(/data-says="([^"]+)"/.exec(page.html)?.[1]?.split('|')).toHaveLength(3)
    expect(page.text).toContain('At least 8 characters')
  })

  it('continues with the pending access request', async () => {
    const browser = await openForm(node(), 'en', '?key=abcdefgh12345678&lang=de')
    expect(browser.page.text).toContain('Konto erstellen')
    expect(browser.page.html).toContain('/web/sign-in?key=abcdefgh12345678&amp;lang=de')
    const person = filled()
    expect((await browser.submit(person)).path).toBe('/web/authorize?key=abcdefgh12345678&lang=de')
    expect(await accountOf(node(), person.username)).toMatchObject({ language: 'de' })
  })

  const invalid: [defect: string, fields: Record<string, string>, field: string, message: string][] = [
    ['a short name', { username: 'abcd' }, 'username', '5 to 60 characters'],
    ['a name with invalid characters', { username: '"><b>x' }, 'username', '5 to 60 characters'],
    ['no name', { username: ' ' }, 'username', '5 to 60 characters'],
    ['a reserved name', { username: 'administrator' }, 'username', 'is taken'],
    ['no address', { email: ' ' }, 'email', 'E-mail address: required'],
    ['too long an address', { email: `${'x'.repeat(300)}@x.org` }, 'email', 'not an e-mail address'],
    ['a short password', { password: 'short', again: 'short' }, 'password', 'At least 8 characters'],
    ['too long a password', { password: 'x'.repeat(101), again: 'x'.repeat(101) }, 'password', 'more than 100 characters'],
    ['different passwords', { again: 'something else' }, 'again', 'differ'],
    ['no password', { password: '', again: '' }, 'password', 'At least 8 characters'],
  ]
  it.each(invalid)('refuses %s at its field and preserves the others', async (_, fields, field, message) => {
    const browser = await openForm(node())
    const person = filled(fields)
    const page = await browser.submit(person)
    expect([page.status >= 400, page.text]).toEqual([true, expect.stringContaining(message)])
    expect(isInvalid(page, field)).toBe(true)
    expect(page.html).toMatch(new RegExp(`<input id="${field === 'again' ? 'password' : field}"[^>]* autofocus`))
    expect(page.html).not.toContain(PASSWORD)
    expect(page.html).not.toContain('<b>')
    const { username, email } = filled()
    const corrected = field === 'username' ? { username } : field === 'email' ? { email: email ?? '' } : {}
    expect((await browser.submit({ ...corrected, password: PASSWORD, again: PASSWORD })).path).toBe('/web/overview')
  })

  it('reports all invalid fields together', async () => {
    const page = await (await openForm(node())).submit({ username: 'x', email: '', password: 'a', again: 'b' })
    for (const message of ['5 to 60', 'required.', 'does not meet the rules']) expect(page.text).toContain(message)
  })

  it('reports a name and an address in use', async () => {
    await registerUser(node(), 'alice')
    const browser = await openForm(node())
    const named = await browser.submit(filled({ username: 'alice' }))
    expect([named.status, isInvalid(named, 'username'), isInvalid(named, 'email')]).toEqual([409, true, false])
    expect(named.text).toContain('This user name is taken.')
    const addressed = await browser.submit(filled({ email: 'alice@example.org' }))
    expect([addressed.status, isInvalid(addressed, 'email')]).toEqual([409, true])
    const both = await browser.submit(filled({ username: 'alice', email: 'alice@example.org' }))
    expect(both.text).toMatch(/user name is taken.*with this e-mail address/)
    expect((await browser.open('/web/overview')).path).toMatch(/^\/web\/sign-in/)
  })

  it('gives a name to one of several concurrent registrations', async () => {
    const browsers = await Promise.all(Array.from({ length: 20 }, () => openForm(node())))
    const pages = await Promise.all(browsers.map((browser) => browser.submit(filled({ username: 'wanted-name' }))))
    expect(pages.filter(({ path }) => path === '/web/overview')).toHaveLength(1)
    expect(pages.filter((page) => page.status === 409 && isInvalid(page, 'username'))).toHaveLength(19)
  })

  it('refuses a form without its token, and serves GET and HEAD', async () => {
    const browser = await openForm(node())
    const person = filled()
    expect((await browser.submit({ ...person, form_token: null })).status).toBe(403)
    for (const method of ['HEAD', 'GET']) expect((await fetch(`${node().url}web/register`, { method })).status).toBe(200)
    expect((await request(`${node().url}reg/${person.username}/check_username`)).body).toMatchObject({ reserved: false })
  })

  it.each([
    ['fr', 'Créer un compte', 'De 5 à 60 caractères'],
    ['de', 'Konto erstellen', '5 bis 60 Zeichen'],
  ])('is available in %s, which becomes the language of the account', async (language, title, rule) => {
    const browser = await openForm(node(), language)
    expect(browser.page.text).toContain(title)
    expect((await browser.submit(filled({ username: 'x' }))).text).toContain(rule)
    const person = filled()
    await browser.submit(person)
    expect(await accountOf(node(), person.username)).toMatchObject({ language })
  })
})

describe('registration on a node with a path in its URL', () => {
  const node = withNode({ 'dnsLess.publicUrl': 'https://home.example/data' })

  it('checks names at this path', async () => {
    const { page } = await openForm(node())
    expect(page.html).toContain('data-check="/data/reg/*/check_username"')
  })
})

describe('registration with custom fields, terms, and an optional e-mail address', () => {
  const field = { type: 'note/txt', isIndexed: true, isShown: true }
  const node = withNode({
    'service.terms': 'https://terms.example/?a=1&b="2"',
    'custom.systemStreams.account': [
      { id: 'email', type: 'email/string', isIndexed: true, isUnique: true },
      {
        id: 'insurance',
        name: 'Insurance <number>',
        ...field,
        isUnique: true,
        isRequiredInValidation: true,
        regexValidation: '^[0-9]{4}$',
        regexError: { code: 'insurance-wrong', message: 'Four digits, please.' },
      },
      { id: 'nickname', ...field },
    ],
  })

  it('has the required custom fields and accepts a missing address', async () => {
    const browser = await openForm(node())
    expect(browser.page.text).toContain('Insurance <number>')
    expect(browser.page.html).not.toContain('nickname')
    expect(browser.page.text).toContain('Optional.')
    expect(browser.page.html).toMatch(/<a href="https:\/\/terms.example[^>]* target="_blank" rel="noopener noreferrer"/)
    expect(browser.page.html).not.toContain('<number>')
    const person = filled({ email: '', terms: 'yes', 'field-insurance': '1234' })
    expect((await browser.submit(person)).path).toBe('/web/overview')
    expect(await accountOf(node(), person.username)).toMatchObject({ email: null })
  })

  it.each([
    ['is missing', { 'field-insurance': '' }, 'field-insurance', 'Insurance <number>: required'],
    ['does not match the configured pattern', { 'field-insurance': '"><i>' }, 'field-insurance', 'Four digits, please.'],
    ['is in use', { 'field-insurance': '1234' }, 'field-insurance', 'already used by another account'],
    ['is not accepted', { terms: null }, 'terms', 'Accept the terms of use'],
  ])('shows at its field that a value %s', async (_, fields, at, message) => {
    const browser = await openForm(node())
    const page = await browser.submit(filled({ 'field-insurance': '4321', terms: 'yes', ...fields }))
    expect([page.status >= 400, page.text]).toEqual([true, expect.stringContaining(message)])
    expect(isInvalid(page, at)).toBe(true)
    expect(page.html).not.toContain('<i>')
    expect(/<input[^>]*name="terms"[^>]*checked/.test(page.html)).toBe(at !== 'terms')
  })
})

describe('registration by invitation', () => {
  const node = withNode({ invitationTokens: ['first-token', 'second-token'], 'service.terms': 'Be <kind>.' })

  it('requires an invitation, which is valid once', async () => {
    const browser = await openForm(node())
    expect(browser.page.text).toContain('I accept these terms of use: Be <kind>.')
    for (const invitation of ['', 'made-up', '"><b>']) {
      const page = await browser.submit(filled({ invitation, terms: 'yes' }))
      expect([page.status, isInvalid(page, 'invitation')]).toEqual([400, true])
      expect(page.text).toContain('This invitation code is not valid')
    }
    expect((await browser.submit(filled({ invitation: ' first-token ', terms: 'yes' }))).path).toBe('/web/overview')
    const late = await (await openForm(node())).submit(filled({ invitation: 'first-token', terms: 'yes' }))
    expect(isInvalid(late, 'invitation')).toBe(true)
  })

  it('accepts one of several concurrent registrations with the same invitation', async () => {
    const browsers = await Promise.all(Array.from({ length: 10 }, () => openForm(node())))
    const pages = await Promise.all(browsers.map((browser) => browser.submit(filled({ invitation: 'second-token', terms: 'yes' }))))
    expect(pages.filter(({ path }) => path === '/web/overview')).toHaveLength(1)
  })
})
