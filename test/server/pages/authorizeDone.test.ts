/** Final page of an access request: redirect to the app, and privacy towards others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askAccess, type Asked } from '../../support/people/authorize.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { visitor, type Page } from '../../support/people/visitor.js'

const clock = fakeClock()
let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ 'access.terminalRetentionMs': 0 }, { clock })
  await registerUser(node, 'alice')
})
afterAll(() => node.stop())

const back = { returnURL: 'https://app.example/page?a=b#' }

/** Answers a request with its key, as external pages may. */
const answered = async (body: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<Asked> => {
  const accessRequest = await askAccess(node, more)
  await request(accessRequest.poll, { body })
  return accessRequest
}
const refused = { status: 'REFUSED', reasonId: 'X', message: '<b>"its own words"' }
const done = ({ key }: Asked, more = ''): Promise<Page> => visitor(node).open(`/web/done?key=${key}${more}`)

describe('the page of an answered request', () => {
  it('shows a refusal without its message and closes the window', async () => {
    const page = await done(await answered(refused))
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Access refused')])
    expect(page.html).toContain('data-close')
    expect(page.html).not.toContain('its own words')
  })

  it('links to the app with the parameters of the poll, without the token', async () => {
    const accessRequest = await answered({ status: 'ACCEPTED', username: 'alice', token: 'a-secret-token', apiEndpoint: node.url }, back)
    const page = await done(accessRequest)
    const poll = encodeURIComponent(accessRequest.poll)
    expect(page.html).toContain(
      `href="https://app.example/page?a=b#prYvpoll=${poll}&amp;prYvkey=${accessRequest.key}&amp;prYvstatus=ACCEPTED"`,
    )
    expect(page.html).not.toContain('a-secret-token')
    expect(page.html).not.toContain('data-close')
  })

  it('shows neither account nor permissions to others', async () => {
    const page = await done(await answered({ status: 'ACCEPTED', username: 'alice', token: 'x', apiEndpoint: node.url }))
    expect(page.text).not.toContain('alice')
    expect(page.text).toContain('already been answered')
  })

  it.each(['', '&go=', '&go=yes', `&go=${'x'.repeat(43)}`])('redirects only the person who decided (%j)', async (more) => {
    const page = await done(await answered(refused, back), more)
    expect(page.html).not.toMatch(/http-equiv="refresh"|data-go/)
    expect(page.text).toContain('Back to app.example')
  })

  it('shows an error', async () => {
    const page = await done(await answered({ ...refused, status: 'ERROR' }))
    expect(page.text).toContain('ended with an error')
  })

  it.each(['https://node@evil.example/', ''])(
    'does not link to %j',
    async (returnURL) => {
      const page = await done(await answered(refused, { returnURL }))
      expect(page.html).not.toMatch(/href="(javascript|data:text|https)|evil|Back to/)
    },
  )

  it('explains how to start over once the request has expired', async () => {
    const accessRequest = await answered(refused)
    clock.pass(3601)
    const page = await done(accessRequest)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('go back to the app and ask for access again')])
  })

  it.each(['', '?key=', '?key=unknown', '?key=%00', `?key=${'x'.repeat(65)}`])('answers 400 at /done%s', async (query) => {
    expect((await visitor(node).open(`/web/done${query}`)).status).toBe(400)
  })
})

describe('the sign-in page', () => {
  it.each([
    ['en', 'wants access to your account'],
    ['fr', 'demande l’accès à votre compte'],
    ['de', 'möchte Zugriff auf Ihr Konto'],
  ])('shows the escaped name of the app in %s', async (lang, text) => {
    const { key } = await askAccess(node, { requestingAppId: '<script>evil\u202eppa' })
    const page = await visitor(node).open(`/web/sign-in?key=${key}&lang=${lang}`)
    expect(page.text).toContain(`<script>evilppa ${text}`)
    expect(page.html).not.toContain('<script>evil')
  })

  it('shows no app for an unknown request', async () => {
    const page = await visitor(node).open('/web/sign-in?key=abcdefgh12345678')
    expect([page.status, page.text]).toEqual([200, expect.not.stringContaining('wants access')])
  })
})

describe('the page of an unopened request', () => {
  it('extends its lifetime when it is opened', async () => {
    const other = await startTestNode({ 'access.unopenedRequestTtl': 600 }, { clock })
    try {
      const [opened, unopened] = [await askAccess(other), await askAccess(other)]
      await visitor(other).open(opened.authUrl)
      clock.pass(601)
      const statuses = await Promise.all([opened, unopened].map(async ({ poll }) => (await request(poll)).status))
      expect(statuses).toEqual([201, 400])
    } finally {
      await other.stop()
    }
  })
})
