/** Second step of the sign-in page: code of an app, text message, recovery code. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { codeSentTo, startSmsService, type SmsService } from '../../support/services/smsService.js'
import { callsOf, codeAt, enrol, password, wrongCodeAt, type Person } from '../../support/people/totp.js'
import { visitor, type Visitor } from '../../support/people/visitor.js'

const clock = fakeClock()
const phone = '+41791234567'
let service: SmsService
let node: TestNode
let people = 0

beforeAll(async () => {
  service = await startSmsService()
  node = await startTestNode(
    {
      'services.mfa.methods.sms.active': true,
      'services.mfa.methods.sms.endpoints.single': { url: `${service.url}/send`, body: '{"text":"{{ code }}"}' },
      'services.mfa.methods.sms.sendLimits.perDestinationPerDay': 0,
      'services.mfa.sessions.maxPendingPerUser': 100,
    },
    { clock },
  )
})
afterAll(async () => {
  await node.stop()
  await service.stop()
})

async function person(): Promise<Person> {
  people += 1
  const username = `person-${people}`
  return { username, token: await registerUser(node, username) }
}

/** Creates a person with an authenticator app, and enters the password. */
async function atSecondStep(language = 'en', query = ''): Promise<{ browser: Visitor; who: Person; secret: string; codes: string[] }> {
  const account = await person()
  const { secret, recoveryCodes } = await enrol(node, account, clock)
  return { browser: await enterPassword(account, language, query), who: account, secret, codes: recoveryCodes }
}

async function withPhone(): Promise<Person> {
  const account = await person()
  const calls = callsOf(node, account)
  const { body } = await calls.activate({ method: 'sms', phone })
  expect((await calls.confirm(String(body['mfaToken']), codeSentTo(service))).status).toBe(200)
  return account
}

async function enterPassword({ username }: Person, language = 'en', query = ''): Promise<Visitor> {
  const browser = visitor(node, language)
  await browser.open(`/web/sign-in${query}`)
  await browser.submit({ name: username, password })
  expect(browser.page.path).toBe(`/web/second-factor${query}`)
  return browser
}

const isSignedIn = async (browser: Visitor): Promise<boolean> => (await browser.open('/web/overview')).path === '/web/overview'

