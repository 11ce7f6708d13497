/** What is remembered of written keys: never less than what was written, and no names of people. */
import { describe, expect, it } from 'vitest'
import { createChangedKeySet, type ChangedKeySet } from '../../../src/store/engine/changedKeys.js'

const group = (...keys: string[]): Map<string, string> => new Map(keys.map((key) => [key, '']))

function commit(touched: ChangedKeySet, ...keys: string[]): void {
  touched.writing(group(...keys))
  touched.written()
}
const since = (touched: ChangedKeySet, mark: string): string[] => [...(touched.since(mark) ?? ['unknown'])].sort()

describe('touched keys', () => {
  it('are those that were written since a mark, whichever marks were set meanwhile', () => {
    const touched = createChangedKeySet()
    commit(touched, '1/e/a')
    const first = touched.mark()
    commit(touched, '1/e/b')
    const second = touched.mark()
    commit(touched, '1/e/c')
    expect(since(touched, first)).toEqual(['1/e/b', '1/e/c'])
    expect(since(touched, second)).toEqual(['1/e/c'])
    expect(touched.since('another')).toBeUndefined()
  })

  it('count what is being written while a mark is set, and only then', () => {
    const touched = createChangedKeySet()
    touched.writing(group('1/e/a'))
    const during = touched.mark()
    touched.written()
    expect(since(touched, during)).toEqual(['1/e/a'])
    expect(since(touched, touched.mark())).toEqual([])
  })

  it('forget marks that are old, and go on from what was kept', () => {
    const touched = createChangedKeySet()
    const oldest = touched.mark()
    commit(touched, '1/e/a')
    const marks = Array.from({ length: 15 }, () => touched.mark())
    expect(since(touched, oldest)).toEqual(['1/e/a'])
    touched.mark()
    expect(touched.since(oldest)).toBeUndefined()
    const later = createChangedKeySet(touched.spans)
    commit(later, '1/e/b')
    expect(since(later, marks[0] ?? '')).toEqual(['1/e/b'])
  })

  it('stay few: of many keys, shorter beginnings are kept, which cover all of them', () => {
    const touched = createChangedKeySet()
    const mark = touched.mark()
    const keys = Array.from({ length: 60_000 }, (_, n) => `1/e/${String(n * 7919).padStart(11, '0')}${'x'.repeat(24)}`)
    for (let at = 0; at < keys.length; at += 1000) commit(touched, ...keys.slice(at, at + 1000))
    const beginnings = since(touched, mark)
    expect(beginnings.length).toBeLessThanOrEqual(8000)
    const lengths = [...new Set(beginnings.map(({ length }) => length))]
    const known = new Set(beginnings)
    for (const key of keys) expect(lengths.some((length) => known.has(key.slice(0, length)))).toBe(true)
  })

  it('never end within a character', () => {
    const touched = createChangedKeySet()
    const mark = touched.mark()
    commit(touched, `1/p/${'x'.repeat(43)}\u{1f642}`)
    expect(since(touched, mark)).toEqual([`1/p/${'x'.repeat(43)}`])
  })

  it('hold no names of people, and of what was erased only whose it was', () => {
    const touched = createChangedKeySet()
    const mark = touched.mark()
    commit(touched, '!n/alice', '!q/email/3f2a', '0/R/invitation/1', '!k/00000000001', '1/e/a', '1/n/app:my diary', '12/e/a')
    touched.erased('1/')
    expect(since(touched, mark)).toEqual(['!k/00000000001', '!n/', '!q/', '0/R/', '1/', '12/e/a'])
    touched.erased('1/')
    expect(since(touched, mark)).toContain('1/')
  })
})
