/** Page that verifies an e-mail address, in a browser without scripts. */
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
async function openLink(at = link): Promise<Visitor> {
  const browser = visitor(node)
  await browser.open(at)
  return browser
}
const tokenOf = (of: string): string => new URL(of).searchParams.get('verifyToken') ?? ''

describe('the link of the mail', () => {
  it('opens a page that verifies the address with a button', async () => {
    const browser = await openLink()
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

  it('is not consumed by GET and HEAD', async () => {
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200)
    expect(await status()).toBe('pending')
    const browser = await openLink()
    await browser.open(link)
    expect((await browser.submit()).text).toContain('is confirmed')
  })

  it('reveals its token in no URL, page or log', async () => {
    const first = await fetch(link, { redirect: 'manual' })
    expect([first.status, first.headers.get('location')]).toEqual([303, '/web/verify-email'])
    expect(first.headers.get('referrer-policy')).toBe('no-referrer')
    const browser = await openLink()
    const texts = [...first.headers.getSetCookie(), ...browser.cookies.values(), browser.page.html]
    texts.push((await browser.submit()).html, ...node.logged)
    expect(texts.filter((one) => one.includes(tokenOf(link)))).toEqual([])
  })

  it('is valid once with concurrent forms', async () => {
    const browsers = await Promise.all(Array.from({ length: 20 }, () => openLink()))
    const pages = await Promise.all(browsers.map((browser) => browser.submit()))
    expect(pages.filter(({ text }) => text.includes('is confirmed'))).toHaveLength(1)
    expect(pages.filter((page) => page.status === 401 && page.text.includes('is not valid'))).toHaveLength(19)
    expect(await status()).toBe('verified')
  })

  const invalidLinks: [defect: string, spoil: () => Promise<string> | string][] = [
    ['has expired', () => (clock.pass(90_000), link)],
    ['is invalid', () => link.replace(/verifyToken=.{8}/, 'verifyToken=xxxxxxxx')],
    ['is for another account', async () => link.replace(s.username, (await newStage(node)).username)],
    ['is for an unknown account', () => link.replace(s.username, 'nobody-here')],
    ['was used', async () => (await (await openLink()).submit(), link)],
    ['is superseded', async () => (clock.pass(301), await emails({ resend: [address] }), link)],
    ['is for a removed address', async () => (await emails({ remove: [address] }), link)],
    ['is too long', () => `/web/verify-email?username=${s.username}&verifyToken=${'x'.repeat(5000)}`],
  ]
  it.each(invalidLinks)('that %s is refused with instructions', async (_, spoil) => {
    const browser = await openLink(await spoil())
    expect(browser.page.text).toContain('This link or code is not valid')
    expect(browser.page.text).toContain('request another mail')
    expect(browser.page.html).toContain('name="token"')
  })

  it('that expires while its page is open is refused', async () => {
    const browser = await openLink()
    clock.pass(90_000)
    const page = await browser.submit()
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('is not valid')])
    expect(await emails()).toContainEqual(expect.objectContaining({ value: address, status: 'pending' }))
  })

  it('of another account does not accept the form of the first', async () => {
    const browser = await openLink()
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
    const browser = await openLink(link.replace(/&username=.*/, ''))
    expect(browser.page.text).toContain('The link does not contain your user name')
    expect(browser.page.html).not.toContain(tokenOf(link))
    expect((await browser.submit({ username: s.username.toUpperCase() })).text).toContain('is confirmed')
  })
})

describe('the page without a link in its URL', () => {
  it.each([
    ['the code', () => ` ${tokenOf(link)} `],
    ['the link', () => link],
    ['the link within other text', () => `<${link}>`],
  ])('accepts %s', async (_, pasted) => {
    const browser = await openLink('/web/verify-email')
    const page = await browser.submit({ username: ` ${s.username} `, token: pasted() })
    expect(page.text).toContain(`This address is confirmed: ${address}`)
    expect(await status()).toBe('verified')
  })

  it.each([
    ['an unknown account', () => ({ username: 'nobody-here', token: tokenOf(link) })],
    ['a wrong token', () => ({ username: s.username, token: '"><b>' })],
    ['empty fields', () => ({})],
  ])('refuses with the same message: %s', async (_, fields) => {
    const browser = await openLink('/web/verify-email')
    const page = await browser.submit(fields())
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('This link or code is not valid')])
    expect(page.html).toMatch(/<input id="token"[^>]*value=""[^>]*aria-invalid="true"/)
    expect(page.html).not.toContain('<b>')
  })

  it('refuses a form without its token', async () => {
    const browser = await openLink()
    expect((await browser.submit({ form_token: null })).status).toBe(403)
    expect(await status()).toBe('pending')
  })
})

describe('in French and German', () => {
  it.each([
    ['fr', ['n’est pas valable', 'Confirmer votre adresse e-mail', 'Cette adresse est confirmée']],
    ['de', ['ist ungültig', 'E-Mail-Adresse bestätigen', 'Diese Adresse ist bestätigt']],
  ])('the page is available in %s', async (language, [wrong, title, done]) => {
    const browser = visitor(node, language)
    await browser.open('/web/verify-email')
    expect((await browser.submit({ username: s.username, token: 'x' })).text).toContain(wrong)
    expect((await browser.open(link)).text).toContain(title)
    expect((await browser.submit()).text).toContain(done)
  })
})
