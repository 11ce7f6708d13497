/** Paths of sources that documents name, tables of methods, and anchors of the interface that sources and documents cite. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { anchorsIn, documentedIds, documentNames, folder, idsIn, withTables } from '../../scripts/interfaceTables.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const documents = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
]
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

it('test/support/README.md lists every helper, below its folder', () => {
  const text = readFileSync(join(root, 'test/support/README.md'), 'utf8')
  const listed = text.split('\n## ').slice(1).flatMap((part) => {
    const folder = part.split('\n', 1)[0] ?? ''
    return [...part.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = '']) => `test/support/${folder}/${name}`)
  })
  expect(listed.sort()).toEqual(files.filter((file) => file.startsWith('test/support/') && file.endsWith('.ts')).sort())
})

it('keeps the overview short', () => expect(statSync(join(root, 'ARCHITECTURE.md')).size).toBeLessThanOrEqual(12 * 1024))

it('finds what is missing and what is ambiguous', () => {
  expect(filesIn('see `store/engine/keys.ts` and `a b.ts`')).toEqual(['store/engine/keys.ts'])
  expect(matching('store/engine/keys.ts')).toEqual(['src/store/engine/keys.ts'])
  expect(matching('index.ts').length).toBeGreaterThan(1)
})

/** Documents of the interface, by file name. */
const pages = new Map(documentNames().map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
const anchors = new Map([...pages].map(([name, text]) => [name, anchorsIn(text)]))

/** Citations of documents of the interface in a text: `docs/interface/<file>#<anchor>`, the anchor being optional. */
const citationsIn = (text: string): string[] => [...text.matchAll(/docs\/interface\/([\w-]+\.md(?:#[\w-]+)?)/g)].map((match) => match[1] ?? '')

/** Links of a document of the interface to documents of the same folder, and to its own headings. */
const linksIn = (name: string, text: string): string[] =>
  [...text.matchAll(/\]\(([\w-]+\.md)?(#[\w-]+)?\)/g)].map(([, file = name, anchor = '']) => file + anchor)

function isThere(citation: string): boolean {
  const [file = '', anchor] = citation.split('#')
  return pages.has(file) && (anchor === undefined || anchors.get(file)?.has(anchor) === true)
}

describe('documents of the interface', () => {
  it.each([...pages])('%s has current tables (npm run docs)', (_, text) => expect(withTables(text)).toBe(text))

  it('describe each method once', () => {
    const described = [...pages.values()].flatMap((text) => [...new Set(idsIn(text))])
    expect(described.sort()).toEqual(documentedIds())
  })

  it.each([...pages])('%s links to headings that are there', (name, text) => expect(linksIn(name, text).filter((link) => !isThere(link))).toEqual([]))

  it.each([...pages])('%s is short, apart from its tables', (_, text) => {
    const byHand = text.replace(/<!-- methods: [\s\S]*?<!-- end -->/g, '')
    expect(Buffer.byteLength(byHand)).toBeLessThanOrEqual(12 * 1024)
  })

  it('have the headings that sources, tests and documents cite', () => {
    const texts = [...files.filter((file) => /\.(tsx?|md)$/.test(file)), ...documents]
    const wrong = texts.flatMap((file) =>
      citationsIn(readFileSync(join(root, file), 'utf8')).filter((citation) => !isThere(citation)).map((citation) => `${file}: ${citation}`),
    )
    expect(wrong).toEqual([])
  })

  it('are found missing', () => {
    const absent = ['docs', 'interface', 'none.md'].join('/')
    expect(citationsIn(`see docs/interface/events.md#queries, ${absent}`)).toEqual(['events.md#queries', 'none.md'])
    expect(isThere('events.md#queries')).toBe(true)
    expect(isThere('events.md#nothing')).toBe(false)
    expect(isThere('none.md')).toBe(false)
    expect(linksIn('a.md', '[x](#y), [z](b.md#c)')).toEqual(['a.md#y', 'b.md#c'])
  })
})
