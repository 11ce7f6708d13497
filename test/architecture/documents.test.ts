/** Paths of sources that documents name: each leads to one file or folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const documents = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
const files = ['src', 'test', 'bin', 'man'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
)
/** Folders of `src` are named without it: `store/engine`. */
const folders = new Set(files.filter((file) => !file.includes('.')).flatMap((file) => [file, file.replace(/^src\//, '')]))

/** Source files that a document names in code spans. */
function filesIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '')
  return [...new Set(spans.filter((span) => /^[\w./-]+\.tsx?$/.test(span)))]
}

/** Folders that a document names in code spans, by their beginning. */
function foldersIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '')
  return [...new Set(spans.filter((span) => /^(src\/)?(store|sync|server|cli)\/[\w/]+$/.test(span)))]
}

const matching = (name: string): string[] => files.filter((file) => file === name || file.endsWith(`/${name}`))

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8')

  it('names files that are there, each without doubt which', () => {
    const wrong = filesIn(text).filter((name) => matching(name).length !== 1)
    expect(wrong.map((name) => `${name}: ${matching(name).join(', ') || 'not found'}`)).toEqual([])
  })

  it('names folders that are there', () => expect(foldersIn(text).filter((name) => !folders.has(name))).toEqual([]))
})

it('keeps the overview short', () => expect(statSync(join(root, 'ARCHITECTURE.md')).size).toBeLessThanOrEqual(12 * 1024))

it('finds what is missing and what is ambiguous', () => {
  expect(filesIn('see `store/engine/keys.ts` and `a b.ts`')).toEqual(['store/engine/keys.ts'])
  expect(matching('store/engine/keys.ts')).toEqual(['src/store/engine/keys.ts'])
  expect(matching('index.ts').length).toBeGreaterThan(1)
})
