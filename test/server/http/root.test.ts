/** `GET /` of the node and of an account: docs/interface/conventions.md#root. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ 'service.name': 'Our node <&>', 'service.serial': '2024-11' })
  await registerUser(node, 'alice')
})
afterAll(() => node.stop())

describe.each(['', 'alice', 'alice/'])('GET /%s', (path) => {
  it.each(['application/json', 'text/html, application/json;q=0.9', 'APPLICATION/JSON'])('is JSON for %s', async (accept) => {
    const { status, body, headers } = await request(`${node.url}${path}`, { headers: { accept } })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(Object.keys(body).sort()).toEqual(['cheersFrom', 'learnMoreAt', 'meta'])
    expect(body['cheersFrom']).toBe('Our node <&>')
    expect(new URL(String(body['learnMoreAt'])).protocol).toBe('http:')
    expect(body['meta']).toEqual({
      apiVersion: headers.get('api-version'),
      serverTime: expect.any(Number) as number,
      serial: '2024-11',
    })
  })

  it('is a page for browsers, with a link to the API reference', async () => {
    const response = await fetch(`${node.url}${path}`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
    const text = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('Our node &lt;&amp;&gt;')
    expect(text).toContain(`<a href="${node.url}web/api">`)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('link')).toContain(`<${node.url}web/api>; rel="service-doc"`)
    expect((await fetch(`${node.url}web/api`)).status).toBe(200)
    // The page may name the signed-in account.
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it.each(['text/plain', '*/*'])('is text for %s, with version and time', async (accept) => {
    const response = await fetch(`${node.url}${path}`, { headers: { accept } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await response.text()
    expect(text).toContain(String(response.headers.get('api-version')))
    expect(text).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)
    expect(text).toContain(`API reference: ${node.url}web/api\n`)
    expect(text).not.toMatch(/<[a-z!]/)
  })
})

it('the root ignores an unknown token', async () => {
  expect((await request(`${node.url}alice/`, { token: 'unknown' })).status).toBe(200)
})

it('the root of an unknown user fails with meta', async () => {
  const { status, body } = await request(`${node.url}nobody/`, { headers: { accept: 'application/json' } })
  expect(status).toBe(404)
  expect(body).toMatchObject({ error: { id: 'unknown-resource' }, meta: { serial: '2024-11' } })
  expect((body['error'] as { message: string }).message).toContain('Unknown user')
})
