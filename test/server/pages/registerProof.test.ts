/** Making an account where the e-mail address is proved first, on the node's own page, without scripts. */
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
/** Forms of the page on which a code is put in. */
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

async function asked(email: string, language = 'en'): Promise<Visitor> {
  const browser = visitor(node(), language)
  await browser.open('/web/register')
  await browser.submit({ email })
  return browser
}
async function proved({ email }: Person): Promise<Visitor> {
  const browser = await asked(email)
  await browser.submit({ code: codeOf(email) }, CODE)
  return browser
}
const register = (browser: Visitor, { username }: Person): Promise<Page> =>
  browser.submit({ username, password: PASSWORD, again: PASSWORD })
const wrongCode = (email: string): string => (codeOf(email).startsWith('A') ? 'BBBB-BBBB' : 'AAAA-AAAA')

describe('with a code', () => {
  it('an account is made, whose address is proved', async () => {
    const somebody = person()
    const browser = visitor(node())
    expect((await browser.open('/web/register')).text).toContain('First confirm your e-mail address')
    expect((await browser.submit({ email: ` ${somebody.email} ` })).text).toContain(`We have sent a code to ${somebody.email}`)
    expect(browser.page.path).toBe('/web/register')
    const form = await browser.submit({ code: codeOf(somebody.email).toLowerCase().replace('-', ' ') }, CODE)
    expect(form.text).toContain(`E-mail address: ${somebody.email} Confirmed`)
    expect((await register(browser, somebody)).path).toBe('/web/access')
    expect([...browser.cookies.keys()].filter((name) => name.endsWith('_register'))).toEqual([])
    const login = await request(`${node().url}${somebody.username}/auth/login`, {
      body: { username: somebody.username, password: PASSWORD, appId: 'test-app' },
      headers: { origin: new URL(node().url).origin },
    })
    const { body } = await request(`${node().url}${somebody.username}/account`, { token: String(login.body['token']) })
    expect(body['account']).toMatchObject({ emails: [{ status: 'verified', verificationMethod: 'email-code' }] })
  })

  it('steps are found again by who comes back', async () => {
    const somebody = person()
    const browser = await asked(somebody.email)
    expect((await browser.open('/web/register')).text).toContain('We have sent a code')
    await browser.submit({ code: codeOf(somebody.email) }, CODE)
    expect((await browser.open('/web/register?lang=fr')).text).toContain('Confirmée')
    expect((await register(browser, somebody)).path).toBe('/web/access?lang=fr')
  })

  it('neither code nor proof is in a page, an address, a readable cookie or the log', async () => {
    const somebody = person()
    const browser = await proved(somebody)
    const kept = [...browser.cookies].find(([name]) => name.endsWith('_register'))?.[1] ?? ''
    const proof = JSON.parse(node().node.store.seal.open(kept, 'cookie register')) as { proof: string }
    const told = [browser.page.html, (await browser.submit({ username: 'x' })).html, browser.page.path]
    told.push(...browser.cookies.values(), ...node().logged)
    for (const secret of [proof.proof, codeOf(somebody.email)]) expect(told.filter((one) => one.includes(secret))).toEqual([])
  })

  it('the address cannot be exchanged for another', async () => {
    const somebody = person()
    const browser = await proved(somebody)
    const page = await browser.submit({ username: somebody.username, password: PASSWORD, again: PASSWORD, email: 'else@example.org' })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('has expired')])
    expect((await request(`${node().url}reg/${somebody.username}/check_username`)).body).toMatchObject({ reserved: false })
  })

  it('a form without a proof makes no account', async () => {
    const somebody = person()
    for (const browser of [visitor(node()), await asked(somebody.email)]) {
      await browser.open('/web/register')
      const page = await browser.submit({ step: 'register', email: somebody.email, username: somebody.username, password: PASSWORD, again: PASSWORD })
      expect(page.path).toBe('/web/register')
    }
    expect((await request(`${node().url}reg/${somebody.username}/check_username`)).body).toMatchObject({ reserved: false })
  })

  it('one account is made of one proof, of many forms at once', async () => {
    const browser = await proved(person())
    const sent = await Promise.all(
      Array.from({ length: 10 }, () => {
        const own = visitor(node())
        for (const [name, value] of browser.cookies) own.cookies.set(name, value)
        own.page = browser.page
        return register(own, person())
      }),
    )
    expect(sent.filter(({ path }) => path === '/web/access')).toHaveLength(1)
  })
})

