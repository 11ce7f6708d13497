/** Codes by text message, through a service of the operator (docs/interface/mfa.md#text-messages). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { codeSentTo, startSmsService, type SmsService } from '../../../support/services/smsService.js'
import { callsOf, password, trusting, waitingLogin, type Person } from '../../../support/people/totp.js'

const clock = fakeClock()
const phone = '+41791234567'
let service: SmsService
let node: TestNode
let strict: TestNode
let people = 0
beforeAll(async () => {
  service = await startSmsService()
  const sms = {
    ...trusting,
    'services.mfa.methods.sms.active': true,
    'services.mfa.methods.sms.contentKeys': ['name', 'country'],
    'services.mfa.methods.sms.endpoints.single': {
      url: `${service.url}/send?to={{ phone }}&name={{name}}&x={{ unknown }}`,
      body: '{"text":"{{ code }}","to":"{{phone}}","name":"{{ name }}"}',
      headers: { 'X-Key': 'the-key-of-the-service', 'X-Country': '{{ country }}' },
    },
  }
  const limits = 'services.mfa.methods.sms.sendLimits'
  node = await startTestNode({ ...sms, [`${limits}.perUserPerHour`]: 0, [`${limits}.perDestinationPerDay`]: 0, [`${limits}.minIntervalSeconds`]: 0 }, { clock })
  strict = await startTestNode(sms, { clock })
})
afterAll(async () => {
  await node.stop()
  await strict.stop()
  await service.stop()
})
beforeEach(() => {
  service.asked.length = 0
  service.answer = () => ({ status: 200, body: '{"sent":true}' })
})

async function newAccount(on: TestNode): Promise<Person> {
  people += 1
  const username = `person-${people}`
  return { username, token: await registerUser(on, username) }
}

async function enrolledAccount(on = node, number = phone): Promise<Person> {
  const owner = await newAccount(on)
  const calls = callsOf(on, owner)
  const { status, body } = await calls.activate({ method: 'sms', phone: number })
  expect(status).toBe(302)
  expect((await calls.confirm(String(body['mfaToken']), codeSentTo(service))).status).toBe(200)
  return owner
}

const ended = { status: 403, body: { error: { id: 'forbidden' } } }
const wrong = { status: 400, body: { error: { data: { id: 'invalid-mfa-code' } } } }
const failed = { status: 400, body: { error: { id: 'invalid-operation', data: { id: 'mfa-sms-provider-error' } } } }
const other = (code: string): string => (code === '111111' ? '222222' : '111111')

describe('the setup of text messages', () => {
  it('sends a code, which confirms it', async () => {
    const owner = await newAccount(node)
    const calls = callsOf(node, owner)
    const { status, body } = await calls.activate({ method: 'sms', phone, name: 'Ana' })
    expect(status).toBe(302)
    expect(Object.keys(body).sort()).toEqual(['meta', 'mfaToken'])
    expect(service.asked).toHaveLength(1)
    const code = codeSentTo(service)
    expect(code).toMatch(/^[0-9]{6}$/)
    expect(JSON.stringify(body)).not.toContain(code)
    const mfaToken = String(body['mfaToken'])
    expect(await calls.confirm(mfaToken, other(code))).toMatchObject(wrong)
    expect((await calls.login()).status).toBe(200)
    const confirmed = await calls.confirm(mfaToken, code)
    expect(confirmed.body['recoveryCodes']).toHaveLength(10)
    expect((await calls.profile())['mfa']).toEqual({ method: 'sms', content: { phone, name: 'Ana' } })
    expect(await calls.confirm(mfaToken, code)).toMatchObject(ended)
  })

  it.each<[string, Record<string, unknown>]>([
    ['no phone', {}],
    ['a phone without a plus', { phone: '41791234567' }],
    ['a phone with blanks', { phone: '+41 79 123 45 67' }],
    ['a phone that is a number', { phone: 41791234567 }],
    ['an unlisted key', { phone, colour: 'red' }],
    ['a value that is not a string', { phone, name: { a: 1 } }],
    ['a value of dots', { phone, name: '..' }],
    ['too much text', { phone, name: 'x'.repeat(250) }],
    ['a value with line breaks for a header', { phone, country: 'a\r\nX-Other: 1' }],
    ['a value with non-ASCII characters for a header', { phone, country: 'Zürich' }],
  ])('is refused with %s, without a message', async (_, content) => {
    const answer = await callsOf(node, await newAccount(node)).activate({ method: 'sms', ...content })
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format', data: { id: 'invalid-mfa-content' } } } })
    expect(service.asked).toHaveLength(0)
  })

  it('neither stores nor sends the password of a step-up', async () => {
    const owner = await enrolledAccount()
    const calls = callsOf(node, owner)
    const { body } = await calls.activate({ method: 'sms', phone: '+41791111111', password })
    expect(JSON.stringify(service.asked)).not.toContain(password)
    await calls.confirm(String(body['mfaToken']), codeSentTo(service))
    expect((await calls.profile())['mfa']).toEqual({ method: 'sms', content: { phone: '+41791111111' } })
  })

  it('leaves an earlier pending setup unchanged when it fails', async () => {
    const owner = await newAccount(node)
    const calls = callsOf(node, owner)
    const { body } = await calls.activate({ method: 'sms', phone })
    const code = codeSentTo(service)
    service.answer = () => ({ status: 500 })
    expect(await calls.activate({ method: 'sms', phone })).toMatchObject(failed)
    expect((await calls.confirm(String(body['mfaToken']), code)).status).toBe(200)
  })
})

describe('a request to the service', () => {
  it('escapes each value for its context', async () => {
    const name = `"}&to=+1\\ü{{ code }}`
    await callsOf(node, await newAccount(node)).activate({ method: 'sms', phone, name, country: 'CH' })
    const [sent] = service.asked
    expect(sent?.url).toBe(`/send?to=%2B41791234567&name=${encodeURIComponent(name)}&x={{%20unknown%20}}`)
    expect(JSON.parse(sent?.body ?? '')).toEqual({ text: codeSentTo(service), to: phone, name })
    expect(sent?.headers).toMatchObject({ 'x-key': 'the-key-of-the-service', 'x-country': 'CH', 'content-type': 'application/json' })
  })

  it.each<[string, ReturnType<SmsService['answer']>]>([
    ['is refused', { status: 400 }],
    ['fails', { status: 503, body: 'the-inner-life' }],
    ['is redirected', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
    ['is disconnected', 'nothing'],
    ['gets a large response', { status: 200, body: 'x'.repeat(100_000) }],
  ])('that %s fails the login with an error that reveals nothing of the service', async (_, answer) => {
    const owner = await enrolledAccount()
    service.answer = () => answer
    const refused = await callsOf(node, owner).login()
    expect(refused).toMatchObject(failed)
    // The serial in `meta` is random, and may contain the digits of a status.
    expect(JSON.stringify(refused.body['error'])).not.toMatch(/127\.0\.0\.1|inner-life|50\d/)
    const { body } = await request(`${node.url}${owner.username}/accesses`, { token: owner.token })
    expect(body['accesses']).toHaveLength(1)
    expect(node.logged.join('\n')).not.toContain('the-key-of-the-service')
  })
})

describe('a login by text message', () => {
  it('sends a code, which completes the login once', async () => {
    const owner = await enrolledAccount()
    const calls = callsOf(node, owner)
    const login = await calls.login()
    expect(login).toMatchObject({ status: 302, body: { mfaMethod: 'sms' } })
    const mfaToken = String(login.body['mfaToken'])
    const code = codeSentTo(service)
    expect(await calls.verify(mfaToken, other(code))).toMatchObject(wrong)
    const answers = await Promise.all(Array.from({ length: 50 }, () => calls.verify(mfaToken, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await calls.verify(mfaToken, code)).toMatchObject(ended)
  })

  it('accepts only the latest code, for five minutes', async () => {
    const owner = await enrolledAccount()
    const calls = callsOf(node, owner)
    const mfaToken = await waitingLogin(node, owner)
    const first = codeSentTo(service)
    clock.pass(299)
    expect(await calls.challenge(mfaToken)).toMatchObject({ status: 200, body: { message: expect.any(String) as string } })
    const second = codeSentTo(service)
    if (first !== second) expect(await calls.verify(mfaToken, first)).toMatchObject(wrong)
    clock.pass(301)
    expect(await calls.verify(mfaToken, second)).toMatchObject(wrong)
    await calls.challenge(mfaToken)
    expect((await calls.verify(mfaToken, codeSentTo(service))).status).toBe(200)
  })

  it('refuses the code of another login', async () => {
    const owner = await enrolledAccount()
    const calls = callsOf(node, owner)
    const first = await waitingLogin(node, owner)
    const code = codeSentTo(service)
    const second = await waitingLogin(node, owner)
    if (code !== codeSentTo(service)) expect(await calls.verify(second, code)).toMatchObject(wrong)
    expect((await calls.verify(first, code)).status).toBe(200)
  })

  it('sends no message after the factor was removed', async () => {
    const owner = await enrolledAccount()
    const calls = callsOf(node, owner)
    const mfaToken = await waitingLogin(node, owner)
    await calls.deactivate()
    service.asked.length = 0
    expect(await calls.challenge(mfaToken)).toMatchObject(ended)
    expect(service.asked).toHaveLength(0)
  })
})

describe('text messages', () => {
  const limited = (seconds: number): object => ({
    status: 429,
    body: { error: { id: 'too-many-attempts', data: { retryAfterSeconds: seconds } } },
  })

  it('of one login have an interval of half a minute', async () => {
    const owner = await enrolledAccount(strict, '+41790000001')
    const calls = callsOf(strict, owner)
    const mfaToken = await waitingLogin(strict, owner)
    service.asked.length = 0
    const refused = await calls.challenge(mfaToken)
    expect(refused).toMatchObject(limited(30))
    expect(refused.headers.get('retry-after')).toBe('30')
    clock.pass(30)
    const answers = await Promise.all([1, 2, 3].map(() => calls.challenge(mfaToken)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429])
    expect(service.asked).toHaveLength(1)
  })

  it('of one account are limited to five an hour, including failed ones', async () => {
    const owner = await enrolledAccount(strict, '+41790000002')
    const calls = callsOf(strict, owner)
    service.answer = () => ({ status: 500 })
    for (let n = 0; n < 2; n++) expect(await calls.login()).toMatchObject(failed)
    service.answer = () => ({ status: 200 })
    for (let n = 0; n < 2; n++) expect((await calls.login()).status).toBe(302)
    service.asked.length = 0
    clock.pass(600)
    expect(await calls.login()).toMatchObject(limited(3000))
    expect(service.asked).toHaveLength(0)
    clock.pass(3000)
    expect((await calls.login()).status).toBe(302)
  })

  it('to one phone are limited to ten a day over all accounts', async () => {
    const number = '+41790000003'
    const sends = await Promise.all(
      Array.from({ length: 14 }, async () => callsOf(strict, await newAccount(strict)).activate({ method: 'sms', phone: number })),
    )
    expect(sends.filter(({ status }) => status === 302)).toHaveLength(10)
    expect(service.asked).toHaveLength(10)
    const late = callsOf(strict, await newAccount(strict))
    expect(await late.activate({ method: 'sms', phone: number })).toMatchObject(limited(86_400))
    clock.pass(86_400)
    expect((await late.activate({ method: 'sms', phone: number })).status).toBe(302)
  })
})
