/** Tests of the documents: paths of sources, tables of methods, and anchors cited by sources and documents. */
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
/** Folders, those of `src` also without this prefix: `store/engine`. */
const folders = new Set(files.filter((file) => !file.includes('.')).flatMap((file) => [file, file.replace(/^src\//, '')]))

/** Returns the source files in code spans of a document. */
function filesIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '')
  return [...new Set(spans.filter((span) => /^[\w./-]+\.tsx?$/.test(span)))]
}

/** Returns the folders in code spans of a document that begin with a layer. */
function foldersIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '')
  return [...new Set(spans.filter((span) => /^(src\/)?(store|sync|server|cli)\/[\w/]+$/.test(span)))]
}

const matching = (name: string): string[] => files.filter((file) => file === name || file.endsWith(`/${name}`))

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8')

  it('names existing files unambiguously', () => {
    const wrong = filesIn(text).filter((name) => matching(name).length !== 1)
    expect(wrong.map((name) => `${name}: ${matching(name).join(', ') || 'not found'}`)).toEqual([])
  })

  it('names existing folders', () => expect(foldersIn(text).filter((name) => !folders.has(name))).toEqual([]))
})

it('test/support/README.md lists every helper under its folder', () => {
  const text = readFileSync(join(root, 'test/support/README.md'), 'utf8')
  const listed = text.split('\n## ').slice(1).flatMap((part) => {
    const folder = part.split('\n', 1)[0] ?? ''
    return [...part.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = '']) => `test/support/${folder}/${name}`)
  })
  expect(listed.sort()).toEqual(files.filter((file) => file.startsWith('test/support/') && file.endsWith('.ts')).sort())
})

it('ARCHITECTURE.md has at most 12 KiB', () => expect(statSync(join(root, 'ARCHITECTURE.md')).size).toBeLessThanOrEqual(12 * 1024))

it('the search for files finds paths, and ambiguous names', () => {
  expect(filesIn('see `store/engine/keys.ts` and `a b.ts`')).toEqual(['store/engine/keys.ts'])
  expect(matching('store/engine/keys.ts')).toEqual(['src/store/engine/keys.ts'])
  expect(matching('index.ts').length).toBeGreaterThan(1)
})

/** Documents of `docs/interface`, by file name. */
const pages = new Map(documentNames().map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
const anchors = new Map([...pages].map(([name, text]) => [name, anchorsIn(text)]))

/** Returns the citations in a text: `docs/interface/<file>#<anchor>`, with an optional anchor. */
const citationsIn = (text: string): string[] => [...text.matchAll(/docs\/interface\/([\w-]+\.md(?:#[\w-]+)?)/g)].map((match) => match[1] ?? '')

/** Returns the links of a document to documents of the same folder, and to its own headings. */
const linksIn = (name: string, text: string): string[] =>
  [...text.matchAll(/\]\(([\w-]+\.md)?(#[\w-]+)?\)/g)].map(([, file = name, anchor = '']) => file + anchor)

function citationExists(citation: string): boolean {
  const [file = '', anchor] = citation.split('#')
  return pages.has(file) && (anchor === undefined || anchors.get(file)?.has(anchor) === true)
}

describe('documents of docs/interface', () => {
  it.each([...pages])('%s has up-to-date tables (npm run docs)', (_, text) => expect(withTables(text)).toBe(text))

  it('describe each method once', () => {
    const described = [...pages.values()].flatMap((text) => [...new Set(idsIn(text))])
    expect(described.sort()).toEqual(documentedIds())
  })

  it.each([...pages])('%s links to existing headings', (name, text) => expect(linksIn(name, text).filter((link) => !citationExists(link))).toEqual([]))

  it.each([...pages])('%s has at most 12 KiB without tables', (_, text) => {
    const withoutTables = text.replace(/<!-- methods: [\s\S]*?<!-- end -->/g, '')
    expect(Buffer.byteLength(withoutTables)).toBeLessThanOrEqual(12 * 1024)
  })

  it('contain the headings that sources, tests and documents cite', () => {
    const texts = [...files.filter((file) => /\.(tsx?|md)$/.test(file)), ...documents]
    const wrong = texts.flatMap((file) =>
      citationsIn(readFileSync(join(root, file), 'utf8')).filter((citation) => !citationExists(citation)).map((citation) => `${file}: ${citation}`),
    )
    expect(wrong).toEqual([])
  })

  it('are detected as missing', () => {
    const absent = ['docs', 'interface', 'none.md'].join('/')
    expect(citationsIn(`see docs/interface/events.md#queries, ${absent}`)).toEqual(['events.md#queries', 'none.md'])
    expect(citationExists('events.md#queries')).toBe(true)
    expect(citationExists('events.md#nothing')).toBe(false)
    expect(citationExists('none.md')).toBe(false)
    expect(linksIn('a.md', '[x](#y), [z](b.md#c)')).toEqual(['a.md#y', 'b.md#c'])
  })
})
