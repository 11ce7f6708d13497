/** Registration and its look-ups: docs/interface/registration.md. */
import { describe, expect, it } from 'vitest'
import { request, type Answer } from '../../../support/nodes/node.js'
import { badEmails, badLanguages } from '../../../support/http/badValues.js'
import { register, registration } from '../../../support/people/registration.js'
import { withNode } from '../../../support/nodes/started.js'

interface Item {
  code: string
  message: string
  path: string
  param?: string
}
const itemsOf = (answer: Answer): Item[] => (answer.body['error'] as { data: Item[] }).data

describe('registration', () => {
  const at = withNode()

  it('creates an account with a usable token', async () => {
    const input = registration({ language: 'fr' })
    const { status, body } = await register(at(), input)
    const username = String(input['username'])
    expect(status).toBe(200)
    expect(body).toEqual({
      username,
      token: expect.stringMatching(/^[a-z][a-z0-9]{23}$/) as string,
      apiEndpoint: at().url.replace('://', `://${String(body['token'])}@`) + `${username}/`,
      meta: expect.any(Object) as object,
    })
    const events = await request(`${at().url}${username}/events?limit=100`, { token: String(body['token']) })
    expect(events.status).toBe(200)
    const contents = Object.fromEntries(
      (events.body['events'] as { id: string; content: unknown }[]).map(({ id, content }) => [id, content]),
    )
    expect(contents).toMatchObject({ ':_system:language': 'fr', ':system:email': input['email'] })
    const info = await request(`${at().url}${username}/access-info`, { token: String(body['token']) })
    expect(info.body).toMatchObject({ type: 'personal', name: 'test-app' })
  })

  it.each(['users', 'reg/users', 'reg/user', 'users/', 'reg/users/'])('is served at /%s', async (path) => {
    expect((await register(at(), registration(), path)).status).toBe(200)
  })

  it('accepts the parameter appid of older clients', async () => {
    const { appId: _, ...input } = registration({ appid: 'old-client' })
    const { status, body } = await register(at(), input, 'reg/user')
    expect(status).toBe(200)
    const info = await request(`${at().url}${String(body['username'])}/access-info`, { token: String(body['token']) })
    expect(info.body).toMatchObject({ name: 'old-client' })
  })

  it('ignores unknown parameters', async () => {
    const more = { id: 'chosen', passwordHash: 'x', events: [], hosting: 'default', colour: { red: 1 }, __proto: 1 }
    expect((await register(at(), registration(more))).status).toBe(200)
  })

  const long = (n: number): string => 'x'.repeat(n)
  /** Fields with: required or not, error code, refused values. */
  const fields: [string, boolean, string, unknown[]][] = [
    ['username', true, 'username-invalid', ['abcd', long(61), null, 12345, true, ['alice'], { a: 1 }, '', 'Alice', 'al ice', 'alice!', '-alice', 'alice-', 'al_ice', 'alicé', 'alice\n']],
    ['password', true, 'password-invalid', ['12345', long(101), null, 123456, true, ['123456'], { a: 1 }, '']],
    ['email', true, 'email-invalid', [`${long(289)}@example.org`, null, 5, true, ['a@b'], { a: 1 }, '', ...badEmails]],
    ['appId', true, 'appid-invalid', ['short', long(100), null, 123456, true, ['test-app'], { a: 1 }, '']],
    ['language', false, 'language-invalid', ['', long(6), null, 5, true, ['en'], { a: 1 }, ...badLanguages]],
    ['referer', false, 'referer-invalid', ['', long(100), 5, true, ['x'], { a: 1 }]],
    ['invitationToken', false, 'invitationToken-invalid', [null, 5, true, ['x'], { a: 1 }]],
  ]
  for (const [field, isRequired, code, values] of fields) {
    it.each(values.map((value) => [value]))(`refuses %j as ${field}`, async (value) => {
      const answer = await register(at(), registration({ [field]: value }))
      expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
      expect(itemsOf(answer)).toEqual([
        { code, message: expect.any(String) as string, path: `#/${field}`, param: field },
      ])
    })

    it(`${isRequired ? 'refuses a missing' : 'accepts a missing'} ${field}`, async () => {
      const answer = await register(at(), registration({ [field]: undefined }))
      if (!isRequired) return void expect(answer.status).toBe(200)
      expect(answer.status).toBe(400)
      expect(itemsOf(answer)).toEqual([
        { code: `${field}-required`, message: expect.any(String) as string, path: '#/', param: field },
      ])
    })
  }

  it('accepts the shortest and longest values', async () => {
    const shortest = { username: 'a-1-b', password: '123456', email: 'x@y', appId: 'abcdef', language: 'en', referer: 'x' }
    expect((await register(at(), registration(shortest))).status).toBe(200)
    const longest = {
      username: `a${'-'.repeat(58)}1`,
      password: long(100),
      email: `${long(288)}@example.org`,
      appId: long(99),
      language: 'pt-BR',
      referer: long(99),
      invitationToken: 'whatever',
    }
    expect((await register(at(), registration(longest))).status).toBe(200)
    expect((await register(at(), registration({ username: '1234567', referer: null }))).status).toBe(200)
  })

  it('reports all invalid fields together', async () => {
    const answer = await register(at(), { username: 'A', password: '1', language: 5 })
    expect(answer.status).toBe(400)
    expect(itemsOf(answer).map(({ code }) => code).sort()).toEqual(
      ['appId-required', 'email-required', 'language-invalid', 'password-invalid', 'username-invalid'].sort(),
    )
  })

  it.each([['[]'], ['"text"'], ['null'], ['5']])('refuses the body %s', async (body) => {
    expect(await register(at(), body)).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  it('refuses a body that is not JSON, and a missing body', async () => {
    expect(await register(at(), '{')).toMatchObject({ status: 400, body: { error: { id: 'invalid-request-structure' } } })
    const withoutBody = await request(`${at().url}users`, { method: 'POST' })
    expect(withoutBody).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  it('reports all values in use', async () => {
    const existing = registration()
    await register(at(), existing)
    const { username, email } = existing
    const conflict = async (more: object): Promise<unknown> => {
      const answer = await register(at(), { ...registration(), ...more })
      expect(answer).toMatchObject({ status: 409, body: { error: { id: 'item-already-exists', message: expect.any(String) as string } } })
      return (answer.body['error'] as { data: unknown }).data
    }
    expect(await conflict({ username })).toEqual({ username })
    expect(await conflict({ email })).toEqual({ email })
    expect(await conflict({ username, email })).toEqual({ username, email })
    expect(await conflict({ email: String(email).toUpperCase() })).toEqual({ email: String(email).toUpperCase() })
  })

  it.each(['coffer', 'coffer-support', 'admin', 'access', 'register', 'users', 'oauth2', 'system', 'previews', 'series', 'support', 'account', 'login', 'email'])(
    'refuses the reserved username %s like one in use',
    async (username) => {
      const answer = await register(at(), registration({ username }))
      expect(answer).toMatchObject({ status: 409, body: { error: { id: 'item-already-exists', data: { username } } } })
    },
  )

  it('reserves no username for a refused registration', async () => {
    const existing = registration()
    await register(at(), existing)
    const refused = registration({ email: existing['email'] })
    expect((await register(at(), refused)).status).toBe(409)
    expect((await register(at(), { ...refused, email: 'fresh@example.org' })).status).toBe(200)
  })

  it('neither returns nor logs a password', async () => {
    const password = 'very secret words'
    const input = registration({ password })
    const answers = [await register(at(), input), await register(at(), input), await register(at(), { ...input, appId: 'x' })]
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain(password)
    expect(at().logged.join('\n')).not.toContain(password)
  })
})

describe('password rules', () => {
  const at = withNode({ 'auth.passwordComplexityMinLength': 10, 'auth.passwordComplexityMinCharCategories': 3 })

  it.each([
    ['too short', 'Aa1bcdefg', /9.*10/],
    ['of too few character categories', 'abcdefghi1', /2.*3/],
    ['of one character category', 'abcdefghijkl', /1.*3/],
  ])('refuse a password that is %s, with the detail as data', async (_, password, detail) => {
    const answer = await register(at(), registration({ password }))
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    expect((answer.body['error'] as { data: unknown }).data).toEqual([expect.stringMatching(detail)])
  })

  it.each(['Aa1bcdefgh', 'abcdefgh1!', 'ABCDEFGH1é'])('accept %s', async (password) => {
    expect((await register(at(), registration({ password }))).status).toBe(200)
  })

  it('are checked after the format of the fields', async () => {
    const answer = await register(at(), registration({ password: 'Aa1bcdefg', appId: 'x' }))
    expect(itemsOf(answer)).toMatchObject([{ code: 'appid-invalid' }])
  })
})

describe('account fields of the operator', () => {
  const at = withNode({
    'custom.systemStreams.account': [
      { id: 'email', type: 'email/string', isIndexed: true, isUnique: true, isRequiredInValidation: true },
      { id: 'badge', type: 'badge/string', isIndexed: true, isUnique: true },
      { id: 'insurance', type: 'insurance/string', isIndexed: true, regexValidation: '^[0-9]{4}$', regexError: { code: 'insurance-odd', message: 'Four digits.' } },
      { id: 'floor', type: 'count/generic', isRequiredInValidation: true },
      { id: 'colour', type: 'colour/string', default: 'blue' },
      { id: 'secret', type: 'secret/string', isShown: false },
    ],
  })
  const inputWithFloor = (more: Record<string, unknown> = {}): Record<string, unknown> => registration({ floor: '3', ...more })

  it('are set at registration, or by default', async () => {
    const { status, body } = await register(at(), inputWithFloor({ badge: 'b-1', insurance: '1234', floor: 7, secret: 's' }))
    expect(status).toBe(200)
    const events = await request(`${at().url}${String(body['username'])}/events?limit=100`, { token: String(body['token']) })
    const contents = Object.fromEntries(
      (events.body['events'] as { id: string; content: unknown }[]).map(({ id, content }) => [id, content]),
    )
    expect(contents).toMatchObject({
      ':system:badge': 'b-1',
      ':system:insurance': '1234',
      ':system:floor': 7,
      ':system:colour': 'blue',
    })
    expect(JSON.stringify(events.body)).not.toContain(':system:secret')
    const loaded = await at().node.accounts.find(String(body['username']))
    expect(loaded?.user.hidden).toMatchObject({ secret: 's' })
  })

  it('are required as configured, with exactly this error data', async () => {
    expect(itemsOf(await register(at(), inputWithFloor({ email: undefined })))).toEqual([
      { code: 'email-required', message: 'Email is required', path: '#/', param: 'email' },
    ])
    expect(itemsOf(await register(at(), registration()))).toMatchObject([{ code: 'floor-required', path: '#/', param: 'floor' }])
  })

  it('must match their pattern, with exactly this error data', async () => {
    for (const insurance of ['12', '12345', 'abcd', 99]) {
      expect(itemsOf(await register(at(), inputWithFloor({ insurance })))).toEqual([
        { code: 'insurance-odd', message: 'Four digits.', path: '#/insurance', param: 'insurance' },
      ])
    }
    expect((await register(at(), inputWithFloor({ insurance: 1234 }))).status).toBe(200)
  })

  it.each([{ a: 1 }, ['x'], true, null])('refuse %j as an indexed value', async (badge) => {
    expect(await register(at(), inputWithFloor({ badge }))).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  it('that are unique are refused when in use, all together', async () => {
    const first = inputWithFloor({ badge: 'unique' })
    await register(at(), first)
    const { username, email } = first
    const answer = await register(at(), inputWithFloor({ username, email, badge: 'unique' }))
    expect(answer).toMatchObject({ status: 409, body: { error: { data: { username, email, badge: 'unique' } } } })
  })
})
