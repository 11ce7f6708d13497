/** Changes that match a scope (docs/interface/notifications.md#scopes). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { compileScopes, readScopes } from '../../../src/server/notifications/scopes.js'
import type { Permission } from '../../../src/store/model/access.js'
import { compileScope } from '../../../src/store/model/permission.js'
import { grantAccess } from '../../support/people/access.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { holderOf, notificationsOf, type Notifications } from '../../support/oracles/scopeMatches.js'

let node: TestNode
let s: Stage
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

/** Streams: A contains B, which contains C; S and T are roots. */
beforeEach(async () => {
  s = await newStage(node)
  for (const [id, parentId] of [['A', null], ['B', 'A'], ['C', 'B'], ['S', null], ['T', null]]) {
    await s.arrange('streams.create', { id, name: id, parentId })
  }
})

const follow = async (scopes: unknown, permissions?: Permission[]): Promise<Notifications> =>
  notificationsOf(await holderOf(s, permissions === undefined ? s.owner : await s.app(permissions)), scopes)

const create = async (streamIds: string[], more: Record<string, unknown> = {}): Promise<string> => {
  const { event } = await s.arrange('events.create', { streamIds, type: 'mass/kg', content: 5, ...more })
  return (event as { id: string }).id
}
const update = (id: string, changes: Record<string, unknown>): Promise<unknown> =>
  s.arrange('events.update', { id, update: changes })
const on = (...streams: string[]): unknown => ({ query: { streams } })
const read = (...ids: string[]): Permission[] => ids.map((streamId) => ({ streamId, level: 'read' }))
const none = (streamId: string): Permission => ({ streamId, level: 'none' })

describe('a scope of events', () => {
  it('matches events of its streams and their descendants only', async () => {
    const { since } = await follow({ a: on('A'), s: on('S') })
    await create(['A'])
    await create(['C'])
    await create(['T'])
    await create(['S', 'C'])
    expect(await since()).toEqual(['a', 'a', 'a s'])
  })

  it('matches every change of an event, including its deletion', async () => {
    const { since } = await follow({ a: on('A') })
    const id = await create(['B'])
    await update(id, { content: 6 })
    await s.arrange('events.delete', { id })
    await update(id, { trashed: false })
    await s.arrange('events.delete', { id })
    await s.arrange('events.delete', { id })
    expect(await since()).toEqual(['a', 'a', 'a', 'a', 'a', 'a'])
  })

  it('matches when an event enters or leaves its streams', async () => {
    const { since } = await follow({ a: on('A'), s: on('S') })
    const id = await create(['T'])
    await update(id, { streamIds: ['A'] })
    await update(id, { streamIds: ['S'] })
    await update(id, { streamIds: ['T'] })
    expect(await since()).toEqual(['a', 'a s', 's'])
  })

  it('matches exact types and all formats of a class', async () => {
    const { since } = await follow({ kg: { query: { types: ['mass/kg'] } }, any: { query: { types: ['mass/*', 'note/txt'] } } })
    await create(['A'])
    await create(['A'], { type: 'mass/g' })
    await create(['A'], { type: 'note/txt', content: 'x' })
    await create(['A'], { type: 'note/html', content: 'x' })
    await create(['A'], { type: 'series:mass/kg', content: undefined })
    expect(await since()).toEqual(['kg any', 'any', 'any'])
  })

  it('matches conditions on the event before or after the change', async () => {
    const { since } = await follow({
      high: { query: { content: [{ path: '$', gte: 10 }] } },
      mine: { query: { clientData: [{ path: 'app', eq: 'x' }] } },
    })
    const id = await create(['A'])
    await update(id, { content: 10 })
    await update(id, { content: 9 })
    await update(id, { content: 8 })
    await update(id, { clientData: { app: 'x' } })
    expect(await since()).toEqual(['high', 'high', 'mine'])
  })

  it('requires streams, type and conditions to match the same version of an event', async () => {
    const { since } = await follow({ w: { query: { streams: ['A'], types: ['mass/kg'], content: [{ path: '$', eq: 1 }] } } })
    await create(['A'], { content: 2 })
    await create(['S'], { content: 1 })
    const id = await create(['S'], { content: 1 })
    await update(id, { streamIds: ['A'], content: 2 })
    await create(['A'], { content: 1 })
    expect(await since()).toEqual(['w'])
  })

  it('supports streams queries', async () => {
    const { since } = await follow({
      w: on(), not: { query: { streams: { any: ['A'], not: ['B'] } } }, alone: on('A!'),
      both: { query: { streams: [{ any: ['A'], all: ['S'] }] } }, json: { query: { streams: '{"any":["*"],"not":["A"]}' } },
    })
    await create(['A'])
    await create(['B'])
    await create(['A', 'S'])
    await create(['T'])
    expect(await since()).toEqual(['not alone', 'not alone both', 'json'])
  })

  it('matches trashed streams and events in them', async () => {
    const { since } = await follow({ a: on('A') })
    const id = await create(['B'])
    await s.arrange('streams.delete', { id: 'B' })
    await update(id, { content: 7 })
    expect(await since()).toEqual(['a', 'a'])
  })

  it('includes streams created later', async () => {
    const { since } = await follow({ a: on('A') })
    await s.arrange('streams.create', { id: 'D', name: 'D', parentId: 'C' })
    await create(['D'])
    await s.arrange('streams.update', { id: 'D', update: { parentId: 'S' } })
    await create(['D'])
    expect(await since()).toEqual(['a'])
  })

  it('matches events deleted with their stream', async () => {
    const { since } = await follow({ a: on('A'), c: on('C'), s: on('S') })
    await create(['C'])
    await create(['C', 'S'])
    expect(await since()).toEqual(['a c', 'a c s'])
    await s.arrange('streams.delete', { id: 'C' })
    await s.arrange('streams.delete', { id: 'C', mergeEventsWithParent: false })
    expect(await since()).toEqual(['a c s'])
  })

  it('matches events moved to the parent of their stream', async () => {
    const { since } = await follow({ b: on('B!'), c: on('C'), s: on('S') })
    await create(['C'])
    await s.arrange('streams.delete', { id: 'C' })
    await since()
    await s.arrange('streams.delete', { id: 'C', mergeEventsWithParent: true })
    expect(await since()).toEqual(['b c'])
  })

  it('remains after the deletion of its stream, and matches it again once it is recreated', async () => {
    const { since } = await follow({ c: on('C'), all: on('C', 'S') })
    await s.arrange('streams.delete', { id: 'C' })
    await s.arrange('streams.delete', { id: 'C', mergeEventsWithParent: false })
    await create(['S'])
    await s.arrange('streams.create', { id: 'C', name: 'C', parentId: 'T' })
    await create(['C'])
    expect(await since()).toEqual(['all', 'c all'])
  })
})

