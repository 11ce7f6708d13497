/** Page that sets up, replaces and disables the second factor. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { codeSentTo, startSmsService, type SmsService } from '../../support/services/smsService.js'
import { callsOf, codeAt, enrol, password, wrongCodeAt, type Person } from '../../support/people/totp.js'
import { visitor, type Visitor } from '../../support/people/visitor.js'

const PATH = '/web/second-factor/set-up'
const clock = fakeClock()
let service: SmsService
let node: TestNode
let both: TestNode
let people = 0

beforeAll(async () => {
  service = await startSmsService()
  node = await startTestNode({ 'services.mfa.stepUp.required': true }, { clock })
  both = await startTestNode(
    {
      'services.mfa.methods.sms.active': true,
      'services.mfa.methods.sms.endpoints.single': { url: `${service.url}/send`, body: '{"text":"{{ code }}","to":"{{ phone }}"}' },
      'services.mfa.methods.sms.sendLimits.perDestinationPerDay': 0,
      'services.mfa.stepUp.required': false,
    },
    { clock },
  )
})
afterAll(async () => {
  await node.stop()
  await both.stop()
  await service.stop()
})

/** Creates an account, signs in, and opens the page of the second factor. */
async function signedIn(on = node, language = 'en'): Promise<{ browser: Visitor; who: Person }> {
  people += 1
  const username = `person-${people}`
  const account = { username, token: await registerUser(on, username) }
  const browser = visitor(on, language)
  await browser.open('/web/sign-in?to=%2Fsecond-factor%2Fset-up')
  await browser.submit({ name: username, password })
  expect(browser.page.path).toBe(PATH)
  await browser.open(PATH)
  return { browser, who: account }
}

const keyOn = ({ page }: Visitor): string => (/<code id="key">([A-Z2-7 ]+)<\/code>/.exec(page.html)?.[1] ?? '').replaceAll(' ', '')
const codesOn = ({ page }: Visitor): string[] => [...page.html.matchAll(/<li>([0-9a-f-]{36})<\/li>/g)].map(([, code = '']) => code)
const methodOf = async (on: TestNode, account: Person): Promise<unknown> =>
  ((await callsOf(on, account).profile())['mfa'] as { method?: unknown } | undefined)?.method

/** Sets up an app with the code of the previous time step, so that the current one remains unused. */
async function withApp(on = node): Promise<{ browser: Visitor; who: Person; secret: string }> {
  const { browser, who: account } = await signedIn(on)
  await browser.submit()
  const secret = keyOn(browser)
  await browser.submit({ code: codeAt(secret, clock.now() - 30) })
  expect(codesOn(browser)).toHaveLength(10)
  await browser.open(PATH)
  return { browser, who: account, secret }
}

