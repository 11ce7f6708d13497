import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Access, Level, StreamPermission } from '../../src/store/model/access.js'
import {
  compileScope,
  levelOn,
  mayContribute,
  mayCreate,
  mayList,
  mayManage,
  mayRead,
} from '../../src/store/model/permission.js'
import type { Stream } from '../../src/store/model/stream.js'
import { createTree } from '../../src/store/model/tree.js'
import { runs } from '../support/oracles/runs.js'

const known = ['s0', 's1', 's2', 's3', 's4', 's5']
/** Streams outside the tree, each with its ancestors. */
const fixedPath: Record<string, string[]> = {
  ':_system:account': [':_system:account'],
  ':_system:storageUsed': [':_system:storageUsed', ':_system:account'],
  ':_system:dbDocuments': [':_system:dbDocuments', ':_system:storageUsed', ':_system:account'],
  ':system:email': [':system:email', ':_system:account'],
  ':_audit:': [':_audit:'],
  ':_audit:accesses': [':_audit:accesses', ':_audit:'],
  ':_audit:access-x': [':_audit:access-x', ':_audit:accesses', ':_audit:'],
}
const special = Object.keys(fixedPath)
const levels: Level[] = ['none', 'read', 'create-only', 'contribute', 'manage']

/** The parent of a stream comes earlier in the list, so there are no cycles. */
const tree = fc
  .tuple(...known.map((_, i) => fc.option(fc.nat({ max: Math.max(0, i - 1) }))))
  .map((parents) =>
    parents.map((parent, i): Stream => {
      const parentId = i === 0 || parent === null ? null : `s${parent}`
      return { id: `s${i}`, name: 'n', parentId, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
    }),
  )
const permissions: fc.Arbitrary<StreamPermission[]> = fc.array(
  fc.record({ streamId: fc.constantFrom('*', ...known, ...special), level: fc.constantFrom(...levels) }),
  { maxLength: 6 },
)

/** Returns the stream and its ancestors, nearest first. */
function pathOf(id: string, streams: Stream[]): string[] {
  const fixed = fixedPath[id]
  if (fixed) return fixed
  const parentId = streams.find((s) => s.id === id)?.parentId
  return parentId ? [id, ...pathOf(parentId, streams)] : [id]
}

function naiveLevel(list: StreamPermission[], id: string, streams: Stream[]): Level | undefined {
  const injected: StreamPermission[] = [
    { streamId: ':_system:account', level: 'none' },
    ...list,
    { streamId: ':_audit:access-x', level: 'read' },
  ]
  for (const step of pathOf(id, streams)) {
    const entries = injected.filter((p) => p.streamId === step)
    if (entries.length > 0) return entries.at(-1)?.level
  }
  return id.startsWith(':') ? undefined : injected.filter((p) => p.streamId === '*').at(-1)?.level
}

function access(list: StreamPermission[]): Access {
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  return { id: 'x', type: 'app', name: 'n', permissions: list, ...tracking }
}

describe('permissions', () => {
  it('agree with a naive evaluation', () => {
    fc.assert(
      fc.property(tree, permissions, (streams, list) => {
        const scope = compileScope(access(list))
        const built = createTree(streams)
        for (const id of [...known, ...special, 'unknown']) {
          const level = naiveLevel(list, id, streams)
          const name = String(level)
          expect(levelOn(scope, id, built)).toBe(level)
          expect(mayList(scope, id, built)).toBe(['read', 'create-only', 'contribute', 'manage'].includes(name))
          expect(mayRead(scope, id, built)).toBe(['read', 'contribute', 'manage'].includes(name))
          expect(mayCreate(scope, id, built)).toBe(['create-only', 'contribute', 'manage'].includes(name))
          expect(mayContribute(scope, id, built)).toBe(['contribute', 'manage'].includes(name))
          expect(mayManage(scope, id, built)).toBe(name === 'manage')
        }
      }),
      { numRuns: runs(250) },
    )
  })

  it('are never wider than granted on the stream, its ancestors, or *', () => {
    fc.assert(
      fc.property(tree, permissions, (streams, list) => {
        const scope = compileScope(access(list))
        const built = createTree(streams)
        for (const id of [...known, ...special]) {
          const level = levelOn(scope, id, built)
          const reach = id.startsWith(':') ? pathOf(id, streams) : [...pathOf(id, streams), '*']
          const relevant = list.filter((p) => reach.includes(p.streamId))
          const own = id === ':_audit:access-x' && level === 'read'
          if (level !== undefined && level !== 'none' && !own) expect(relevant.map((p) => p.level)).toContain(level)
        }
      }),
    )
  })
})