describe('account streams', () => {
  const setLanguage = (content: string): Promise<unknown> => update(':_system:language', { content })
  const account = { lang: on(':_system:language'), root: on(':_system:account'), all: {}, a: on('A') }

  it('match for the owner', async () => {
    const { since } = await follow(account)
    await setLanguage('fr')
    expect(await since()).toEqual(['lang root all'])
  })

  it('match for an access with an explicit permission', async () => {
    const none = await follow({ all: {} }, read('*'))
    const named = await follow({ lang: account.lang, all: {} }, read(':_system:language'))
    await setLanguage('fr')
    expect(await none.since()).toEqual([])
    expect(await named.since()).toEqual(['lang all'])
  })
})

describe('the permissions of an access', () => {
  it('limit all of its scopes', async () => {
    const { since } = await follow({ all: {}, a: on('A') }, [...read('A'), none('C')])
    await create(['B'])
    await create(['S'])
    await create(['C'])
    await create(['A', 'C'])
    await create(['A', 'S'])
    expect(await since()).toEqual(['all a', 'all a'])
  })

  it('limit a permission for all streams', async () => {
    const { since } = await follow({ all: {} }, [...read('*'), none('S'), { streamId: 'T', level: 'create-only' }])
    await create(['S'])
    await create(['T'])
    await create(['A', 'S'])
    await create(['C'])
    expect(await since()).toEqual(['all'])
  })

  it('match nothing at the level create-only', async () => {
    const { since } = await follow({ all: {} }, [{ streamId: 'A', level: 'create-only' }])
    await create(['A'])
    await create(['B'])
    expect(await since()).toEqual([])
  })

  it('hide events deleted with a stream below a hidden one', async () => {
    const { since } = await follow({ all: {} }, [...read('*'), none('B')])
    await create(['C'])
    await create(['B', 'C'])
    await s.arrange('streams.delete', { id: 'C' })
    await s.arrange('streams.delete', { id: 'C', mergeEventsWithParent: false })
    expect(await since()).toEqual([])
  })

  it('match an event that becomes visible when a hidden stream is deleted', async () => {
    const { since } = await follow({ all: {} }, [...read('*'), none('B')])
    await create(['C', 'S'])
    await s.arrange('streams.delete', { id: 'C' })
    expect(await since()).toEqual([])
    await s.arrange('streams.delete', { id: 'C', mergeEventsWithParent: false })
    expect(await since()).toEqual(['all'])
  })

  it('match an event that becomes visible or invisible', async () => {
    const { since } = await follow({ all: {} }, read('A'))
    const id = await create(['S'])
    await update(id, { streamIds: ['A'] })
    await update(id, { streamIds: ['S'] })
    await update(id, { content: 6 })
    expect(await since()).toEqual(['all', 'all'])
  })

  it('apply to tags', async () => {
    const { since } = await follow({ all: {}, t: on() }, [{ tag: 'x', level: 'read' }, none('S')])
    await create(['T'], { tags: ['x'] })
    await create(['T'], { tags: ['y'] })
    await create(['S'], { tags: ['x'] })
    expect(await since()).toEqual(['all'])
  })

  it('drop scopes without permission when the scopes are compiled again', async () => {
    const { token } = await grantAccess(node, s.username, read('A', 'S'))
    const before = await holderOf(s, token)
    const scopes = readScopes(before, { a: on('A'), all: {}, s: on('S'), any: on('A', 'S'), str: { kind: 'streams', query: { streams: ['S'] } } })
    expect(compileScopes(before, scopes).dropped).toEqual([])
    const narrowed = compileScope({ ...before.caller.access, permissions: read('A') })
    const compiled = compileScopes({ ...before, caller: { ...before.caller, scope: narrowed } }, scopes)
    expect(compiled.dropped).toEqual(['s', 'any', 'str'])
    const keys: string[][] = []
    const stop = node.node.notifier.follow(before.account.prefix, (changes) => void keys.push(compiled.match(changes)))
    await create(['A'])
    await create(['S'])
    await node.node.store.settled()
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    stop()
    expect(keys).toEqual([['a', 'all'], []])
  })
})