describe('set-up of an authenticator app', () => {
  it('shows a QR code and the key, accepts the first code, and shows the recovery codes once', async () => {
    const { browser, who: account } = await signedIn()
    expect(browser.page.text).toContain('Your account has no second factor.')
    const page = await browser.submit()
    expect(page.path).toBe(PATH)
    const key = keyOn(browser)
    expect(key).toMatch(/^[A-Z2-7]{32}$/)
    expect(page.html).toMatch(/<code id="key">([A-Z2-7]{4} ?){8}<\/code>/)
    expect(page.html).toMatch(/<svg class="qr" role="img" aria-label="QR code/)
    expect(page.html).not.toMatch(/ style=|otpauth:/)
    expect(Buffer.byteLength(page.html)).toBeLessThan(20_000)
    expect(await methodOf(node, account)).toBeUndefined()
    const done = await browser.submit({ code: codeAt(key, clock.now()) })
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('The second factor is on')])
    expect(done.html).toMatch(/<button[^>]*data-copy="codes"/)
    const codes = codesOn(browser)
    expect(new Set(codes).size).toBe(10)
    expect(await methodOf(node, account)).toBe('totp')
    const after = await browser.open(PATH)
    expect(after.text).toContain('On: signing in asks for a code of your authenticator app.')
    for (const code of codes) expect(after.html).not.toContain(code)
    expect((await callsOf(node, account).recover(codes[0])).status).toBe(200)
  })

  it('shows the same key after a reload and after a wrong code', async () => {
    const { browser } = await signedIn()
    await browser.submit()
    const key = keyOn(browser)
    await browser.open(PATH)
    expect(keyOn(browser)).toBe(key)
    const wrong = await browser.submit({ code: wrongCodeAt(key, clock.now()) })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('The code is wrong.')])
    expect(keyOn(browser)).toBe(key)
    await browser.submit({ code: codeAt(key, clock.now()) })
    expect(codesOn(browser)).toHaveLength(10)
  })

  it.each([
    ['the overview', '', '/web/overview'],
    ['a pending access request', '?key=abcdefghijklmnop', '/web/authorize?key=abcdefghijklmnop'],
    ['a pending OAuth consent', '?oauth=state', '/web/oauth-consent?oauth=state'],
  ])('leads to %s afterwards', async (_, query, target) => {
    const { browser } = await signedIn()
    await browser.open(PATH + query)
    await browser.submit()
    const done = await browser.submit({ code: codeAt(keyOn(browser), clock.now()) })
    expect(/<a class="button" href="([^"]*)"/.exec(done.html)?.[1]).toContain(target)
  })

  it('stores the key in no readable cookie, URL or cache', async () => {
    const { browser } = await signedIn()
    await browser.submit()
    const key = keyOn(browser)
    for (const value of browser.cookies.values()) expect(value).not.toContain(key)
    expect(browser.page.path).toBe(PATH)
    expect(browser.page.headers.get('cache-control')).toBe('no-store')
  })

  it('can be confirmed once', async () => {
    const { browser, who: account } = await signedIn()
    await browser.submit()
    const code = codeAt(keyOn(browser), clock.now())
    const [first, second] = [browser.page, visitor(node)]
    for (const [name, value] of browser.cookies) second.cookies.set(name, value)
    second.page = first
    await browser.submit({ code })
    const again = await second.submit({ code })
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('Nothing was changed')])
    expect(codesOn(second)).toEqual([])
    expect(await methodOf(node, account)).toBe('totp')
  })

  it('can be cancelled and restarted with another key', async () => {
    const { browser } = await signedIn()
    await browser.submit()
    const key = keyOn(browser)
    await browser.submit({}, 1)
    expect(browser.page.text).toContain('Your account has no second factor.')
    await browser.submit()
    expect(keyOn(browser)).not.toBe(key)
  })

  it('expires', async () => {
    const { browser } = await signedIn()
    await browser.submit()
    const code = codeAt(keyOn(browser), clock.now())
    clock.pass(1801)
    const page = await browser.submit({ code })
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('The set-up has expired')])
    await browser.submit()
    expect(keyOn(browser)).toMatch(/^[A-Z2-7]{32}$/)
  })

  it('is hidden from another account in the same browser', async () => {
    const { browser } = await signedIn()
    await browser.submit()
    const key = keyOn(browser)
    const other = await signedIn()
    for (const [name, value] of browser.cookies) if (name.endsWith('_enrol')) other.browser.cookies.set(name, value)
    const page = await other.browser.open(PATH)
    expect(page.html).not.toContain(key.slice(0, 4))
    expect(page.text).toContain('Your account has no second factor.')
  })

  it('refuses forms of another session', async () => {
    const { browser, who: account } = await signedIn()
    const other = await signedIn()
    const token = /name="form_token" value="([^"]+)"/.exec(other.browser.page.html)?.[1] ?? ''
    for (const form_token of [token, null]) {
      expect((await browser.submit({ form_token })).status).toBe(403)
      await browser.open(PATH)
    }
    expect(keyOn(browser)).toBe('')
    expect(await methodOf(node, account)).toBeUndefined()
  })
})

describe('replacing a factor', () => {
  it.each([
    ['empty fields', {}, 400, 'either your password or a code'],
    ['both', { password, code: '123456' }, 400, 'either your password or a code'],
    ['a wrong password', { password: 'wrong' }, 403, 'The password or the code is wrong.'],
    ['a wrong code', { code: '000000' }, 403, 'The password or the code is wrong.'],
  ])('is refused with %s', async (_, input, status, message) => {
    const { browser, who: account } = await withApp()
    await browser.open(`${PATH}?do=replace`)
    const page = await browser.submit(input)
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(message)])
    expect(page.html).toMatch(/<input[^>]*name="password"[^>]*aria-invalid="true"/)
    expect(keyOn(browser)).toBe('')
    expect(await methodOf(node, account)).toBe('totp')
  })

  it.each(['password', 'code'])('requires the %s and is effective once confirmed', async (by) => {
    const { browser, who: account, secret } = await withApp()
    await browser.open(`${PATH}?do=replace`)
    await browser.submit(by === 'code' ? { code: codeAt(secret, clock.now()) } : { password })
    const key = keyOn(browser)
    expect(key).not.toBe(secret)
    await browser.submit({ code: codeAt(key, clock.now()) })
    expect(codesOn(browser)).toHaveLength(10)
    clock.pass(60)
    expect((await callsOf(node, account).deactivate({ code: codeAt(secret, clock.now()) })).status).toBe(403)
    expect((await callsOf(node, account).deactivate({ code: codeAt(key, clock.now()) })).status).toBe(200)
  })
})