describe('the code of an authenticator app', () => {
  it.each(['', '?key=abcdefgh12345678', '?to=%2Fsecond-factor%2Fset-up'])('signs in and continues from %j', async (query) => {
    const { browser, who: account, secret } = await atSecondStep('en', query)
    expect(browser.page.text).toContain('your authenticator app')
    expect(browser.page.html).toMatch(/<input[^>]*inputmode="numeric"[^>]*autocomplete="one-time-code"/)
    expect(browser.page.text).not.toContain('Send the code again')
    const page = await browser.submit({ code: codeAt(secret, clock.now()) })
    const goal = { '': '/web/overview', '?to=%2Fsecond-factor%2Fset-up': '/web/second-factor/set-up' }[query]
    expect(page.path).toBe(goal ?? `/web/authorize${query}`)
    expect((await browser.open('/web/overview')).text).toContain(`${account.username}`)
  })

  it('may contain spaces', async () => {
    const { browser, secret } = await atSecondStep()
    const code = codeAt(secret, clock.now())
    await browser.submit({ code: ` ${code.slice(0, 3)} ${code.slice(3)} ` })
    expect(browser.page.path).toBe('/web/overview')
  })

  it.each(['wrong', '', '12', '1234567890123456', '<b>"x"'])('is requested again after %j', async (input) => {
    const { browser, secret } = await atSecondStep()
    const page = await browser.submit({ code: input === 'wrong' ? wrongCodeAt(secret, clock.now()) : input })
    expect(page.status).toBe(400)
    expect(page.text).toContain('The code is wrong or was already used.')
    expect(page.html).toMatch(/<input[^>]*name="code"[^>]*aria-invalid="true"/)
    expect(page.html).not.toContain('<b>')
    await browser.submit({ code: codeAt(secret, clock.now()) })
    expect(browser.page.path).toBe('/web/overview')
  })

  it('is delayed after several wrong ones', async () => {
    const { browser, secret } = await atSecondStep()
    for (let n = 0; n < 4; n++) await browser.submit({ code: wrongCodeAt(secret, clock.now()) })
    const page = await browser.submit({ code: codeAt(secret, clock.now()) })
    expect(page.status).toBe(429)
    expect(page.text).toMatch(/Try again in \d+ seconds?\./)
    expect(page.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(page.html).toMatch(/<form[^>]* data-wait="\d+"/)
    clock.pass(3)
    await browser.submit({ code: codeAt(secret, clock.now()) })
    expect(browser.page.path).toBe('/web/overview')
  })

  it('ends the sign-in after too many wrong ones', async () => {
    const { browser, secret } = await atSecondStep()
    for (let n = 0; n < 5; n++) {
      clock.pass(10)
      await browser.submit({ code: wrongCodeAt(secret, clock.now()) })
    }
    expect(browser.page.status).toBe(403)
    expect(browser.page.text).toContain('This sign-in has expired')
    expect(browser.page.html).toContain('href="/web/sign-in"')
    expect((await browser.open('/web/second-factor')).path).toBe('/web/sign-in')
  })

  it('and its pending sign-in can be used once', async () => {
    const { browser, secret } = await atSecondStep()
    const step = new Map(browser.cookies)
    await browser.submit({ code: codeAt(secret, clock.now()) })
    expect([...browser.cookies.keys()].some((name) => name.endsWith('_step'))).toBe(false)
    const other = visitor(node)
    for (const [name, value] of step) other.cookies.set(name, value)
    const again = await other.open('/web/second-factor')
    expect(again.status).toBe(403)
    expect(await isSignedIn(other)).toBe(false)
  })

  it('opens one session with concurrent forms', async () => {
    const { browser, secret } = await atSecondStep()
    const code = codeAt(secret, clock.now())
    const copies = Array.from({ length: 5 }, () => {
      const copy = visitor(node)
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
      copy.page = browser.page
      return copy
    })
    await Promise.all(copies.map((copy) => copy.submit({ code })))
    const paths = copies.map(({ page }) => page.path)
    expect(paths.filter((path) => path === '/web/overview')).toHaveLength(1)
  })
})

describe('a pending sign-in', () => {
  it('expires', async () => {
    const { browser, secret } = await atSecondStep()
    clock.pass(1801)
    const page = await browser.submit({ code: codeAt(secret, clock.now()) })
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('This sign-in has expired')])
  })

  it('ends when the second factor is removed', async () => {
    const { browser, who: account } = await atSecondStep()
    await callsOf(node, account).deactivate({ password })
    // The page checks the second factor, not only the session.
    expect((await browser.open('/web/second-factor')).text).toContain('This sign-in has expired')
  })

  it.each(['/web/second-factor', '/web/second-factor?with=recovery'])('requires a password first: %s', async (path) => {
    expect((await visitor(node).open(path)).path).toBe('/web/sign-in')
  })

  it('redirects a signed-in person', async () => {
    const { browser, secret } = await atSecondStep()
    await browser.submit({ code: codeAt(secret, clock.now()) })
    expect((await browser.open('/web/second-factor')).path).toBe('/web/overview')
  })

  it('refuses forms without its token', async () => {
    const { browser, secret } = await atSecondStep()
    const other = await atSecondStep()
    const token = /name="form_token" value="([^"]+)"/.exec(other.browser.page.html)?.[1] ?? ''
    for (const form_token of [null, token]) {
      const page = await browser.submit({ code: codeAt(secret, clock.now()), form_token })
      expect(page.status).toBe(403)
      await browser.open('/web/second-factor')
    }
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('ends when the node no longer requires a second factor', async () => {
    const off = await startTestNode({ 'services.mfa.active': false }, { clock })
    try {
      await registerUser(off, 'alice')
      const prefix = (await off.node.accounts.find('alice'))?.account.prefix ?? ''
      const browser = visitor(off)
      await browser.open('/web/sign-in')
      const [form] = [...browser.cookies.keys()]
      const step = JSON.stringify({ account: prefix, mfaToken: 'gone', method: 'totp' })
      browser.cookies.set(String(form).replace('_form', '_step'), off.node.store.seal.seal(step, 'cookie step'))
      expect((await browser.open('/web/second-factor')).text).toContain('A second factor is no longer required.')
    } finally {
      await off.stop()
    }
  })
})

