/**
 * Tests that every export of `src` is imported by another file of `src` or by tests. knip 6.44 cannot check this: it counts all
 * exports of a module as used by `(await import('./x.js')).name`, as most commands are loaded.
 */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readSources, unusedExports } from './importGraph.js'

const below = (folder: string): [string, string][] =>
  [...readSources(fileURLToPath(new URL(`../../${folder}`, import.meta.url)))].map(([file, text]) => [`${folder}/${file}`, text])

/** Entry points, which are loaded from outside of the sources. */
const ENTRIES = ['src/cli/main.ts main']

describe('exports of src', () => {
  const sources = new Map(below('src'))
  const importers = new Map([...sources, ...below('test')])

  it('are imported by another file', { timeout: 120_000 }, () => {
    expect(importers.size).toBeGreaterThan(sources.size + 100)
    expect(unusedExports(sources, importers)).toEqual(ENTRIES)
  })
})

describe('the search for unused exports', () => {
  const sources = new Map([['src/a/x.ts', 'export const one = 1, { two } = { two: 2 }\nexport interface Three {}\nexport function four() {}\nconst five = 5\nexport { five as six }']])
  const of = (text: string): string => unusedExports(sources, new Map([...sources, ['src/b.ts', text]])).map((line) => line.replace('src/a/x.ts ', '')).join(' ')

  it.each([
    ['', 'one two Three four six'],
    [`import './a/x.js'`, 'one two Three four six'],
    [`import { one, two as deux, type Three } from './a/x.js'`, 'four six'],
    [`import type { Three } from './a/x.js'`, 'one two four six'],
    [`import { one } from './a/y.js'`, 'one two Three four six'],
    [`import * as all from './a/x.js'`, ''],
    [`export { one } from './a/x.js'`, ''],
    [`type T = import('./a/x.js').Three`, 'one two four six'],
    [`type T = typeof import('./a/x.js')`, ''],
    [`const { one, two: deux } = await import('./a/x.js')`, 'Three four six'],
    [`(await import('./a/x.js')).four()`, 'one two Three six'],
    [`const [{ a }, { one }] = await Promise.all([import('./y.js'), import('./a/x.js')])`, 'two Three four six'],
    [`import('./a/x.js').then(({ six }) => six)`, 'one two Three four'],
    [`const all = await import('./a/x.js')`, ''],
    [`const later = import('./a/x.js')`, ''],
    [`// import { one } from './a/x.js'`, 'one two Three four six'],
  ])('recognises %s', (text, unused) => expect(of(text)).toBe(unused))
})
