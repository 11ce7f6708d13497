/** Start page of the node, pages of accounts and of shared links: docs/interface/conventions.md#root. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ask, share } from '../../support/people/shares.js'

const DAY = 86_400
const clock = fakeClock()
let node: TestNode
let owner: string
let token: string
let id: string
beforeAll(async () => {
  node = await startTestNode({}, { clock })
  owner = await registerUser(node, 'alice')
  const alice = { node, username: 'alice', owner }
  await ask(alice, owner, 'POST', '/streams', { id: 'weight', name: 'Weight <kg>' })
  const access = await share(alice, { name: 'Dr <b>Weber', permissions: [{ streamId: 'weight', level: 'read' }], expireAfter: 30 * DAY })
  token = access.token
  id = access.id
})
afterAll(() => node.stop())

const basic = (name: string): string => `Basic ${Buffer.from(`${name}:`).toString('base64')}`

const page = async (path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string; headers: Headers }> => {
  const response = await fetch(node.url + path, { headers: { accept: 'text/html', ...headers } })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

describe('the start page', () => {
  it.each([
    ['en', 'coffer is running', 'Sign in'],
    ['fr', 'coffer fonctionne', 'Se connecter'],
    ['de', 'coffer läuft', 'Anmelden'],
  ])('links to the sign-in page in %s', async (language, title, signIn) => {
    const { status, text, headers } = await page('', { 'accept-language': language })
    expect(status).toBe(200)
    expect(text).toContain(`<h1>${title}</h1>`)
    expect(text).toMatch(new RegExp(`href="/web/sign-in(\\?lang=${language})?">\\s*${signIn}`))
    expect(text).toContain(`${node.url}service/info`)
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(headers.get('x-frame-options')).toBe('DENY')
  })
})

describe('the page of an account', () => {
  it('names the account, and links to the page of a shared link', async () => {
    const { status, text } = await page('alice/')
    expect(status).toBe(200)
    expect(text).toContain('Account of alice')
    expect(text).toContain('href="?shared=1" data-link="yes"')
  })

  it('requires the token of the link', async () => {
    const { status, headers, text } = await page('alice/?shared=1')
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toMatch(/^Basic realm=/)
    expect(text).not.toContain('Weight')
  })

  it('redirects to the view of the link, whose address has no token', async () => {
    const response = await fetch(`${node.url}alice/?shared=1`, { headers: { accept: 'text/html', authorization: basic(token) }, redirect: 'manual' })
    expect(response.status).toBe(303)
    // A path alone would be resolved with the token of the address.
    expect(response.headers.get('location')).toMatch(new RegExp(`^//127.0.0.1:${node.port}/web/shared\\?view=[\\w-]{12}$`))
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const cookies = response.headers.getSetCookie()
    const [cookie = ''] = cookies.filter((each) => each.includes('_view-'))
    expect(cookie).toMatch(/; Path=\/web; HttpOnly; SameSite=Lax$/)
    expect(JSON.stringify([...response.headers])).not.toContain(token)
  })

  it.each([
    ['the header without the parameter', () => ['alice/', basic(token)] as const],
    ['the parameter auth', () => [`alice/?auth=${token}`, undefined] as const],
  ])('accepts the token in %s', async (_, request) => {
    const [path, authorization] = request()
    const response = await fetch(node.url + path, { headers: { accept: 'text/html', ...(authorization === undefined ? {} : { authorization }) }, redirect: 'manual' })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toMatch(/\/web\/shared\?view=/)
    expect(response.headers.get('location')).not.toContain(token)
  })

  it('uses the host that a trusted proxy names', async () => {
    const response = await fetch(`${node.url}alice/`, {
      headers: { accept: 'text/html', authorization: basic(token), 'x-forwarded-host': 'data.example.org' },
      redirect: 'manual',
    })
    expect(response.headers.get('location')).toMatch(/^\/\/data\.example\.org\/web\/shared/)
  })

  it('is audited as a call of the access', async () => {
    await page('alice/?shared=1', { authorization: basic(token) })
    const { body } = await ask({ node, username: 'alice' }, owner, 'GET', `/events?streams[]=:_audit:access-${id}`)
    expect(JSON.stringify(body['events'])).toContain('getAccessInfo')
  })

  it.each([
    ['an unknown token', () => basic('unknown-token')],
    ['a malformed header', () => 'Basic ???'],
  ])('refuses %s', async (_, authorization) => {
    const { status, text } = await page('alice/?shared=1', { authorization: authorization() })
    expect([401, 403]).toContain(status)
    expect(text).not.toContain('Weight')
  })

  it('does not repeat a refused token', async () => {
    const { text } = await page('alice/?auth=unknown-token')
    expect(text).toContain('This link is no longer valid')
    expect(text).not.toContain('unknown-token')
  })

  it('refuses an expired link', async () => {
    clock.pass(31 * DAY)
    const { status, text } = await page('alice/?shared=1', { authorization: basic(token) })
    expect(status).toBe(403)
    expect(text).toContain('This link is no longer valid')
    expect(text).not.toContain('Weight')
  })

  it.each(['nobody/', 'nobody/?shared=1'])('answers 404 for an unknown account (%s)', async (path) => {
    expect((await page(path)).status).toBe(404)
  })
})

describe('accounts in host names', () => {
  it('have pages with styles on their host', async () => {
    const other = await startTestNode({ 'dnsLess.isActive': false, 'dns.domain': 'example.org' })
    try {
      await registerUser(other, 'alice').catch(() => undefined)
      const { get } = await import('node:http')
      const answer = (path: string): Promise<{ status: number | undefined; text: string }> =>
        new Promise((resolve, reject) => {
          get({ port: other.port, host: '127.0.0.1', path, headers: { host: 'alice.example.org', accept: 'text/html' } }, (response) => {
            let text = ''
            response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve({ status: response.statusCode, text }))
          }).on('error', reject)
        })
      const root = await answer('/')
      expect(root.status).toBe(200)
      expect(root.text).toContain('Account of alice')
      const style = /href="(\/web\/assets\/[^"]+)"/.exec(root.text)?.[1]
      expect(style).toBeDefined()
      expect((await answer(String(style))).status).toBe(200)
    } finally {
      await other.stop()
    }
  })
})
