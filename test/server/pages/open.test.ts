/** One-time sign-in links of the operator to the pages of an account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operate } from '../../support/nodes/operatorMethods.js'
import { recordsOf } from '../../support/people/audit.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { visitor } from '../../support/people/visitor.js'

const clock = fakeClock()
let node: TestNode
let owner: string
beforeAll(async () => {
  node = await startTestNode({}, { clock })
  owner = await registerUser(node, 'alice')
  await registerUser(node, 'bobby')
})
afterAll(() => node.stop())

const call = async (method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> =>
  operate(node.node, method as never, params as never)
const link = async (params: Record<string, unknown> = {}): Promise<string> =>
  String((await call('pages.open', { username: 'alice', ...params }))['url'])
const isUsed = { status: 410, text: expect.stringContaining('coffer open') as unknown }

describe('a link to the pages', () => {
  it.each([
    [{}, '/web/overview'],
    [{ page: 'access' }, '/web/access'],
    [{ page: 'mfa' }, '/web/second-factor/set-up'],
  ])('with %j signs in and redirects to %s, without the code in the address', async (params, path) => {
    const browser = visitor(node)
    const page = await browser.open(await link(params))
    expect([page.status, page.path]).toEqual([200, path])
    expect(page.text).toContain('alice')
  })

  it('redirects without content', async () => {
    const response = await fetch(await link(), { redirect: 'manual' })
    expect([response.status, await response.text()]).toEqual([303, ''])
    expect(response.headers.get('location')).toBe('/web/overview')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('works once, then suggests the command for another', async () => {
    const url = await link()
    await visitor(node).open(url)
    const browser = visitor(node)
    expect(await browser.open(url)).toMatchObject(isUsed)
    expect(browser.page.html).not.toContain('code=')
    expect((await browser.open('/web/overview')).path).toBe('/web/sign-in?to=%2Foverview')
  })

  it('signs in one of 50 concurrent requests', async () => {
    const url = await link()
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(url, { redirect: 'manual' })))
    const signedIn = answers.filter(({ headers }) => headers.getSetCookie().some((cookie) => cookie.includes('_session=')))
    expect(signedIn).toHaveLength(1)
    expect(answers.map(({ status }) => status).filter((status) => status === 410)).toHaveLength(49)
  })

  it('is not consumed by HEAD', async () => {
    const url = await link()
    const head = await fetch(url, { method: 'HEAD', redirect: 'manual' })
    expect([head.status, head.headers.getSetCookie().some((cookie) => cookie.includes('_session='))]).toEqual([410, false])
    expect((await visitor(node).open(url)).path).toBe('/web/overview')
  })

  it('expires after two minutes', async () => {
    const url = await link()
    clock.pass(119)
    expect((await visitor(node).open(url)).status).toBe(200)
    const late = await link()
    clock.pass(120)
    expect(await visitor(node).open(late)).toMatchObject(isUsed)
  })

  it.each(['', '?code=', '?code=abc', `?code=${'A'.repeat(43)}`])('is refused with the query %j', async (query) => {
    expect(await visitor(node).open(`/web/open${query}`)).toMatchObject(isUsed)
  })

  it('is invalid after a change of the password', async () => {
    const url = await link({ username: 'bobby' })
    await call('users.setPassword', { username: 'bobby', password: 'battery staple' })
    expect(await visitor(node).open(url)).toMatchObject(isUsed)
  })

  it('is invalid after the deletion of the account', async () => {
    await registerUser(node, 'carla')
    const url = await link({ username: 'carla' })
    await call('users.delete', { username: 'carla' })
    expect(await visitor(node).open(url)).toMatchObject(isUsed)
  })

  it('is recorded in the audit as an action of the operator, without the code', async () => {
    const url = await link()
    await visitor(node).open(url)
    const records = await recordsOf({ node, username: 'alice', owner }, [':_audit:action-auth.login'])
    expect(records.at(0)).toMatchObject({ content: { source: { name: 'control' } } })
    const code = new URL(url).searchParams.get('code') ?? ''
    expect(code).toHaveLength(43)
    expect(JSON.stringify(records) + node.logged.join()).not.toContain(code)
  })

  it('is invalidated by too many newer ones', async () => {
    const [first, second] = [await link(), await link()]
    for (let n = 0; n < 99; n++) await link()
    expect(await visitor(node).open(first)).toMatchObject(isUsed)
    expect((await visitor(node).open(second)).status).toBe(200)
  })

  it('replaces the session of the browser', async () => {
    await registerUser(node, 'dorian')
    const browser = visitor(node)
    await browser.open(await link({ username: 'dorian' }))
    expect(browser.page.text).toContain('dorian')
    await browser.open(await link())
    expect(browser.page.text).toContain('alice')
  })
})

describe('creation of a link', () => {
  it.each([
    [{ username: 'nobody' }, 'unknown-user'],
    [{ username: 'alice', page: 'https://evil.example' }, 'invalid-parameters-format'],
    [{ username: 'alice', page: 7 }, 'invalid-parameters-format'],
    [{}, 'invalid-parameters-format'],
  ])('is refused with %j', async (params, id) => {
    await expect(call('pages.open', params)).rejects.toMatchObject({ id })
  })

  it('is refused for a relocated account', async () => {
    await registerUser(node, 'elinor')
    await call('users.relocate', { username: 'elinor', url: 'https://elsewhere.example/elinor/' })
    await expect(call('pages.open', { username: 'elinor' })).rejects.toMatchObject({ id: 'invalid-operation' })
  })

  it('is not available over HTTP', async () => {
    const { status } = await request(`${node.url}alice`, { token: owner, body: [{ method: 'pages.open', params: { username: 'alice' } }] })
    expect(status).toBe(200)
    expect((await request(`${node.url}alice/pages/open`, { token: owner, body: {} })).status).toBe(404)
  })
})

it.each([
  ['fr', 'Ce lien n’est plus valable'],
  ['de', 'Dieser Link ist nicht mehr gültig'],
])('the page of a used link is available in %s', async (language, title) => {
  expect((await visitor(node, language).open('/web/open?code=x')).text).toContain(title)
})
