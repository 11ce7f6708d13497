/** Registration page on a node that requires verification of the e-mail address, in a browser without scripts. */
import { beforeEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { testMailer } from '../../support/services/mail.js'
import { request } from '../../support/nodes/node.js'
import { withNode } from '../../support/nodes/started.js'
import { visitor, type Page, type Visitor } from '../../support/people/visitor.js'

const clock = fakeClock()
const mail = testMailer()
const settings = {
  'account.emailVerification.requireAtRegistration': true,
  'account.emailVerification.registrationCodeMaxAttempts': 3,
  'account.emailVerification.registrationCodeDailyLimit': 4,
}
const node = withNode(settings, { clock, mail })
beforeEach(() => {
  mail.isBroken = false
  clock.pass(2 * 86_400)
})

const PASSWORD = 'correct horse'
/** Indexes of the forms of the page for the code. */
const [CODE, AGAIN, OTHER] = [0, 1, 2]
let people = 0
interface Person {
  username: string
  email: string
}
function person(): Person {
  const username = `prover-${(people += 1)}`
  return { username, email: `${username}@example.org` }
}
const codeOf = (email: string): string => mail.latest(email, 'CODE')

async function requestCode(email: string, language = 'en'): Promise<Visitor> {
  const browser = visitor(node(), language)
  await browser.open('/web/register')
  await browser.submit({ email })
  return browser
}
async function verify({ email }: Person): Promise<Visitor> {
  const browser = await requestCode(email)
  await browser.submit({ code: codeOf(email) }, CODE)
  return browser
}
const register = (browser: Visitor, { username }: Person): Promise<Page> =>
  browser.submit({ username, password: PASSWORD, again: PASSWORD })
const wrongCode = (email: string): string => (codeOf(email).startsWith('A') ? 'BBBB-BBBB' : 'AAAA-AAAA')

describe('registration with a code', () => {
  it('creates an account with a verified address', async () => {
    const newPerson = person()
    const browser = visitor(node())
    expect((await browser.open('/web/register')).text).toContain('First confirm your e-mail address')
    expect((await browser.submit({ email: ` ${newPerson.email} ` })).text).toContain(`We have sent a code to ${newPerson.email}`)
    expect(browser.page.path).toBe('/web/register')
    const form = await browser.submit({ code: codeOf(newPerson.email).toLowerCase().replace('-', ' ') }, CODE)
    expect(form.text).toContain(`E-mail address: ${newPerson.email} Confirmed`)
    expect((await register(browser, newPerson)).path).toBe('/web/overview')
    expect([...browser.cookies.keys()].filter((name) => name.endsWith('_register'))).toEqual([])
    const login = await request(`${node().url}${newPerson.username}/auth/login`, {
      body: { username: newPerson.username, password: PASSWORD, appId: 'test-app' },
      headers: { origin: new URL(node().url).origin },
    })
    const { body } = await request(`${node().url}${newPerson.username}/account`, { token: String(login.body['token']) })
    expect(body['account']).toMatchObject({ emails: [{ status: 'verified', verificationMethod: 'email-code' }] })
  })

  it('can be continued after opening the page again', async () => {
    const newPerson = person()
    const browser = await requestCode(newPerson.email)
    expect((await browser.open('/web/register')).text).toContain('We have sent a code')
    await browser.submit({ code: codeOf(newPerson.email) }, CODE)
    expect((await browser.open('/web/register?lang=fr')).text).toContain('Confirmée')
    expect((await register(browser, newPerson)).path).toBe('/web/overview?lang=fr')
  })

  it('reveals neither code nor proof in pages, URLs, cookies or the log', async () => {
    const newPerson = person()
    const browser = await verify(newPerson)
    const sealed = [...browser.cookies].find(([name]) => name.endsWith('_register'))?.[1] ?? ''
    const proof = JSON.parse(node().node.store.seal.open(sealed, 'cookie register')) as { proof: string }
    const texts = [browser.page.html, (await browser.submit({ username: 'x' })).html, browser.page.path]
    texts.push(...browser.cookies.values(), ...node().logged)
    for (const secret of [proof.proof, codeOf(newPerson.email)]) expect(texts.filter((one) => one.includes(secret))).toEqual([])
  })

  it('refuses another address than the verified one', async () => {
    const newPerson = person()
    const browser = await verify(newPerson)
    const page = await browser.submit({ username: newPerson.username, password: PASSWORD, again: PASSWORD, email: 'else@example.org' })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('has expired')])
    expect((await request(`${node().url}reg/${newPerson.username}/check_username`)).body).toMatchObject({ reserved: false })
  })

  it('creates no account without a proof', async () => {
    const newPerson = person()
    for (const browser of [visitor(node()), await requestCode(newPerson.email)]) {
      await browser.open('/web/register')
      const page = await browser.submit({ step: 'register', email: newPerson.email, username: newPerson.username, password: PASSWORD, again: PASSWORD })
      expect(page.path).toBe('/web/register')
    }
    expect((await request(`${node().url}reg/${newPerson.username}/check_username`)).body).toMatchObject({ reserved: false })
  })

  it('creates one account from one proof with concurrent forms', async () => {
    const browser = await verify(person())
    const sent = await Promise.all(
      Array.from({ length: 10 }, () => {
        const own = visitor(node())
        for (const [name, value] of browser.cookies) own.cookies.set(name, value)
        own.page = browser.page
        return register(own, person())
      }),
    )
    expect(sent.filter(({ path }) => path === '/web/overview')).toHaveLength(1)
  })
})

