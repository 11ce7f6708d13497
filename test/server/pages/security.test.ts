/** Security of all pages: headers, form tokens, size limits, and confidentiality of secrets. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pages } from '../../../src/server/pages/list.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { visitor, type Visitor } from '../../support/people/visitor.js'

const PASSWORD = 'correct horse'
const FORM = 'application/x-www-form-urlencoded'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
  await registerUser(node, 'alice')
})
afterAll(() => node.stop())

const cookieOf = ({ cookies }: Visitor): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Requests a page with an origin; does not follow redirects. */
function fetchPage(path: string, options: { method?: string; body?: string; headers?: Record<string, string>; as?: Visitor } = {}): Promise<Response> {
  const { as, body, headers, method = body === undefined ? 'GET' : 'POST' } = options
  return fetch(new URL(`web${path}`, node.url), {
    method,
    redirect: 'manual',
    headers: {
      origin: 'https://app.example',
      'accept-encoding': 'identity',
      ...(as === undefined ? {} : { cookie: cookieOf(as) }),
      ...(body === undefined ? {} : { 'content-type': FORM }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
}

async function signedIn(): Promise<Visitor> {
  const browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: 'alice', password: PASSWORD })
  expect(browser.page.path).toBe('/web/overview')
  return browser
}

/** Returns the form token of the page of a browser. */
const tokenIn = ({ page }: Visitor): string => /name="form_token" value="([^"]+)"/.exec(page.html)?.[1] ?? ''

const paths = pages.map(({ path }) => path)
/** Pages that answer data in place of a document. */
const dataPaths: ReadonlySet<string> = new Set(['/live', '/overview/growth', '/charts/data'])
const withForms = pages.filter(({ submit }) => submit !== undefined).map(({ path }) => path)

const safety = {
  'content-security-policy': expect.stringMatching(/default-src 'none';.*form-action 'self'.*base-uri 'none'; frame-ancestors 'none'/) as string,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

function expectSafe(response: Response): void {
  const headers = Object.fromEntries(response.headers)
  expect(headers).toMatchObject(safety)
  expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:/)
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
}

const isPage = (response: Response): boolean => (response.headers.get('content-type') ?? '').startsWith('text/html')

