/** Codes and links of delivered mails, used on the pages of the node. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { startSmtpSink, type SmtpSink, type SunkMail } from '../../support/services/smtp.js'
import { visitor, type Visitor } from '../../support/people/visitor.js'

const clock = fakeClock()
let sink: SmtpSink
let node: TestNode
let browser: Visitor
beforeAll(async () => {
  sink = await startSmtpSink()
  const settings = { ...sink.settings, 'account.emailVerification.requireAtRegistration': true }
  node = await startTestNode(settings, { clock })
  browser = visitor(node, 'fr')
})
afterAll(async () => {
  await node.stop()
  await sink.stop()
})

const FIRST = 'premier mot de passe'
const SECOND = 'second mot de passe'

/** Returns the link of a mail, which must be the same in its text and HTML. */
function linkIn({ text, html }: SunkMail): string {
  const [link = ''] = /http:\S+/.exec(text) ?? []
  const [, inPage = ''] = /href="([^"]+)"/.exec(html) ?? []
  expect(inPage.replaceAll('&amp;', '&')).toBe(link)
  return link
}

it('the code of a mail allows registration', async () => {
  await browser.open('/web/register')
  await browser.submit({ email: 'ana@example.org' })
  const [code = ''] = /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.exec((await sink.mailTo('ana@example.org')).text) ?? []
  await browser.submit({ code })
  const page = await browser.submit({ username: 'ana-lovelace', password: FIRST, again: FIRST })
  expect(page.path).toBe('/web/overview')
  expect((await sink.mailTo('ana@example.org')).text).toContain('ana-lovelace')
})

it('the link of a mail sets a new password', async () => {
  browser = visitor(node, 'fr')
  await browser.open('/web/reset-password')
  await browser.submit({ name: 'ana@example.org' })
  await browser.open(linkIn(await sink.mailTo('ana@example.org')))
  expect((await browser.submit({ password: SECOND, again: SECOND })).text).toContain('Votre mot de passe a été modifié')
  const [, signIn = ''] = /href="([^"]*sign-in[^"]*)"/.exec(browser.page.html) ?? []
  await browser.open(signIn.replaceAll('&amp;', '&'))
  expect((await browser.submit({ password: SECOND })).path).toBe('/web/overview')
})

it('the link of a mail verifies another address', async () => {
  const login = await request(`${node.url}ana-lovelace/auth/login`, {
    body: { username: 'ana-lovelace', password: SECOND, appId: 'test-app' },
    headers: { origin: new URL(node.url).origin },
  })
  const token = String(login.body['token'])
  const body = { emails: { add: ['ana@second.example'] } }
  await request(`${node.url}ana-lovelace/account`, { method: 'PUT', token, body })
  await browser.open(linkIn(await sink.mailTo('ana@second.example')))
  expect((await browser.submit()).text).toContain('Cette adresse est confirmée : ana@second.example')
  expect(node.logged.join()).not.toMatch(/resetToken|verifyToken/)
})