describe('a code', () => {
  it('that is wrong is refused with the number of remaining attempts, and blocked after the last', async () => {
    const { email } = person()
    const browser = await requestCode(email)
    const right = codeOf(email)
    for (const message of ['2 attempts are left', 'One attempt is left']) {
      const page = await browser.submit({ code: wrongCode(email) }, CODE)
      expect([page.status, page.text]).toEqual([401, expect.stringContaining(message)])
      expect(page.html).toMatch(/<input id="code"[^>]*aria-invalid="true"/)
    }
    for (const code of [wrongCode(email), right]) {
      const page = await browser.submit({ code }, CODE)
      expect([page.status, page.text]).toEqual([429, expect.stringContaining('Too many attempts with this code')])
    }
    clock.pass(61)
    await browser.submit({}, AGAIN)
    expect((await browser.submit({ code: codeOf(email) }, CODE)).text).toContain('Confirmed')
  })

  it.each([
    ['that is empty', { code: '' }, 'Code: required', 400],
    ['that is too long', { code: 'x'.repeat(50) }, 'Code: required', 400],
    ['with markup', { code: '"><b>' }, 'attempts are left', 401],
  ])('%s is refused', async (_, fields, message, status) => {
    const browser = await requestCode(person().email)
    const page = await browser.submit(fields, CODE)
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(message)])
    expect(page.html).not.toContain('<b>')
  })

  it('that has expired is refused with the reason', async () => {
    const { email } = person()
    const browser = await requestCode(email)
    clock.pass(601)
    const page = await browser.submit({ code: codeOf(email) }, CODE)
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('This code has expired')])
  })

  it('can be requested again after a delay, which the page shows', async () => {
    const { email } = person()
    const browser = await requestCode(email)
    const first = codeOf(email)
    clock.pass(20)
    const early = await browser.submit({}, AGAIN)
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '40'])
    expect(early.text).toContain('request another one in 40 seconds')
    expect(early.html).toContain('data-wait="40"')
    clock.pass(40)
    expect((await browser.submit({}, AGAIN)).status).toBe(200)
    expect(codeOf(email)).not.toBe(first)
    expect((await browser.submit({ code: codeOf(email) }, CODE)).text).toContain('Confirmed')
  })

  it('is accepted in another browser', async () => {
    const { email } = person()
    await requestCode(email)
    const browser = await requestCode(email)
    expect(browser.page.status).toBe(429)
    expect((await browser.submit({ code: codeOf(email) }, CODE)).text).toContain('Confirmed')
  })

  it('is sent to one address a limited number of times a day', async () => {
    const { email } = person()
    const statuses = []
    for (let at = 0; at < 5; at++) {
      statuses.push((await requestCode(email)).page.status)
      clock.pass(61)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429])
  })

  it('can be requested for another address instead', async () => {
    const [first, second] = [person(), person()]
    const browser = await requestCode(first.email)
    expect((await browser.submit({}, OTHER)).text).toContain('First confirm')
    await browser.submit({ email: second.email })
    expect((await browser.submit({ code: codeOf(second.email) }, CODE)).text).toContain(`${second.email} Confirmed`)
    expect((await browser.submit({}, 1)).text).toContain('First confirm')
  })
})

describe('an address', () => {
  it.each([
    ['that is empty', ' ', 'This is not an e-mail address', 400],
    ['that is too long', `${'x'.repeat(300)}@x.org`, 'This is not an e-mail address', 400],
  ])('%s is refused', async (_, email, message, status) => {
    const { page } = await requestCode(email)
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(message)])
    expect(page.html).toMatch(/<input id="email"[^>]*aria-invalid="true"/)
  })

  it('in use is refused, before and after its verification', async () => {
    const newPerson = person()
    const [one, other] = [await verify(newPerson), await requestCode('"><b>@example.org')]
    expect(other.page.html).not.toContain('<b>')
    // The second verification of an address invalidates the first.
    clock.pass(61)
    const late = await verify(newPerson)
    expect((await register(late, newPerson)).path).toBe('/web/overview')
    const again = await register(one, person())
    expect(again.path).toBe('/web/register')
    const { page } = await requestCode(newPerson.email.toUpperCase())
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('with this e-mail address already exists')])
  })

  it('whose proof has expired must be verified again', async () => {
    const newPerson = person()
    const browser = await verify(newPerson)
    clock.pass(1801)
    const page = await register(browser, newPerson)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('confirm the address again')])
    expect(page.html).toContain(`value="${newPerson.email}"`)
    await browser.submit({})
    await browser.submit({ code: codeOf(newPerson.email) }, CODE)
    expect((await register(browser, newPerson)).path).toBe('/web/overview')
  })

  it('can be retried immediately after a failed mail', async () => {
    const { email } = person()
    mail.isBroken = true
    const browser = await requestCode(email)
    expect([browser.page.status, browser.page.text]).toEqual([500, expect.stringContaining('The mail could not be sent')])
    mail.isBroken = false
    expect((await browser.submit({})).text).toContain('We have sent a code')
  })
})

describe('registration in French and German', () => {
  it.each([
    ['fr', ['Confirmez d’abord', 'Nous avons envoyé un code', 'Il reste 2 essais', 'Confirmée']],
    ['de', ['Bestätigen Sie zuerst', 'Wir haben einen Code gesendet', '2 Versuche bleiben', 'Bestätigt']],
  ])('has pages and mails in %s', async (language, [first, second, third, last]) => {
    const { email } = person()
    const browser = visitor(node(), language)
    expect((await browser.open('/web/register')).text).toContain(first)
    expect((await browser.submit({ email })).text).toContain(second)
    expect(mail.to(email)).toMatchObject([{ language }])
    expect((await browser.submit({ code: wrongCode(email) }, CODE)).text).toContain(third)
    expect((await browser.submit({ code: codeOf(email) }, CODE)).text).toContain(last)
  })
})