describe.each([
  ['an anonymous person', false],
  ['the owner', true],
])('every page, requested by %s,', (_, isOwner) => {
  let as: Visitor
  beforeEach(async () => {
    as = isOwner ? await signedIn() : visitor(node)
  })

  it.each(paths)('has security headers and is not cached: %s', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetchPage(path, { method, as })
      expectSafe(response)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.status).toBeLessThan(500)
      if (response.status < 300) expect(isPage(response)).toBe(!dataPaths.has(path))
      await response.body?.cancel()
    }
  })

  const queries = [
    'key=%00',
    'key=%',
    'key=%zz&lang=%ff',
    'lang=..%2f..%2fde&to=__proto__&key=constructor',
    'lang=<script>&username=<script>alert(1)</script>&key="><img src=x>',
    'key=a&key=b&lang=de&lang=fr&to=access&to=mfa',
    '&&==&=&?&#',
    `username=${'x'.repeat(10_000)}`,
    'key=%F0%9F%94%91&username=%ED%A0%80',
    'resetToken=%27&verifyToken=%27&username=%2e%2e&token[]=1&token.x=2',
  ]
  it.each(paths)('handles hostile query strings: %s', async (path) => {
    for (const query of queries) {
      const response = await fetchPage(`${path}?${query}`, { as })
      expect({ query, isError: response.status >= 500 }).toEqual({ query, isError: false })
      expectSafe(response)
      if (!isPage(response)) {
        await response.body?.cancel()
        continue
      }
      const text = await response.text()
      expect(text).not.toMatch(/<script>|<img src=x>/)
    }
  })

  it.each(withForms)('refuses forms without its token: %s', async (path) => {
    const other = visitor(node)
    await other.open('/web/sign-in')
    await as.open('/web/sign-in')
    const foreign = [
      ['no token', '', {}],
      ['an empty token', 'form_token=', {}],
      ['an invented token', 'form_token=x', {}],
      ['the token of another browser', `form_token=${encodeURIComponent(tokenIn(other))}`, {}],
      ['the right token from another site', `form_token=${encodeURIComponent(tokenIn(as))}`, { 'sec-fetch-site': 'cross-site' }],
      ['the right token from another host of the site', `form_token=${encodeURIComponent(tokenIn(as))}`, { 'sec-fetch-site': 'same-site' }],
    ] as const
    const hasForm = (await fetchPage(path, { as })).status !== 303
    for (const [origin, body, headers] of foreign) {
      const filled = `name=alice&password=${encodeURIComponent(PASSWORD)}&do=sign-out&${body}`
      const response = await fetchPage(path, { body: filled, headers, as })
      expectSafe(response)
      if (!hasForm) {
        // The page redirects anonymous or signed-in persons before the form is checked.
        expect({ origin, status: response.status }).toEqual({ origin, status: 303 })
        expect(response.headers.getSetCookie().filter((cookie) => !cookie.includes('_form='))).toEqual([])
        continue
      }
      expect({ origin, status: response.status }).toEqual({ origin, status: 403 })
      expect(isPage(response)).toBe(true)
      expect(await response.text()).toContain('This form has expired')
    }
    const after = await as.open('/web/overview')
    expect(after.path).toMatch(isOwner ? /^\/web\/overview$/ : /^\/web\/sign-in/)
  })

  it.each(withForms)('refuses bodies that are too large or not urlencoded: %s', async (path) => {
    const page = pages.find((one) => one.path === path)
    // Forms with files are refused for their missing token; anonymous persons sign in first.
    const multipart = page?.beforeUpload === undefined ? 415 : isOwner ? 403 : 303
    const bodies = [
      ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nalice\r\n--x--\r\n', multipart],
      ['application/json', '{"name":"alice"}', 415],
      ['text/plain', 'name=alice', 415],
      [FORM, `name=${'x'.repeat((page?.maxFormMb ?? 1 / 16) * 1024 * 1024)}`, 413],
    ] as const
    for (const [type, body, status] of bodies) {
      const response = await fetchPage(path, { body, headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' }, as })
      expect({ type, status: response.status }).toEqual({ type, status })
      expectSafe(response)
      expect(isPage(response)).toBe(status !== 303)
      await response.text()
    }
  })
})

describe('other paths', () => {
  it.each([
    ['GET', '/no-such-page', 404],
    ['GET', '/sign-in/more', 404],
    ['GET', '/%3Cscript%3E', 404],
    ['POST', '/no-such-page', 404],
    ['PUT', '/sign-in', 404],
    ['DELETE', '/sign-in', 404],
    ['GET', '/assets/no-such.css', 404],
    ['GET', '/assets/__proto__', 404],
    ['GET', '', 303],
  ])('have security headers: %s /web%s', async (method, path, status) => {
    const response = await fetchPage(path, method === 'POST' ? { method, body: 'a=b' } : { method })
    expect(response.status).toBe(status)
    expectSafe(response)
    if (status === 404 && !path.startsWith('/assets')) {
      expect(isPage(response)).toBe(true)
      const text = await response.text()
      expect(text).toContain('This page does not exist.')
      expect(text).not.toContain('<script>')
    }
  })

  it('do not redirect to other hosts', async () => {
    const browser = await signedIn()
    for (const query of ['to=https://evil.example', 'to=//evil.example', 'returnURL=https://evil.example', 'key=//evil.example']) {
      const { headers } = await fetchPage(`/sign-in?${query}`, { as: browser })
      expect(headers.get('location')).toMatch(/^\/web\/(overview|authorize)/)
    }
  })
})

