/** Validation of scopes, and permissions that they require (docs/interface/notifications.md#scopes). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileScopes, readScopes } from '../../../src/server/notifications/scopes.js'
import type { Permission } from '../../../src/store/model/access.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { asked, holderOf } from '../../support/oracles/scopeMatches.js'

let node: TestNode
let s: Stage
beforeAll(async () => {
  node = await startTestNode()
  s = await newStage(node)
  for (const [id, parentId] of [['A', null], ['B', 'A'], ['S', null]]) {
    await s.arrange('streams.create', { id, name: id, parentId })
  }
})
afterAll(() => node.stop())

const reader: Permission[] = [{ streamId: 'A', level: 'read' }]
const creator: Permission[] = [{ streamId: 'A', level: 'create-only' }]
const many = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, {}]))

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`)

/** Scopes requested by an access with some permissions, or by the owner (`null`), and the id of the expected failure. */
const rows: [name: string, as: Permission[] | null, scopes: unknown, refused?: string][] = [
  ['undefined', null, undefined, 'invalid-request-structure'],
  ['null', null, null, 'invalid-request-structure'],
  ['a list', null, [], 'invalid-request-structure'],
  ['a text', null, 'w', 'invalid-request-structure'],
  ['no scopes', null, {}],
  ['a scope without members', null, { w: {} }],
  ['a scope that is null', null, { w: null }, 'invalid-request-structure'],
  ['a scope that is a list', null, { w: [] }, 'invalid-request-structure'],
  ['a scope that is a text', null, { w: 'events' }, 'invalid-request-structure'],
  ['an unknown kind', null, { w: { kind: 'profile' } }, 'invalid-request-structure'],
  ['a kind named like a property of every object', null, { w: { kind: 'constructor' } }, 'invalid-request-structure'],
  ['a kind that is a number', null, { w: { kind: 1 } }, 'invalid-request-structure'],
  ['a kind that is null', null, { w: { kind: null } }, 'invalid-request-structure'],
  ['a query that is null', null, { w: { query: null } }, 'invalid-request-structure'],
  ['a query that is a list', null, { w: { query: ['A'] } }, 'invalid-request-structure'],
  ['an unknown member of a scope', null, { w: { querry: {} } }, 'invalid-request-structure'],
  ['an empty key', null, { '': {} }, 'invalid-request-structure'],
  ['a key of 256 characters', null, { ['k'.repeat(256)]: {} }],
  ['a key of 257 characters', null, { ['k'.repeat(257)]: {} }, 'invalid-request-structure'],
  ['100 scopes', null, many(100)],
  ['101 scopes', null, many(101), 'invalid-request-structure'],

  ['streams, types and conditions', null, {
    w: { query: { streams: ['A'], types: ['mass/*'], content: [{ path: '$', gt: 1 }], clientData: [{ path: 'a', eq: 1 }] } },
  }],
  ['a streams query', reader, { w: { query: { streams: { any: ['A'], not: ['B'] } } } }],
  ['one stream as a text', reader, { w: { query: { streams: 'A' } } }],
  ['an empty list of streams', reader, { w: { query: { streams: [] } } }],
  ['a malformed streams query', null, { w: { query: { streams: [{ all: ['A'] }] } } }, 'invalid-request-structure'],
  ['streams that are null', null, { w: { query: { streams: null } } }, 'invalid-request-structure'],
  ['an unknown stream', null, { w: { query: { streams: ['A', 'Z'] } } }, 'unknown-referenced-resource'],
  ['an unknown stream, by an app', reader, { w: { query: { streams: ['Z'] } } }, 'unknown-referenced-resource'],
  ['a stream that is not readable', reader, { w: { query: { streams: ['A', 'S'] } } }, 'forbidden'],
  ['a stream for creation only', creator, { w: { query: { streams: ['A'] } } }, 'forbidden'],
  ['everything, with creation only', creator, { w: {} }],
  ['account streams, by an app', reader, { w: { query: { streams: [':_system:language'] } } }, 'forbidden'],
  ['1000 streams with duplicates', null, { w: { query: { streams: { any: ['A', 'A'], all: numbered(999), not: [] } } } }],
  ['1001 streams', null, { w: { query: { streams: { any: ['A'], not: numbered(1000) } } } }, 'invalid-request-structure'],
  ['1001 streams in several queries', null, { w: { kind: 'streams', query: { streams: [{ any: ['A'], all: numbered(500) }, { any: ['A'], not: numbered(499) }] } } }, 'invalid-request-structure'],
  ['a malformed type', null, { w: { query: { types: ['mass'] } } }, 'invalid-parameters-format'],
  ['types that are not a list', null, { w: { query: { types: 'mass/kg' } } }, 'invalid-parameters-format'],
  ['a malformed condition', null, { w: { query: { content: [{ path: '$' }] } } }, 'invalid-parameters-format'],
  ['a malformed condition on client data', null, { w: { query: { clientData: {} } } }, 'invalid-parameters-format'],
  ['a time parameter', null, { w: { query: { fromTime: 1 } } }, 'invalid-parameters-format'],
  ['tags', null, { w: { query: { tags: ['t'] } } }, 'invalid-parameters-format'],

  ['streams', reader, { w: { kind: 'streams', query: { streams: ['A'] } } }],
  ['all streams', reader, { w: { kind: 'streams' } }],
  ['streams, of a listed stream for creation only', creator, { w: { kind: 'streams', query: { streams: ['A'] } } }],
  ['streams, of an unknown stream', null, { w: { kind: 'streams', query: { streams: ['Z'] } } }, 'unknown-referenced-resource'],
  ['streams, of one that is not listed', reader, { w: { kind: 'streams', query: { streams: ['S'] } } }, 'forbidden'],
  ['streams, by types', null, { w: { kind: 'streams', query: { types: ['mass/kg'] } } }, 'invalid-parameters-format'],

  ['accesses by type', null, { w: { kind: 'accesses', query: { types: ['app', 'shared'] } } }],
  ['accesses by stream', null, { w: { kind: 'accesses', query: { streams: ['A'] } } }],
  ['accesses by id', null, { w: { kind: 'accesses', query: { accessIds: ['c1'] } } }],
  ['all accesses', null, { w: { kind: 'accesses' } }, 'invalid-request-structure'],
  ['accesses of an unknown stream', null, { w: { kind: 'accesses', query: { streams: ['Z'] } } }, 'unknown-referenced-resource'],
  ['accesses of an unknown type', null, { w: { kind: 'accesses', query: { types: ['mine'] } } }, 'invalid-parameters-format'],
  ['accesses by an unknown member', null, { w: { kind: 'accesses', query: { ids: ['c1'] } } }, 'invalid-parameters-format'],
  ['accesses, by an app', reader, { w: { kind: 'accesses', query: { types: ['app'] } } }, 'forbidden'],
]