describe('a scope of streams', () => {
  const streams = (...ids: string[]): unknown => ({ kind: 'streams', query: { streams: ids } })
  const createStream = (id: string, parentId: string | null): Promise<unknown> =>
    s.arrange('streams.create', { id, name: id, parentId })

  it('matches its streams, their descendants and new children', async () => {
    const { since } = await follow({ a: streams('A'), alone: streams('A!'), all: { kind: 'streams' }, ev: on('A') })
    await createStream('D', 'A')
    await createStream('E', 'C')
    await createStream('F', null)
    await s.arrange('streams.update', { id: 'A', update: { name: 'other' } })
    expect(await since()).toEqual(['a alone all', 'a all', 'all', 'a alone all'])
  })

  it('matches moves from and to its streams', async () => {
    const { since } = await follow({ a: streams('A'), s: streams('S'), t: streams('T') })
    await s.arrange('streams.update', { id: 'C', update: { parentId: 'S' } })
    await s.arrange('streams.update', { id: 'C', update: { parentId: null } })
    await s.arrange('streams.update', { id: 'C', update: { name: 'c' } })
    expect(await since()).toEqual(['a s', 's'])
  })

  it('matches trashing and deletion, including deleted descendants', async () => {
    const { since } = await follow({ a: streams('A'), c: streams('C'), s: streams('S') })
    await s.arrange('streams.delete', { id: 'B' })
    await s.arrange('streams.delete', { id: 'B', mergeEventsWithParent: false })
    expect(await since()).toEqual(['a', 'a c'])
  })

  it('does not match events', async () => {
    const { since } = await follow({ all: { kind: 'streams' }, a: streams('A') })
    await create(['A'])
    expect(await since()).toEqual([])
  })

  it('matches streams listed to the access only', async () => {
    const { since } = await follow({ all: { kind: 'streams' }, a: streams('A') }, [
      { streamId: 'A', level: 'create-only' },
      none('C'),
    ])
    await createStream('D', 'B')
    await createStream('E', 'C')
    await createStream('F', 'S')
    await s.arrange('streams.update', { id: 'C', update: { name: 'hidden' } })
    await s.arrange('streams.update', { id: 'D', update: { parentId: 'S' } })
    expect(await since()).toEqual(['all a', 'all a'])
  })

  it('hides deletions below a hidden stream', async () => {
    const { since } = await follow({ all: { kind: 'streams' } }, [...read('*'), none('B')])
    await s.arrange('streams.delete', { id: 'C' })
    await s.arrange('streams.delete', { id: 'C', mergeEventsWithParent: false })
    expect(await since()).toEqual([])
  })
})

describe('a scope of accesses', () => {
  const accesses = (query: Record<string, unknown>): unknown => ({ kind: 'accesses', query })
  const share = async (streamId: string): Promise<string> => {
    const { access } = await s.arrange('accesses.create', { name: `to ${streamId}`, permissions: [{ streamId, level: 'read' }] })
    return (access as { id: string }).id
  }

  it('matches by type, by stream and by id', async () => {
    const own = await share('C')
    const { since } = await follow({
      shared: accesses({ types: ['shared'] }),
      app: accesses({ types: ['app'] }),
      a: accesses({ streams: ['A'] }),
      star: accesses({ streams: ['*'] }),
      own: accesses({ accessIds: [`${own}:3`] }),
      no: accesses({ types: ['app'], streams: ['A'] }),
      both: accesses({ types: ['shared'], streams: ['S'] }),
    })
    await share('B')
    await share('S')
    await s.arrange('accesses.delete', { id: own })
    expect(await since()).toEqual(['shared a star', 'shared star both', 'shared a star own'])
  })

  it('matches added and removed permissions', async () => {
    const id = await share('S')
    const { since } = await follow({ a: accesses({ streams: ['A'] }), s: accesses({ streams: ['S'] }) })
    await s.arrange('accesses.update', { id, update: { permissions: [{ streamId: 'A', level: 'read' }] } })
    expect(await since()).toEqual(['a s'])
  })
})