describe('cookies', () => {
  it('are limited to the pages of the node', async () => {
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    const body = new URLSearchParams({ name: 'alice', password: PASSWORD, form_token: tokenIn(browser) }).toString()
    const response = await fetchPage('/sign-in', { body, as: browser })
    expect(response.status).toBe(303)
    const cookies = response.headers.getSetCookie()
    expect(cookies).not.toEqual([])
    for (const cookie of cookies) expect(cookie).toMatch(/; Path=\/web; HttpOnly; SameSite=Lax$/)
  })

  it('are Secure if the URL of the node is https', async () => {
    const secure = await startTestNode({ 'dnsLess.publicUrl': 'https://node.example/base' })
    try {
      const response = await fetch(`${secure.url}web/sign-in`)
      const cookies = response.headers.getSetCookie()
      expect(cookies).toHaveLength(1)
      expect(cookies[0]).toMatch(/; Path=\/base\/web; HttpOnly; SameSite=Lax; Secure/)
    } finally {
      await secure.stop()
    }
  })

  it('are ignored when altered, exchanged, or of another node', async () => {
    const browser = await signedIn()
    const other = await startTestNode()
    try {
      await registerUser(other, 'alice')
      const stranger = visitor(other)
      await stranger.open('/web/sign-in')
      await stranger.submit({ name: 'alice', password: PASSWORD })
      const session = [...browser.cookies.keys()].find((name) => name.endsWith('_session')) ?? ''
      const value = browser.cookies.get(session) ?? ''
      const form = [...browser.cookies].find(([name]) => name.endsWith('_form'))?.[1] ?? ''
      const theirs = [...stranger.cookies].find(([name]) => name.endsWith('_session'))?.[1] ?? ''
      const middle = Math.floor(value.length / 2)
      const altered = value.slice(0, middle) + (value[middle] === 'A' ? 'B' : 'A') + value.slice(middle + 1)
      for (const instead of [altered, value.slice(0, -4), '', form, theirs, '%', 'x'.repeat(5000)]) {
        const response = await fetchPage('/overview', { headers: { cookie: `${session}=${instead}` } })
        expect({ instead, status: response.status, to: response.headers.get('location') }).toEqual({
          instead,
          status: 303,
          to: '/web/sign-in?to=%2Foverview',
        })
      }
      expect((await fetchPage('/overview', { headers: { cookie: `${session}=${value}` } })).status).toBe(200)
    } finally {
      await other.stop()
    }
  })

  it('do not authenticate API calls', async () => {
    const browser = await signedIn()
    for (const path of ['alice/events', 'alice/access-info', 'alice/accesses']) {
      const { status } = await fetch(node.url + path, { headers: { cookie: cookieOf(browser) } })
      expect([401, 403]).toContain(status)
    }
  })
})

describe('secrets', () => {
  it('of the sign-in appear in no URL, cookie, page or log line', async () => {
    const browser = visitor(node)
    await browser.open('/web/sign-in')
    for (const password of ['a wrong Secret-77', PASSWORD]) {
      const body = new URLSearchParams({ name: 'alice', password, form_token: tokenIn(browser) }).toString()
      const response = await fetchPage('/sign-in', { body, as: browser })
      expect(await response.text()).not.toMatch(/Secret-77|correct horse/)
      const headers = [...response.headers].map(([name, value]) => `${name}: ${decodeURIComponent(value)}`).join('\n')
      expect(headers).not.toMatch(/Secret-77|correct.horse/)
    }
    await browser.submit({ name: 'alice', password: PASSWORD })
    const { body } = await tokensOf('alice')
    const tokens = body.filter(({ name }) => name === 'coffer-web').map(({ token }) => token)
    expect(tokens).toHaveLength(1)
    for (const secret of [...tokens, 'Secret-77', PASSWORD]) {
      expect(node.logged.join('\n')).not.toContain(secret)
      expect(cookieOf(browser)).not.toContain(secret)
      expect(browser.page.path).not.toContain(secret)
      expect(browser.page.html).not.toContain(secret)
    }
  })
})

/** Returns the accesses of an account with their tokens. */
async function tokensOf(username: string): Promise<{ body: { name: string; token: string }[] }> {
  const login = await fetch(`${node.url}${username}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: node.url.slice(0, -1) },
    body: JSON.stringify({ username, password: PASSWORD, appId: 'looks-on' }),
  })
  const { token } = (await login.json()) as { token: string }
  const answer = await fetch(`${node.url}${username}/accesses`, { headers: { authorization: token } })
  const { accesses } = (await answer.json()) as { accesses: { name: string; token: string }[] }
  return { body: accesses }
}