describe('requested scopes', () => {
  it.each(rows)('%s', async (_, as, scopes, refused) => {
    const holder = await holderOf(s, as === null ? s.owner : await s.app(as))
    const read = asked(holder, scopes)
    if (refused !== undefined || typeof read === 'string') return expect(read).toBe(refused)
    expect(Object.keys(read)).toEqual(Object.keys(scopes as object))
    expect(compileScopes(holder, read).dropped).toEqual([])
  })

  it('are returned with their kind and their unchanged query', async () => {
    const query = { streams: '["A"]', types: ['mass/*'] }
    expect(asked(await holderOf(s, s.owner), { w: { query }, x: { kind: 'streams' } })).toEqual({
      w: { kind: 'events', query },
      x: { kind: 'streams', query: {} },
    })
  })

  it('name unknown streams in the failure', async () => {
    const holder = await holderOf(s, s.owner)
    const scopes = { w: { query: { streams: ['Y', 'A', 'Z!'] } } }
    expect(asked(holder, scopes)).toBe('unknown-referenced-resource')
    expect(() => readScopes(holder, scopes)).toThrow(expect.objectContaining({ data: { streams: ['Y', 'Z'] } }) as Error)
  })

  it('may have keys named like properties of every object', async () => {
    const scopes: unknown = JSON.parse('{"__proto__":{"kind":"streams"},"constructor":{},"toString":{}}')
    const holder = await holderOf(s, s.owner)
    const read = asked(holder, scopes)
    expect(Object.keys(read)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(JSON.parse(JSON.stringify(read))).toEqual(
      JSON.parse('{"__proto__":{"kind":"streams","query":{}},"constructor":{"kind":"events","query":{}},"toString":{"kind":"events","query":{}}}'),
    )
    expect(({} as Record<string, unknown>)['kind']).toBeUndefined()
  })
})
