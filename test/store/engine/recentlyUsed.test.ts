/** Tests which values leave bounded memory, and when. */
import { describe, expect, it } from 'vitest'
import { createRecentlyUsed, type RecentlyUsed } from '../../../src/store/engine/recentlyUsed.js'

const removed: string[] = []
const create = (options: { capacity?: number; maxValues?: number; isBusy?(value: string): boolean } = {}): RecentlyUsed<string> => {
  removed.length = 0
  return createRecentlyUsed<string>({ capacity: 100, removed: (value) => removed.push(value), ...options })
}
const filled = (memory: RecentlyUsed<string>, sizes: Record<string, number>): RecentlyUsed<string> => {
  for (const [key, size] of Object.entries(sizes)) memory.set(key, key, size)
  return memory
}
/** Returns the values that are in memory, by their keys. */
const valuesOf = (memory: RecentlyUsed<string>): string => [...'abcde'].map((key) => memory.peek(key) ?? '').join('')

describe('memory of recently used values', () => {
  it('removes the least recently used values beyond its capacity', () => {
    const memory = filled(create(), { a: 40, b: 30, c: 30 })
    expect(valuesOf(memory)).toBe('abc')
    expect(memory.use('a')).toBe('a')
    memory.set('d', 'd', 40)
    expect(valuesOf(memory)).toBe('ad')
    expect(removed).toEqual(['b', 'c'])
    expect(memory.use('b')).toBeUndefined()
  })

  it('does not count a look as a use', () => {
    const memory = filled(create(), { a: 50, b: 50 })
    expect(memory.peek('a')).toBe('a')
    memory.set('c', 'c', 50)
    expect(valuesOf(memory)).toBe('bc')
  })

  it('counts a replaced value once', () => {
    const memory = filled(create(), { a: 50, b: 50 })
    memory.set('a', 'A', 50)
    expect(removed).toEqual(['a'])
    expect(valuesOf(memory)).toBe('Ab')
  })

  it('makes room for a value that grows, and says if the others cannot', () => {
    const memory = filled(create({ isBusy: (value) => value === 'b' }), { a: 30, b: 30, c: 30 })
    expect(memory.resize('c', 60)).toBe(true)
    expect(valuesOf(memory)).toBe('bc')
    expect(memory.resize('c', 90)).toBe(false)
    expect(valuesOf(memory)).toBe('bc')
    expect(memory.resize('c', 70)).toBe(true)
    expect(memory.resize('missing', 1)).toBe(false)
  })

  it('keeps values without a size, which free nothing, up to a number of values', () => {
    const memory = filled(create({ maxValues: 3 }), { a: 0, b: 60, c: 60 })
    expect(valuesOf(memory)).toBe('ac')
    filled(memory, { d: 0, e: 0 })
    expect(valuesOf(memory)).toBe('cde')
  })

  it('releases what was not used since the last call, except busy values', () => {
    const memory = filled(create({ isBusy: (value) => value === 'b' }), { a: 1, b: 1, c: 1 })
    memory.releaseUnused()
    expect(valuesOf(memory)).toBe('abc')
    memory.use('c')
    memory.set('d', 'd', 1)
    memory.releaseUnused()
    expect(valuesOf(memory)).toBe('bcd')
    memory.releaseUnused()
    expect(valuesOf(memory)).toBe('b')
    expect(removed).toEqual(['a', 'c', 'd'])
  })

  it('frees the size of what leaves', () => {
    const memory = filled(create(), { a: 50, b: 50 })
    memory.delete('a')
    memory.delete('a')
    memory.set('c', 'c', 50)
    expect(valuesOf(memory)).toBe('bc')
    memory.clear()
    filled(memory, { d: 50, e: 50 })
    expect(valuesOf(memory)).toBe('de')
    expect(removed).toEqual(['a', 'b', 'c'])
  })
})
