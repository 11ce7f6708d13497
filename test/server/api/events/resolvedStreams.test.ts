/** The resolved streams of a query are kept per access, until the tree changes. */
import { expect, it } from 'vitest'
import { resolvedStreams } from '../../../../src/server/api/events/resolvedStreams.js'
import { compileScope } from '../../../../src/store/model/permission.js'
import type { Permission } from '../../../../src/store/model/access.js'
import type { Stream } from '../../../../src/store/model/stream.js'
import { resolveStreamsQuery, parseStreamsQuery, type ExpansionContext } from '../../../../src/store/model/streamsQuery.js'
import { createTree } from '../../../../src/store/model/tree.js'

const streamOf = (id: string, parentId: string | null = null): Stream => ({ id, name: id, parentId, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' })
const systemStreams = { all: [], isReadable: () => false, known: () => false }

const scopeOf = (...permissions: Permission[]): ExpansionContext['scope'] => compileScope({ id: 'a', type: 'app', permissions })

function contextOf(streams: readonly Stream[], scope = scopeOf({ streamId: '*', level: 'read' })): ExpansionContext {
  return { scope, tree: createTree(streams), state: 'default', systemStreams }
}

const fresh = (streams: unknown, context: ExpansionContext): unknown => resolveStreamsQuery(parseStreamsQuery(streams, 'json'), context)

it('are resolved once for equal queries of an access', () => {
  const context = contextOf([streamOf('a'), streamOf('b', 'a')])
  const found = resolvedStreams(['a'], 'json', context)
  expect(found).toEqual(fresh(['a'], context))
  expect(resolvedStreams(['a'], 'json', context)).toBe(found)
  expect(resolvedStreams(['b'], 'json', context)).toEqual(fresh(['b'], context))
  expect(resolvedStreams(undefined, 'json', context)).toEqual(fresh(undefined, context))
  expect(resolvedStreams(['a'], 'json', { ...context, state: 'all' })).not.toBe(found)
})

it('are resolved again after a change of the tree', () => {
  const context = contextOf([streamOf('a')])
  resolvedStreams(['a'], 'json', context)
  context.tree.put(streamOf('b', 'a'))
  expect(resolvedStreams(['a'], 'json', context)).toEqual(fresh(['a'], context))
  context.tree.remove('a')
  expect(() => resolvedStreams(['a'], 'json', context)).toThrow(expect.objectContaining({ id: 'unknown-referenced-resource' }) as Error)
})

it('differ between accesses', () => {
  const streams = [streamOf('a'), streamOf('b')]
  const all = contextOf(streams)
  const limited = { ...all, scope: scopeOf({ streamId: 'b', level: 'read' }) }
  resolvedStreams(['a'], 'json', all)
  expect(() => resolvedStreams(['a'], 'json', limited)).toThrow(expect.objectContaining({ id: 'forbidden' }) as Error)
  expect(resolvedStreams(undefined, 'json', limited)).toEqual(fresh(undefined, limited))
})

it('are not kept for many streams', () => {
  const context = contextOf([streamOf('a'), ...Array.from({ length: 1000 }, (_, n) => streamOf(`under-${n}`, 'a'))])
  expect(resolvedStreams(['a'], 'json', context)).not.toBe(resolvedStreams(['a'], 'json', context))
})