describe('disabling a factor', () => {
  it.each([
    ['empty fields', {}, 400],
    ['a wrong password', { password: 'wrong' }, 403],
  ])('is refused with %s', async (_, input, status) => {
    const { browser, who: account } = await withApp()
    await browser.open(`${PATH}?do=off`)
    expect((await browser.submit(input)).status).toBe(status)
    expect(await methodOf(node, account)).toBe('totp')
  })

  it('requires the password or a code', async () => {
    const { browser, who: account } = await withApp()
    await browser.open(`${PATH}?do=off`)
    const page = await browser.submit({ password })
    expect([page.path, page.text]).toEqual([`${PATH}?done=off`, expect.stringContaining('The second factor is off.')])
    expect(await methodOf(node, account)).toBeUndefined()
    const { secret } = await enrol(node, account, clock)
    await browser.open(`${PATH}?do=off`)
    await browser.submit({ code: codeAt(secret, clock.now()) })
    expect(await methodOf(node, account)).toBeUndefined()
  })

  it('requires nothing if the settings allow it', async () => {
    const { browser, who: account } = await withApp(both)
    const page = await browser.open(`${PATH}?do=off`)
    expect(page.html).not.toContain('name="password"')
    await browser.submit()
    expect(await methodOf(both, account)).toBeUndefined()
  })
})

describe('text messages', () => {
  it.each(['+41 79 123 45 67', '0041791234567', '+41 (79) 123-45.67'])('are sent to %s', async (phone) => {
    const { browser, who: account } = await signedIn(both)
    expect(browser.page.html).toMatch(/type="radio" name="method" value="totp" checked/)
    const page = await browser.submit({ method: 'sms', phone })
    expect(page.text).toContain('A code was sent to +41…567.')
    expect(service.asked.at(-1)?.body).toContain('"to":"+41791234567"')
    expect((await browser.submit({ code: codeSentTo(service) === '111111' ? '222222' : '111111' })).status).toBe(400)
    await browser.submit({ code: codeSentTo(service) })
    expect(codesOn(browser)).toHaveLength(10)
    expect(await methodOf(both, account)).toBe('sms')
    expect((await browser.open(PATH)).text).toContain('+41…567')
  })

  it('are sent again on request, after a delay', async () => {
    const { browser } = await signedIn(both)
    await browser.submit({ method: 'sms', phone: '+41791234567' })
    const soon = await browser.submit({}, 1)
    expect([soon.status, soon.text]).toEqual([429, expect.stringContaining('A message was already sent.')])
    clock.pass(31)
    expect((await browser.submit({}, 1)).text).toContain('A new code was sent.')
    await browser.submit({ code: codeSentTo(service) })
    expect(codesOn(browser)).toHaveLength(10)
  })

  it.each(['', '12', '079 123 45 67', '"><b>x</b>'])('are not sent to %j', async (phone) => {
    const { browser } = await signedIn(both)
    const page = await browser.submit({ method: 'sms', phone })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('This is not a phone number.')])
    expect(page.html).not.toContain('<b>x')
    expect(page.html).toMatch(/value="sms" checked/)
  })

  it('are reported if the service fails, and unknown methods are refused', async () => {
    const { browser } = await signedIn(both)
    service.answer = () => ({ status: 500 })
    const failed = await browser.submit({ method: 'sms', phone: '+41791234567' })
    service.answer = () => ({ status: 200 })
    expect([failed.status, failed.text]).toEqual([400, expect.stringContaining('could not be sent')])
    expect((await browser.submit({ method: 'smoke', phone: '' })).text).toContain('Choose one of the options')
  })
})

it.each([
  ['fr', 'Votre compte n’a pas de second facteur.', 'Scannez ceci', 'Vos codes de secours'],
  ['de', 'Ihr Konto hat keinen zweiten Faktor.', 'Scannen Sie dies', 'Ihre Wiederherstellungscodes'],
])('the page is available in %s', async (lang, none, scan, codes) => {
  const { browser } = await signedIn()
  expect((await browser.open(`${PATH}?lang=${lang}`)).text).toContain(none)
  expect((await browser.submit()).text).toContain(scan)
  expect((await browser.submit({ code: codeAt(keyOn(browser), clock.now()) })).text).toContain(codes)
})

it('the page offers no set-up if second factors are disabled', async () => {
  const off = await startTestNode({ 'services.mfa.active': false }, { clock })
  try {
    const { browser } = await signedIn(off)
    expect(browser.page.text).toContain('This service offers no second factor.')
    expect(browser.page.html).not.toContain('name="do"')
  } finally {
    await off.stop()
  }
})