describe('a code', () => {
  it('that is wrong is told with the attempts left, and is useless after the last', async () => {
    const { email } = person()
    const browser = await asked(email)
    const right = codeOf(email)
    for (const says of ['2 attempts are left', 'One attempt is left']) {
      const page = await browser.submit({ code: wrongCode(email) }, CODE)
      expect([page.status, page.text]).toEqual([401, expect.stringContaining(says)])
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
    ['that is endless', { code: 'x'.repeat(50) }, 'Code: required', 400],
    ['that is hostile', { code: '"><b>' }, 'attempts are left', 401],
  ])('%s is refused', async (_, fields, says, status) => {
    const browser = await asked(person().email)
    const page = await browser.submit(fields, CODE)
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(says)])
    expect(page.html).not.toContain('<b>')
  })

  it('that has expired is told so', async () => {
    const { email } = person()
    const browser = await asked(email)
    clock.pass(601)
    const page = await browser.submit({ code: codeOf(email) }, CODE)
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('This code has expired')])
  })

  it('is sent again after a while, with the time to wait before', async () => {
    const { email } = person()
    const browser = await asked(email)
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

  it('that was sent just now serves in another browser', async () => {
    const { email } = person()
    await asked(email)
    const browser = await asked(email)
    expect(browser.page.status).toBe(429)
    expect((await browser.submit({ code: codeOf(email) }, CODE)).text).toContain('Confirmed')
  })

  it('is sent to one address so often in a day', async () => {
    const { email } = person()
    const statuses = []
    for (let at = 0; at < 5; at++) {
      statuses.push((await asked(email)).page.status)
      clock.pass(61)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429])
  })

  it('may go to another address instead', async () => {
    const [first, second] = [person(), person()]
    const browser = await asked(first.email)
    expect((await browser.submit({}, OTHER)).text).toContain('First confirm')
    await browser.submit({ email: second.email })
    expect((await browser.submit({ code: codeOf(second.email) }, CODE)).text).toContain(`${second.email} Confirmed`)
    expect((await browser.submit({}, 1)).text).toContain('First confirm')
  })
})

describe('an address', () => {
  it.each([
    ['that is none', ' ', 'This is not an e-mail address', 400],
    ['that is endless', `${'x'.repeat(300)}@x.org`, 'This is not an e-mail address', 400],
  ])('%s is refused', async (_, email, says, status) => {
    const { page } = await asked(email)
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(says)])
    expect(page.html).toMatch(/<input id="email"[^>]*aria-invalid="true"/)
  })

  it('that somebody has is told to be taken, before and after it is proved', async () => {
    const somebody = person()
    const [one, other] = [await proved(somebody), await asked('"><b>@example.org')]
    expect(other.page.html).not.toContain('<b>')
    // Two people with one mailbox: the second proof ends the first.
    clock.pass(61)
    const late = await proved(somebody)
    expect((await register(late, somebody)).path).toBe('/web/access')
    const again = await register(one, person())
    expect(again.path).toBe('/web/register')
    const { page } = await asked(somebody.email.toUpperCase())
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('with this e-mail address already exists')])
  })

  it('whose proof is over is proved again', async () => {
    const somebody = person()
    const browser = await proved(somebody)
    clock.pass(1801)
    const page = await register(browser, somebody)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('confirm the address again')])
    expect(page.html).toContain(`value="${somebody.email}"`)
    await browser.submit({})
    await browser.submit({ code: codeOf(somebody.email) }, CODE)
    expect((await register(browser, somebody)).path).toBe('/web/access')
  })

  it('that no mail can be sent to is told, and may be tried again at once', async () => {
    const { email } = person()
    mail.isBroken = true
    const browser = await asked(email)
    expect([browser.page.status, browser.page.text]).toEqual([500, expect.stringContaining('The mail could not be sent')])
    mail.isBroken = false
    expect((await browser.submit({})).text).toContain('We have sent a code')
  })
})

describe('in French and German', () => {
  it.each([
    ['fr', ['Confirmez d’abord', 'Nous avons envoyé un code', 'Il reste 2 essais', 'Confirmée']],
    ['de', ['Bestätigen Sie zuerst', 'Wir haben einen Code gesendet', '2 Versuche bleiben', 'Bestätigt']],
  ])('the steps speak %s, and so does the mail', async (language, [first, second, third, last]) => {
    const { email } = person()
    const browser = visitor(node(), language)
    expect((await browser.open('/web/register')).text).toContain(first)
    expect((await browser.submit({ email })).text).toContain(second)
    expect(mail.to(email)).toMatchObject([{ language }])
    expect((await browser.submit({ code: wrongCode(email) }, CODE)).text).toContain(third)
    expect((await browser.submit({ code: codeOf(email) }, CODE)).text).toContain(last)
  })
})
