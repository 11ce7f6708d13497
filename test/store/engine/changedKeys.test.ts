/** Changed-key set: covers every written key, and contains no names of persons. */
import { describe, expect, it } from 'vitest'
import { createChangedKeySet, type ChangedKeySet } from '../../../src/store/engine/changedKeys.js'

const group = (...keys: string[]): Map<string, string> => new Map(keys.map((key) => [key, '']))

function commit(changed: ChangedKeySet, ...keys: string[]): void {
  changed.writing(group(...keys))
  changed.written()
}
const since = (changed: ChangedKeySet, mark: string): string[] => [...(changed.since(mark) ?? ['unknown'])].sort()

describe('changed keys', () => {
  it('are those written since a mark, independent of later marks', () => {
    const changed = createChangedKeySet()
    commit(changed, '1/e/a')
    const first = changed.mark()
    commit(changed, '1/e/b')
    const second = changed.mark()
    commit(changed, '1/e/c')
    expect(since(changed, first)).toEqual(['1/e/b', '1/e/c'])
    expect(since(changed, second)).toEqual(['1/e/c'])
    expect(changed.since('another')).toBeUndefined()
  })

  it('include the keys of a write in progress at the mark, and none after its end', () => {
    const changed = createChangedKeySet()
    changed.writing(group('1/e/a'))
    const during = changed.mark()
    changed.written()
    expect(since(changed, during)).toEqual(['1/e/a'])
    expect(since(changed, changed.mark())).toEqual([])
  })

  it('drop old marks, and resume from stored spans', () => {
    const changed = createChangedKeySet()
    const oldest = changed.mark()
    commit(changed, '1/e/a')
    const marks = Array.from({ length: 15 }, () => changed.mark())
    expect(since(changed, oldest)).toEqual(['1/e/a'])
    changed.mark()
    expect(changed.since(oldest)).toBeUndefined()
    const later = createChangedKeySet(changed.spans)
    commit(later, '1/e/b')
    expect(since(later, marks[0] ?? '')).toEqual(['1/e/b'])
  })

  it('are bounded in number: prefixes that cover all keys replace many keys', () => {
    const changed = createChangedKeySet()
    const mark = changed.mark()
    const keys = Array.from({ length: 60_000 }, (_, n) => `1/e/${String(n * 7919).padStart(11, '0')}${'x'.repeat(24)}`)
    for (let at = 0; at < keys.length; at += 1000) commit(changed, ...keys.slice(at, at + 1000))
    const prefixes = since(changed, mark)
    expect(prefixes.length).toBeLessThanOrEqual(8000)
    const lengths = [...new Set(prefixes.map(({ length }) => length))]
    const known = new Set(prefixes)
    for (const key of keys) expect(lengths.some((length) => known.has(key.slice(0, length)))).toBe(true)
  })

  it('never end within a character', () => {
    const changed = createChangedKeySet()
    const mark = changed.mark()
    commit(changed, `1/p/${'x'.repeat(43)}\u{1f642}`)
    expect(since(changed, mark)).toEqual([`1/p/${'x'.repeat(43)}`])
  })

  it('contain no names of persons, and only the account of erased keys', () => {
    const changed = createChangedKeySet()
    const mark = changed.mark()
    commit(changed, '!n/alice', '!q/email/3f2a', '0/R/invitation/1', '!k/00000000001', '1/e/a', '1/n/app:my diary', '12/e/a')
    changed.erased('1/')
    expect(since(changed, mark)).toEqual(['!k/00000000001', '!n/', '!q/', '0/R/', '1/', '12/e/a'])
    changed.erased('1/')
    expect(since(changed, mark)).toContain('1/')
  })
})
