/** Audit records never contain a token or a password, for any misplaced credentials. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { grantAccess } from '../support/people/access.js'
import { recordsOf } from '../support/people/audit.js'
import { request, startTestNode, type TestNode } from '../support/nodes/node.js'
import { newStage } from '../support/http/methodTable.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

type Options = Parameters<typeof request>[1]

/** Returns requests with the token in every place besides the authentication of the call. */
function places(token: string): [path: string, options: Options][] {
  const twice = `${token} ${token}`
  const basic = Buffer.from(`${token}:${token}`).toString('base64')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const odd = encodeURIComponent(`"${token}"`)
  return [
    ['/events', { headers: { authorization: token } }],
    ['/events', { headers: { authorization: twice } }],
    ['/events', { headers: { authorization: `Bearer ${twice}` } }],
    ['/events', { headers: { authorization: `DPoP ${twice}` } }],
    ['/events', { headers: { authorization: `Basic ${basic}` } }],
    [`/events?auth=${token}`, {}],
    [`/events?auth=${token}&auth=${token}`, {}],
    [`/events?auth=${token}&auth[]=${token}&auth[x]=${token}`, {}],
    [`/events?auth=${token}&_auth=${token}&token=${token}&readToken=${token}&Auth=${token}`, {}],
    [`/events?auth=${token}&streams=${token}&streams[]=${token}`, {}],
    [`/events?auth=${token}&x[${token}]=1&${token}=1`, {}],
    [`/events?streams=${odd}`, { token }],
    [`/events?streams=${encodeURIComponent(JSON.stringify({ any: [token] }))}&content=${odd}`, { token }],
    [`/events/${token}`, { token }],
    [`/events/${token}?auth=${token}`, {}],
    [`/streams?id=${token}&parentId=${token}`, { token }],
    [`/streams?id=${token}`, { token }],
    ['/events', { token, body: { type: 'note/txt', streamIds: [token], content: token, [token]: token } }],
    ['/events', { token, body: { type: 'note/txt', streamIds: [token], content: token } }],
    [`/events?auth=${token}`, { method: 'POST', headers: form, body: `_auth=${token}&_json={"${token}":1}` }],
    ['/events', { method: 'POST', headers: form, body: `_auth=${token}&auth=${token}&streamIds=${token}` }],
    ['', { token, body: [{ method: 'events.getOne', params: { id: token } }, { method: token, params: { token } }] }],
    ['', { token, body: [{ method: 'events.get', params: { streams: token, auth: token, [token]: token } }] }],
    ['', { token, body: { [token]: token } }],
    [`/streams/${token}`, { token, method: 'DELETE' }],
    ['/auth/logout', { token, body: { token } }],
  ]
}

it.each(['of an app', 'of a personal access', 'that is unknown', 'with odd characters'])('audit records hide a token %s', async (kind) => {
  const stage = await newStage(node)
  const app = await grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }])
  const token =
    kind === 'of an app' ? app.token : kind === 'that is unknown' ? 'cunknownsecret' : kind === 'of a personal access' ? stage.owner : 'odd"to\\ken'
  for (const [path, options] of places(token)) {
    await request(`${node.url}${stage.username}${path.replaceAll('"', '%22').replaceAll('\\', '%5C')}`, options)
  }
  const login = { username: stage.username, password: 'correct horse', appId: 'test-app' }
  const { body } = await request(`${node.url}${stage.username}/auth/login?password=correct+horse&token=${app.token}`, {
    body: login,
    headers: { origin: 'http://localhost:1' },
  })
  const owner = String(body['token'])
  const records = await recordsOf({ ...stage, owner }, [':_audit:'])
  // Calls with an unknown token share records.
  expect(records.reduce((calls, { content }) => calls + Number(content['callCount'] ?? 1), 0)).toBeGreaterThan(20)
  const text = JSON.stringify(records)
  for (const secret of [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token), owner, 'correct horse']) {
    expect(text.split(secret).slice(0, -1).map((before) => before.slice(-200)), secret).toEqual([])
  }
})