describe('the code of a text message', () => {
  it('signs in, and is sent again on request', async () => {
    const browser = await enterPassword(await withPhone())
    expect(browser.page.text).toContain('by text message')
    const soon = await browser.submit({}, 1)
    expect(soon.status).toBe(429)
    expect(soon.text).toMatch(/A message was already sent\. You can request another one in \d+ seconds/)
    expect(soon.html.indexOf('role="alert"')).toBeGreaterThan(soon.html.indexOf('name="code"'))
    const first = codeSentTo(service)
    clock.pass(31)
    const page = await browser.submit({}, 1)
    expect(page.path).toBe('/web/second-factor?sent=yes')
    expect(page.text).toContain('A new code was sent.')
    expect((await browser.submit({ code: first })).status).toBe(400)
    await browser.submit({ code: codeSentTo(service) })
    expect(browser.page.path).toBe('/web/overview')
  })

  it('remains valid if another cannot be sent', async () => {
    const browser = await enterPassword(await withPhone())
    const code = codeSentTo(service)
    clock.pass(31)
    service.answer = () => ({ status: 500 })
    const page = await browser.submit({}, 1)
    service.answer = () => ({ status: 200 })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('could not be sent')])
    await browser.submit({ code })
    expect(browser.page.path).toBe('/web/overview')
  })
})

describe('a recovery code', () => {
  it('with the password signs in, removes the factor, and opens the set-up page', async () => {
    const { browser, who: account, codes } = await atSecondStep()
    expect(browser.page.html).toContain('href="/web/second-factor?with=recovery"')
    await browser.open('/web/second-factor?with=recovery')
    expect(browser.page.text).toContain('removes the second factor')
    const page = await browser.submit({ recoveryCode: ` ${String(codes[3]).toUpperCase()} `, password })
    expect(page.path).toBe('/web/second-factor/set-up?done=recovered')
    expect((await browser.open('/web/overview')).text).toContain(`${account.username}`)
    const next = visitor(node)
    await next.open('/web/sign-in')
    expect((await next.submit({ name: account.username, password })).path).toBe('/web/overview')
  })

  it('continues with the pending access request', async () => {
    const { browser, codes } = await atSecondStep('en', '?key=abcdefgh12345678')
    await browser.open('/web/second-factor?key=abcdefgh12345678&with=recovery')
    const page = await browser.submit({ recoveryCode: String(codes[0]), password })
    expect(page.path).toBe('/web/authorize?key=abcdefgh12345678')
  })

  it.each([
    ['a wrong code', { recoveryCode: 'no code', password }, 400, 'The recovery code is wrong.', 'recoveryCode'],
    ['a wrong password', { password: 'wrong' }, 401, 'The password is wrong.', 'password'],
    ['empty fields', { recoveryCode: '', password: '' }, 401, 'The password is wrong.', 'password'],
  ])('is refused with %s, and the factor remains', async (_, input, status, message, field) => {
    const { browser, secret, codes } = await atSecondStep()
    await browser.open('/web/second-factor?with=recovery')
    const page = await browser.submit({ recoveryCode: String(codes[0]), ...input })
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(message)])
    expect(page.html).toMatch(new RegExp(`<input[^>]*name="${field}"[^>]*aria-invalid="true"`))
    expect(page.html).not.toContain(String(codes[0]))
    await browser.open('/web/second-factor')
    await browser.submit({ code: codeAt(secret, clock.now()) })
    expect(browser.page.path).toBe('/web/overview')
  })

  it('is refused if the factor was removed', async () => {
    const { browser, who, codes } = await atSecondStep()
    await browser.open('/web/second-factor?with=recovery')
    await callsOf(node, who).deactivate({ password })
    const page = await browser.submit({ recoveryCode: String(codes[0]), password })
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('no longer has a second factor')])
  })
})

it.each([
  ['fr', 'Confirmez que c’est vous', 'Utiliser un code de secours', 'Le code est incorrect'],
  ['de', 'Bestätigen Sie, dass Sie es sind', 'Wiederherstellungscode verwenden', 'Der Code ist falsch'],
])('the second step is available in %s', async (language, title, recovery, wrong) => {
  const { browser } = await atSecondStep(language, `?lang=${language}`)
  expect(browser.page.html).toContain(`<html lang="${language}">`)
  expect(browser.page.text).toContain(title)
  expect((await browser.submit({ code: '' })).text).toContain(wrong)
  expect((await browser.open(`/web/second-factor?with=recovery&lang=${language}`)).text).toContain(recovery)
})
