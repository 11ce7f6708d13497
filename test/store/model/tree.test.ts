import { describe, expect, it } from 'vitest'
import type { Stream, StreamView } from '../../../src/store/model/stream.js'
import { createTree } from '../../../src/store/model/tree.js'

function stream(id: string, parentId: string | null = null, more: Partial<Stream> = {}): Stream {
  return { id, name: id, parentId, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a', ...more }
}

const trashed = { trashed: true as const }
const ids = (streams: Iterable<Stream>): string[] => [...streams].map((s) => s.id)
const shape = (view: StreamView): unknown => [view.id, ...view.children.map(shape)]

/** a(b(d), c), t(u), with t trashed. */
const sample = () =>
  createTree([
    stream('d', 'b'),
    stream('b', 'a'),
    stream('c', 'a'),
    stream('a'),
    stream('t', null, trashed),
    stream('u', 't'),
  ])

describe('createTree', () => {
  it('finds streams, parents, children and ancestors', () => {
    const tree = sample()
    expect(tree.size).toBe(6)
    expect([tree.get('b')?.parentId, tree.get('x')]).toEqual(['a', undefined])
    expect([tree.has('b'), tree.has('x')]).toEqual([true, false])
    expect([tree.parent('d')?.id, tree.parent('a'), tree.parent('x')]).toEqual(['b', undefined, undefined])
    expect(ids(tree.childrenOf(null))).toEqual(['a', 't'])
    expect(ids(tree.childrenOf('a'))).toEqual(['b', 'c'])
    expect(tree.childrenOf('x')).toEqual([])
    expect(ids(tree.ancestors('d'))).toEqual(['b', 'a'])
    expect(ids(tree.ancestors('a'))).toEqual([])
  })

  it('orders siblings by name in code units, then by id', () => {
    const names = ['b', 'a', 'B', 'é', 'Z', 'a10', 'a2']
    const streams = names.map((name, i) => stream(`s${i}`, null, { name }))
    const tree = createTree([...streams, stream('s9', null, { name: 'a' }), stream('s00', null, { name: 'a' })])
    const listed = tree.childrenOf(null).map((s) => s.name + s.id)
    expect(listed).toEqual(['Bs2', 'Zs4', 'as00', 'as1', 'as9', 'a10s5', 'a2s6', 'bs0', 'és3'])
  })

  it('returns lists that are safe to change', () => {
    const tree = sample()
    tree.childrenOf('a').pop()
    expect(ids(tree.childrenOf('a'))).toEqual(['b', 'c'])
  })

  it('moves, renames and removes', () => {
    const tree = sample()
    tree.put(stream('b', 't', { name: 'z' }))
    expect([ids(tree.childrenOf('a')), ids(tree.childrenOf('t')), tree.size]).toEqual([['c'], ['u', 'b'], 6])
    tree.put(stream('b', 't', { name: 'm' }))
    expect(ids(tree.childrenOf('t'))).toEqual(['b', 'u'])
    tree.put(stream('b', null))
    expect(ids(tree.childrenOf(null))).toEqual(['a', 'b', 't'])
    tree.remove('c')
    tree.remove('nothing')
    expect([ids(tree.childrenOf('a')), tree.size]).toEqual([[], 5])
  })

  it('has another version after each change only', () => {
    const tree = sample()
    const versions = [tree.version]
    tree.put(stream('b', 't', { name: 'z' }))
    versions.push(tree.version)
    tree.remove('c')
    versions.push(tree.version)
    expect(new Set(versions).size).toBe(3)
    tree.remove('nothing')
    tree.hidden()
    expect(tree.version).toBe(versions[2])
    expect(sample().version).not.toBe(sample().version)
  })

  it('counts streams without their parent as roots, until the parent is added', () => {
    const tree = createTree([stream('b'), stream('c', 'gone'), stream('a', 'lost')])
    expect(ids(tree.childrenOf(null))).toEqual(['a', 'b', 'c'])
    expect([tree.parent('c'), tree.isVisible('c'), tree.siblingNamed(null, 'c')?.id]).toEqual([undefined, true, 'c'])
    tree.put(stream('gone'))
    expect([ids(tree.childrenOf(null)), ids(tree.childrenOf('gone'))]).toEqual([['a', 'b', 'gone'], ['c']])
    tree.remove('gone')
    expect(ids(tree.childrenOf(null))).toEqual(['a', 'b', 'c'])
    tree.remove('a')
    expect(ids(tree.childrenOf(null))).toEqual(['b', 'c'])
  })

  it('finds siblings by name, other than a given one', () => {
    const x = { name: 'x' }
    const tree = createTree([stream('a'), stream('b', 'a', x), stream('c', 'a', x), stream('x')])
    expect(tree.siblingNamed('a', 'x')?.id).toBe('b')
    expect(tree.siblingNamed('a', 'x', 'b')?.id).toBe('c')
    expect(tree.siblingNamed('a', 'X')).toBeUndefined()
    expect(tree.siblingNamed(null, 'x')?.id).toBe('x')
    expect(tree.siblingNamed(null, 'x', 'x')).toBeUndefined()
  })

  it('tests whether a stream is below another', () => {
    const tree = sample()
    expect([tree.isUnder('d', 'a'), tree.isUnder('a', 'a')]).toEqual([true, true])
    expect([tree.isUnder('a', 'd'), tree.isUnder('c', 'b')]).toEqual([false, false])
  })

  it('lists subtrees with and without the trash', () => {
    const tree = sample()
    tree.put(stream('b', 'a', trashed))
    expect(tree.subtree('a', { trashed: true }).sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(tree.subtree('a', { trashed: false })).toEqual(['a', 'c'])
    expect(tree.subtree('t', { trashed: false })).toEqual([])
    expect(tree.subtree('x', { trashed: true })).toEqual([])
    expect(tree.subtree('a', { trashed: true, skip: (s) => s.id !== 'c' })).toEqual(['a', 'c'])
  })

  it('determines which streams the trash hides', () => {
    const tree = sample()
    expect(['d', 't', 'u', 'x'].filter((id) => tree.isVisible(id))).toEqual(['d'])
    expect(tree.anyTrashed()).toBe(true)
    expect(tree.hidden()).toEqual(new Set(['t', 'u']))
    tree.put(stream('t'))
    expect([tree.anyTrashed(), tree.hidden().size, tree.isVisible('u')]).toEqual([false, 0, true])
    tree.put(stream('t', 'a', trashed))
    tree.remove('t')
    expect(tree.anyTrashed()).toBe(false)
  })

  it('nests streams for a result', () => {
    const tree = sample()
    tree.put(stream('b', 'a', trashed))
    const a = stream('a')
    expect(shape(tree.view(a, { state: 'all' }))).toEqual(['a', ['b', ['d']], ['c']])
    expect(shape(tree.view(a, { state: 'default' }))).toEqual(['a', ['c']])
    expect(shape(tree.view(a, { state: 'all' }, (s) => s.id !== 'b'))).toEqual(['a', ['c']])
    expect(tree.view(stream('t', null, trashed), { state: 'default' }).children.map(shape)).toEqual([['u']])
    expect(tree.view(a, { state: 'default' }).children[0]).toEqual({ ...stream('c', 'a'), children: [] })
  })

  it('terminates on cycles', () => {
    const tree = createTree([stream('a', 'b'), stream('b', 'a'), stream('c', 'a'), stream('self', 'self'), stream('r')])
    expect(ids(tree.childrenOf(null))).toEqual(['r'])
    expect(ids(tree.ancestors('a'))).toEqual(['b'])
    expect(ids(tree.ancestors('c'))).toEqual(['a', 'b'])
    expect(ids(tree.ancestors('self'))).toEqual([])
    expect([tree.isUnder('c', 'b'), tree.isUnder('c', 'r')]).toEqual([true, false])
    expect([tree.isVisible('c'), tree.isVisible('self')]).toEqual([true, true])
    expect(tree.subtree('a', { trashed: false }).sort()).toEqual(['a', 'b', 'c'])
    expect(tree.subtree('self', { trashed: false })).toEqual(['self'])
    expect(shape(tree.view(stream('b', 'a'), { state: 'all' }))).toEqual(['b', ['a', ['c']]])
    tree.remove('self')
    tree.put(stream('a'))
    expect([tree.size, ids(tree.childrenOf(null))]).toEqual([4, ['a', 'r']])
  })

  it('handles a chain of 10,000', () => {
    const depth = 10_000
    const tree = createTree(Array.from({ length: depth }, (_, i) => stream(`s${i}`, i === 0 ? null : `s${i - 1}`)))
    const deepest = `s${depth - 1}`
    expect(ids(tree.ancestors(deepest))).toHaveLength(depth - 1)
    expect(tree.isUnder(deepest, 's0')).toBe(true)
    expect(tree.isVisible(deepest)).toBe(true)
    expect(tree.subtree('s0', { trashed: false })).toHaveLength(depth)
    let view: StreamView | undefined = tree.view(stream('s0'), { state: 'default' })
    let levels = 0
    for (; view; view = view.children[0]) levels++
    expect(levels).toBe(depth)
  })
})
