/** The end of an access request on the node's pages: the way back to the app, and what others see of it. */
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

/** Answers a request as any page may that knows its key. */
const answered = async (body: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<Asked> => {
  const asked = await askAccess(node, more)
  await request(asked.poll, { body })
  return asked
}
const refused = { status: 'REFUSED', reasonId: 'X', message: '<b>"its own words"' }
const done = ({ key }: Asked, more = ''): Promise<Page> => visitor(node).open(`/web/done?key=${key}${more}`)

describe('the page of a request that is decided', () => {
  it('says that it was refused, closes its window, and repeats nobody', async () => {
    const page = await done(await answered(refused))
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Access refused')])
    expect(page.html).toContain('data-close')
    expect(page.html).not.toContain('its own words')
  })

  it('offers the way back with what the app needs, and never a token', async () => {
    const asked = await answered({ status: 'ACCEPTED', username: 'alice', token: 'a-secret-token', apiEndpoint: node.url }, back)
    const page = await done(asked)
    const poll = encodeURIComponent(asked.poll)
    expect(page.html).toContain(
      `href="https://app.example/page?a=b#prYvpoll=${poll}&amp;prYvkey=${asked.key}&amp;prYvstatus=ACCEPTED"`,
    )
    expect(page.html).not.toContain('a-secret-token')
    expect(page.html).not.toContain('data-close')
  })

  it('tells others neither whose account it was nor what was given', async () => {
    const page = await done(await answered({ status: 'ACCEPTED', username: 'alice', token: 'x', apiEndpoint: node.url }))
    expect(page.text).not.toContain('alice')
    expect(page.text).toContain('already been answered')
  })

  it.each(['', '&go=', '&go=yes', `&go=${'x'.repeat(43)}`])('sends nobody on who did not decide (%j)', async (more) => {
    const page = await done(await answered(refused, back), more)
    expect(page.html).not.toMatch(/http-equiv="refresh"|data-go/)
    expect(page.text).toContain('Back to app.example')
  })

  it('says that one ended with an error', async () => {
    const page = await done(await answered({ ...refused, status: 'ERROR' }))
    expect(page.text).toContain('ended with an error')
  })

  it.each(['https://node@evil.example/', ''])(
    'never leads to %j',
    async (returnURL) => {
      const page = await done(await answered(refused, { returnURL }))
      expect(page.html).not.toMatch(/href="(javascript|data:text|https)|evil|Back to/)
    },
  )

  it('says how to start over once it has expired', async () => {
    const asked = await answered(refused)
    clock.pass(3601)
    const page = await done(asked)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('go back to the app and ask for access again')])
  })

  it.each(['', '?key=', '?key=unknown', '?key=%00', `?key=${'x'.repeat(65)}`])('is none at /done%s', async (query) => {
    expect((await visitor(node).open(`/web/done${query}`)).status).toBe(400)
  })
})

describe('the sign-in page', () => {
  it.each([
    ['en', 'wants access to your account'],
    ['fr', 'demande l’accès à votre compte'],
    ['de', 'möchte Zugriff auf Ihr Konto'],
  ])('says in %s which app asks, as it calls itself', async (lang, says) => {
    const { key } = await askAccess(node, { requestingAppId: '<script>evil\u202eppa' })
    const page = await visitor(node).open(`/web/sign-in?key=${key}&lang=${lang}`)
    expect(page.text).toContain(`<script>evilppa ${says}`)
    expect(page.html).not.toContain('<script>evil')
  })

  it('says nothing of a request that is no more', async () => {
    const page = await visitor(node).open('/web/sign-in?key=abcdefgh12345678')
    expect([page.status, page.text]).toEqual([200, expect.not.stringContaining('wants access')])
  })
})

describe('the page of a request that nobody has read', () => {
  it('gives it its whole life: an app that waits for its user asks nothing meanwhile', async () => {
    const other = await startTestNode({ 'access.unopenedRequestTtl': 600 }, { clock })
    try {
      const [looked, left] = [await askAccess(other), await askAccess(other)]
      await visitor(other).open(looked.authUrl)
      clock.pass(601)
      const statuses = await Promise.all([looked, left].map(async ({ poll }) => (await request(poll)).status))
      expect(statuses).toEqual([201, 400])
    } finally {
      await other.stop()
    }
  })
})
