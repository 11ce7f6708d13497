/** Consistency of the programme: its files exist, its breaks match the sources, and test/README.md contains its table. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proofs, rows, tableOf } from './rows.js'
import { breaks, brokenSources, root, type BreakName } from './support/breaks.js'

describe('the programme', () => {
  it('refers to existing tests', () => {
    const files = [...rows.flatMap(({ ordinary, long }) => [...ordinary, ...long]), ...proofs.flatMap((proof) => proof.files)]
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  it('runs each test that reads LONG in the long run', () => {
    const inLong = new Set(rows.flatMap(({ long }) => long))
    const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'))
    const readers = files.map((file) => `test/${file}`).filter((file) => /\['LONG'\]|\bLONG\b.*needs\.js/.test(readFileSync(join(root, file), 'utf8')))
    expect(readers.filter((file) => !inLong.has(file) && file !== 'test/programme/programme.test.ts')).toEqual([])
  })

  it('has a test for each promise and unique row ids', () => {
    expect(rows.filter(({ ordinary, long }) => ordinary.length + long.length === 0)).toEqual([])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  })

  it('is printed in test/README.md', () => {
    expect(readFileSync(join(root, 'test/README.md'), 'utf8')).toContain(tableOf())
  })
})

describe('a break', () => {
  it.each(Object.keys(breaks) as BreakName[])('%s matches the sources and has a test that must detect it', (name) => {
    expect(brokenSources(name).size).toBeGreaterThan(0)
    expect(proofs.map(({ broken }) => broken)).toContain(name)
  })
})

it('KNOWN-BUGS.md names existing regression tests', () => {
  const text = readFileSync(join(root, 'KNOWN-BUGS.md'), 'utf8')
  const named = [...text.matchAll(/`(?:[A-Z_]+=\S+ )*npx vitest run (test\/\S+)(?: -t "([^"]+)")?`/g)]
  expect(named.length).toBeGreaterThan(10)
  for (const [, file = '', title] of named) {
    expect(existsSync(join(root, file)), file).toBe(true)
    if (title !== undefined) expect(readFileSync(join(root, file), 'utf8'), `${file}: ${title}`).toContain(title)
  }
})
