/** Remote control: authentication, and methods that are restricted to the machine of the node. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { OperatorMethod } from '../../../src/server/control/operatorMethod.js'
import { operatorMethods } from '../../../src/server/control/operatorMethods.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { withNode } from '../../support/nodes/started.js'

type Json = Record<string, unknown>
const KEY = 'an operator key of more than sixteen'
const open = withNode({ 'remoteControl.active': true, 'auth.adminAccessKey': KEY })

const control = (to: TestNode, method: string, body: Json = {}, key = KEY): ReturnType<typeof request> =>
  request(`${to.url}system/admin/control/${method}`, { token: key, body })

describe('a node without remote control', () => {
  const closed = withNode({ 'auth.adminAccessKey': KEY })
  it('answers unknown-resource, even with the operator key', async () => {
    const { status, body, headers } = await control(closed(), 'node.status')
    expect([status, (body['error'] as Json)['id'], headers.get('coffer-door')]).toEqual([404, 'unknown-resource', null])
  })
})

describe('a node with remote control', () => {
  let token: string
  let event: Json
  beforeAll(async () => {
    token = await registerUser(open(), 'alice')
    await request(`${open().url}alice/streams`, { token, body: { id: 'diary', name: 'Diary' } })
    const { body } = await request(`${open().url}alice/events`, { token, body: { streamIds: ['diary'], type: 'note/txt', content: 'a' } })
    event = body['event'] as Json
  })

  it.each([
    ['no key', ''],
    ['another key', `${KEY}!`],
    ['the key as a bearer token', `Bearer ${KEY}`],
  ])('answers unknown-resource to %s', async (_, key) => {
    const { status, body, headers } = await control(open(), 'node.status', {}, key)
    expect([status, (body['error'] as Json)['id'], headers.get('coffer-door')]).toEqual([404, 'unknown-resource', null])
  })

  it('answers unknown-resource to the token of an account', async () => {
    expect((await control(open(), 'node.status', {}, token)).status).toBe(404)
  })

  it('serves operator methods, and account methods as the owner', async () => {
    const status = await control(open(), 'node.status')
    expect([status.status, status.headers.get('coffer-door'), status.body['running']]).toEqual([200, 'control', true])
    const found = await control(open(), 'events.get', { user: 'alice', params: { streams: ['diary'] } })
    expect((found.body['events'] as Json[]).map(({ id }) => id)).toEqual([event['id']])
  })

  it('applies the permissions of a given access', async () => {
    const { body } = await control(open(), 'accesses.create', {
      user: 'alice',
      params: { name: 'reader', permissions: [{ streamId: 'diary', level: 'read' }] },
    })
    const access = String((body['access'] as Json)['id'])
    const refused = await control(open(), 'events.create', { user: 'alice', access, params: { streamIds: ['diary'], type: 'note/txt', content: 'b' } })
    expect([refused.status, (refused.body['error'] as Json)['id']]).toEqual([403, 'forbidden'])
  })

  it('returns the failures of the methods', async () => {
    const unknown = await control(open(), 'events.getOne', { user: 'alice', params: { id: 'none' } })
    expect([unknown.status, (unknown.body['error'] as Json)['id']]).toEqual([404, 'unknown-resource'])
    const unknownUser = await control(open(), 'events.get', { user: 'bob', params: {} })
    expect((unknownUser.body['error'] as Json)['id']).toBe('unknown-user')
  })

  it.each(operatorMethods.filter((each: OperatorMethod) => each.localCommand !== undefined).map(({ id }) => id as string).concat('node.stop', 'node.restart'))(
    'refuses %s, which requires the local machine, and suggests the local command',
    async (method) => {
      const { body } = await control(open(), method, { params: { pid: process.pid, folder: '/tmp' } })
      expect(body['error']).toMatchObject({ id: 'forbidden', data: { onItsMachine: expect.stringMatching(/^coffer /) as string } })
    },
  )

  it('reads no local file named by a caller, and reveals no local path', async () => {
    const secret = join(open().places.home, 'secret.txt')
    writeFileSync(secret, 'not for other machines')
    const attached = await control(open(), 'events.create', {
      user: 'alice',
      params: { streamIds: ['diary'], type: 'picture/attached', files: [{ path: secret, fileName: 'a.txt' }] },
    })
    expect([attached.status, (attached.body['error'] as Json)['id']]).toEqual([400, 'invalid-operation'])

    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached' }))
    form.append('file', new Blob(['bytes']), 'a.txt')
    const made = (await (await fetch(`${open().url}alice/events`, { method: 'POST', headers: { authorization: token }, body: form })).json()) as { event: { id: string; attachments: { id: string }[] } }
    const { id, attachments } = made.event
    const got = await control(open(), 'events.getAttachment', { user: 'alice', params: { id, fileId: attachments[0]?.id } })
    expect([got.status, (got.body['error'] as Json)['id']]).toEqual([400, 'invalid-operation'])
    expect(JSON.stringify(got.body)).not.toContain(open().places.home)
  })

  it('records the source of a call in the audit, with its IP address', async () => {
    await control(open(), 'streams.create', { user: 'alice', params: { id: 'garden', name: 'Garden' } })
    const { body } = await request(`${open().url}alice/events?streams[]=:_audit:action-streams.create&limit=1`, { token })
    const [record] = body['auditLogs'] === undefined ? (body['events'] as Json[]) : (body['auditLogs'] as Json[])
    expect((record?.['content'] as Json)['source']).toEqual({ name: 'control', ip: '127.0.0.1' })
  })

  it('streams events to a follower', async () => {
    const leaving = new AbortController()
    const { body } = await fetch(`${open().url}system/admin/control/node.events?user=alice`, { headers: { authorization: KEY }, signal: leaving.signal })
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    const created = await control(open(), 'events.create', { user: 'alice', params: { streamIds: ['diary'], type: 'note/txt', content: 'c' } })
    const line = JSON.parse(Buffer.from((await reader.read()).value ?? []).toString()) as Json
    expect(line).toMatchObject({ event: 'change', kind: 'event', action: 'create', id: (created.body['event'] as Json)['id'] })
    leaving.abort()
  })
})

it('a node with remote control does not start without an operator key', async () => {
  await expect(startTestNode({ 'remoteControl.active': true, 'auth.adminAccessKey': null })).rejects.toThrow(
    'remoteControl.active = true requires an operator key',
  )
})
