/** Confirming an e-mail address on the node's own page, as a browser without scripts does. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { testMailer } from '../../support/services/mail.js'
import { request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { visitor, type Visitor } from '../../support/people/visitor.js'

const clock = fakeClock()
const mail = testMailer()
let node: TestNode
let s: Stage
let address: string
let link: string
beforeAll(async () => {
  node = await startTestNode({}, { clock, mail })
})
afterAll(() => node.stop())
beforeEach(async () => {
  s = await newStage(node)
  address = `second-${s.username}@example.org`
  await emails({ add: [address] })
  link = mail.latest(address, 'VERIFY_LINK')
})

async function emails(operations?: object): Promise<Record<string, unknown>[]> {
  const update = operations === undefined ? {} : { method: 'PUT', body: { emails: operations } }
  const { body } = await request(`${node.url}${s.username}/account`, { token: s.owner, ...update })
  return (body['account'] as { emails: Record<string, unknown>[] }).emails
}
const status = async (): Promise<unknown> => (await emails()).find(({ value }) => value === address)?.['status']
async function opened(at = link): Promise<Visitor> {
  const browser = visitor(node)
  await browser.open(at)
  return browser
}
const tokenOf = (of: string): string => new URL(of).searchParams.get('verifyToken') ?? ''

describe('the link of the mail', () => {
  it('leads to a page that confirms the address by a button', async () => {
    const browser = await opened()
    expect(browser.page.path).toBe('/web/verify-email')
    expect(browser.page.text).toContain(`Account: ${s.username} E-mail address: ${address}`)
    expect(await status()).toBe('pending')
    const page = await browser.submit()
    expect([page.status, page.path]).toEqual([200, '/web/verify-email'])
    expect(page.text).toContain(`This address is confirmed: ${address}`)
    expect(await emails()).toContainEqual(
      expect.objectContaining({ value: address, status: 'verified', verificationMethod: 'email-link' }),
    )
    expect((await browser.open(page.path)).text).toContain('is confirmed')
  })

  it('confirms nothing for who only looks', async () => {
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200)
    expect(await status()).toBe('pending')
    const browser = await opened()
    await browser.open(link)
    expect((await browser.submit()).text).toContain('is confirmed')
  })

  it('leaves its token in no address, page or log', async () => {
    const first = await fetch(link, { redirect: 'manual' })
    expect([first.status, first.headers.get('location')]).toEqual([303, '/web/verify-email'])
    expect(first.headers.get('referrer-policy')).toBe('no-referrer')
    const browser = await opened()
    const told = [...first.headers.getSetCookie(), ...browser.cookies.values(), browser.page.html]
    told.push((await browser.submit()).html, ...node.logged)
    expect(told.filter((one) => one.includes(tokenOf(link)))).toEqual([])
  })

  it('is good once, of any number of forms sent at once', async () => {
    const browsers = await Promise.all(Array.from({ length: 20 }, () => opened()))
    const pages = await Promise.all(browsers.map((browser) => browser.submit()))
    expect(pages.filter(({ text }) => text.includes('is confirmed'))).toHaveLength(1)
    expect(pages.filter((page) => page.status === 401 && page.text.includes('is not valid'))).toHaveLength(19)
    expect(await status()).toBe('verified')
  })

  const spoilt: [what: string, spoil: () => Promise<string> | string][] = [
    ['has expired', () => (clock.pass(90_000), link)],
    ['was made up', () => link.replace(/verifyToken=.{8}/, 'verifyToken=xxxxxxxx')],
    ['is for somebody else', async () => link.replace(s.username, (await newStage(node)).username)],
    ['is for nobody', () => link.replace(s.username, 'nobody-here')],
    ['was used', async () => (await (await opened()).submit(), link)],
    ['came before another', async () => (clock.pass(301), await emails({ resend: [address] }), link)],
    ['is for an address that was removed', async () => (await emails({ remove: [address] }), link)],
    ['is endless', () => `/web/verify-email?username=${s.username}&verifyToken=${'x'.repeat(5000)}`],
  ]
  it.each(spoilt)('that %s says so, and what to do', async (_, spoil) => {
    const browser = await opened(await spoil())
    expect(browser.page.text).toContain('This link or code is not valid')
    expect(browser.page.text).toContain('request another mail')
    expect(browser.page.html).toContain('name="token"')
  })

  it('that expires while its page is open says so', async () => {
    const browser = await opened()
    clock.pass(90_000)
    const page = await browser.submit()
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('is not valid')])
    expect(await emails()).toContainEqual(expect.objectContaining({ value: address, status: 'pending' }))
  })

  it('of another account that is opened meanwhile does not take the form of the first', async () => {
    const browser = await opened()
    const form = browser.page
    s = await newStage(node)
    const other = `third-${s.username}@example.org`
    await emails({ add: [other] })
    await browser.open(mail.latest(other, 'VERIFY_LINK'))
    browser.page = form
    expect((await browser.submit()).status).toBe(400)
    expect(await emails()).toContainEqual(expect.objectContaining({ value: other, status: 'pending' }))
  })

  it('that lacks the user name asks for it', async () => {
    const browser = await opened(link.replace(/&username=.*/, ''))
    expect(browser.page.text).toContain('The link does not contain your user name')
    expect(browser.page.html).not.toContain(tokenOf(link))
    expect((await browser.submit({ username: s.username.toUpperCase() })).text).toContain('is confirmed')
  })
})

describe('without a link in its address, the page', () => {
  it.each([
    ['the code', () => ` ${tokenOf(link)} `],
    ['the link', () => link],
    ['the link with more around it', () => `<${link}>`],
  ])('takes %s by hand', async (_, pasted) => {
    const browser = await opened('/web/verify-email')
    const page = await browser.submit({ username: ` ${s.username} `, token: pasted() })
    expect(page.text).toContain(`This address is confirmed: ${address}`)
    expect(await status()).toBe('verified')
  })

  it.each([
    ['of nobody', () => ({ username: 'nobody-here', token: tokenOf(link) })],
    ['of somebody, wrong', () => ({ username: s.username, token: '"><b>' })],
    ['empty', () => ({})],
  ])('refuses what is wrong, always in the same words: %s', async (_, fields) => {
    const browser = await opened('/web/verify-email')
    const page = await browser.submit(fields())
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('This link or code is not valid')])
    expect(page.html).toMatch(/<input id="token"[^>]*value=""[^>]*aria-invalid="true"/)
    expect(page.html).not.toContain('<b>')
  })

  it('refuses a form that is not its own', async () => {
    const browser = await opened()
    expect((await browser.submit({ form_token: null })).status).toBe(403)
    expect(await status()).toBe('pending')
  })
})

describe('in French and German', () => {
  it.each([
    ['fr', ['n’est pas valable', 'Confirmer votre adresse e-mail', 'Cette adresse est confirmée']],
    ['de', ['ist ungültig', 'E-Mail-Adresse bestätigen', 'Diese Adresse ist bestätigt']],
  ])('the page speaks %s', async (language, [wrong, title, done]) => {
    const browser = visitor(node, language)
    await browser.open('/web/verify-email')
    expect((await browser.submit({ username: s.username, token: 'x' })).text).toContain(wrong)
    expect((await browser.open(link)).text).toContain(title)
    expect((await browser.submit()).text).toContain(done)
  })
})
