/** Tag permissions: they add to stream permissions, and never override an excluded stream. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Permission } from '../../../../src/store/model/access.js'
import { grantAccess } from '../../../support/people/access.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { ask } from '../../../support/people/shares.js'

const on = (streamId: string, level: string): Permission => ({ streamId, level }) as Permission
const tag = (name: string, level: string): Permission => ({ tag: name, level }) as Permission
const id = (letter: string): string => `c${letter.padStart(24, '0')}`
let node: TestNode
let s: Stage
beforeAll(async () => {
  node = await startTestNode()
  s = await newStage(node)
  for (const stream of ['a', 'b', 'closed', 'gone']) await s.arrange('streams.create', { id: stream, name: stream })
  await s.arrange('streams.create', { id: 'below', name: 'below', parentId: 'closed' })
  const events: [letter: string, streamIds: string[], tags: string[]][] = [
    ['1', ['a'], []],
    ['2', ['b'], ['work']],
    ['3', ['b'], ['home', 'work']],
    ['4', ['closed', 'b'], ['work']],
    ['5', ['below'], ['work']],
    ['6', ['b'], ['home']],
    ['7', ['gone'], ['work']],
  ]
  for (const [letter, streamIds, tags] of events) {
    await s.arrange('events.create', { id: id(letter), streamIds, tags, type: 'note/txt', content: '"tags":["work"]' })
  }
  await s.arrange('streams.update', { id: 'gone', update: { trashed: true } })
})
afterAll(() => node.stop())

const tokenOf = async (permissions: Permission[]): Promise<string> =>
  (await grantAccess(node, s.username, permissions)).token
const listed = async (token: string, query = ''): Promise<string> => {
  const { status, body } = await ask(s, token, 'GET', `/events?sortAscending=true${query}`)
  if (status !== 200) return String(status)
  return (body['events'] as { id: string }[]).map((event) => event.id.slice(-1)).sort().join('')
}
const readable = async (token: string): Promise<string> => {
  let found = ''
  for (const letter of ['1', '2', '3', '4', '5', '6', '7']) {
    const { status } = await ask(s, token, 'GET', `/events/${id(letter)}`)
    if (status === 200) found += letter
    else expect(status).toBe(403)
  }
  return found
}

describe('tag permissions', () => {
  const cases: [name: string, permissions: Permission[], listed: string, single: string][] = [
    ['alone', [tag('work', 'read')], '2345', '23457'],
    ['with streams', [on('a', 'read'), tag('home', 'read')], '136', '136'],
    ['on all tags', [tag('*', 'read')], '23456', '234567'],
    ['with an excluded stream and its children', [on('closed', 'none'), tag('work', 'read')], '23', '237'],
    ['with a create-only stream', [on('closed', 'create-only'), tag('work', 'contribute')], '23', '237'],
    ['with all streams excluded', [on('*', 'none'), tag('work', 'read')], '', ''],
    ['with a readable child of an excluded stream', [on('closed', 'none'), on('below', 'read'), tag('work', 'read')], '235', '2357'],
  ]
  it.each(cases)('select events %s', async (_, permissions, expected, single) => {
    const token = await tokenOf(permissions)
    expect([await listed(token), await readable(token)]).toEqual([expected, single])
    expect(await listed(token, '&streams=*')).toBe(expected)
    expect(await listed(token)).toBe(expected)
  })

  it('are combined with other filters', async () => {
    const token = await tokenOf([on('a', 'read'), tag('work', 'read')])
    const not = encodeURIComponent(JSON.stringify({ any: ['*'], not: ['closed'] }))
    expect(await listed(token, `&streams=${not}`)).toBe('123')
    expect(await listed(token, '&tags=home')).toBe('3')
    expect(await listed(token, '&state=all')).toBe('123457')
    expect(await listed(token, '&streams=a')).toBe('1')
  })

  it('give no access to streams, and list none', async () => {
    const token = await tokenOf([tag('work', 'manage')])
    expect(await listed(token, '&streams=b')).toBe('403')
    const { streams } = (await ask(s, token, 'GET', '/streams')).body as { streams: { id: string }[] }
    expect(streams.map(({ id }) => id)).toEqual([expect.stringMatching(/^:_audit:access-/)])
    expect((await ask(s, token, 'POST', '/streams', { name: 'x' })).status).toBe(403)
  })

  it('give no access to account streams', async () => {
    const token = await tokenOf([tag('*', 'manage')])
    expect((await ask(s, token, 'GET', '/events/:system:email')).status).toBe(403)
    const body = { streamIds: [':system:email'], type: 'email/string', content: 'x@example.org', tags: ['work'] }
    expect((await ask(s, token, 'POST', '/events', body)).status).toBe(403)
    expect((await ask(s, token, 'PUT', '/events/:system:email', { content: 'x@example.org' })).status).toBe(403)
  })

  it('allow creating, updating, moving and deleting events', async () => {
    const note = { type: 'note/txt', content: 'x' }
    const reader = await tokenOf([tag('work', 'read')])
    const writer = await tokenOf([tag('work', 'contribute'), on('closed', 'none')])
    const create = (token: string, more: object): ReturnType<typeof ask> =>
      ask(s, token, 'POST', '/events', { ...note, ...more })
    expect((await create(reader, { streamIds: ['b'], tags: ['work'] })).status).toBe(403)
    expect((await create(writer, { streamIds: ['b'], tags: ['home'] })).status).toBe(403)
    expect((await create(writer, { streamIds: ['b', 'below'], tags: ['work'] })).status).toBe(403)
    const created = await create(writer, { streamIds: ['b'], tags: ['home', ' work '] })
    expect(created.status).toBe(201)
    const path = `/events/${(created.body['event'] as { id: string }).id}`
    const change = async (body: object, token = writer): Promise<number> => (await ask(s, token, 'PUT', path, body)).status
    expect(await change({ content: 'y' }, reader)).toBe(403)
    expect(await change({ content: 'y' })).toBe(200)
    expect(await change({ streamIds: ['closed'] })).toBe(403)
    expect(await change({ streamIds: ['a'], tags: ['home'] })).toBe(403)
    expect(await change({ streamIds: ['a'] })).toBe(200)
    expect((await ask(s, reader, 'DELETE', path)).status).toBe(403)
    expect((await ask(s, writer, 'DELETE', path)).status).toBe(200)
    expect(await change({ tags: [] })).toBe(200)
    expect(await change({ content: 'z' })).toBe(403)
  })
})
