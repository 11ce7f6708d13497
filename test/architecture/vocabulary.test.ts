/** Tests that retired words are not in identifiers and file names of `src`, and retired phrases not in texts for users or titles of tests. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { readSources } from './importGraph.js'

/** Retired words as parts of identifiers and file names. */
const RETIRED_WORDS = new Set(
  'anew book courier deed desk door farewell giving grave graves heed holdings homely kept lent leftover leftovers mend mended mending mends moment office owed owes said saying taking tell telling tells told welcome whoever wish wished wishes world'.split(' '),
)

/** Exceptions: names of the specification, JSON keys of commands and folders of homes. */
const ALLOWED = new Set(['welcome', 'kept', 'mended'])

/** Names of types that do not describe their content. */
const RETIRED_TYPES = new Set('About Asked Chosen Found Given Held Kept Left Made Met Place Said Seen Sent Shown Spoken Step Taken Notifications Wanted'.split(' '))

/** Retired phrases in messages, help texts and pages. */
const RETIRED_PHRASES =
  /\b(in step|out of step|anew|needless|parted by|whoever|what is due|(?:is|are|was|were|be|been|being) told|mend(?:s|ed|ing)?|asked for by|without a question|said by|nobody|somebody)\b/i

/** Removes a folder name of homes, and quoted JSON keys. */
const withoutNames = (text: string): string => text.replace(/store\.mended/g, '').replace(/"mended"/g, '')

const sources = readSources(fileURLToPath(new URL('../../src', import.meta.url)))
const tests = readSources(fileURLToPath(new URL('..', import.meta.url)))

const wordsOf = (name: string): string[] => name.replace('#', '').split(/(?<=[a-z0-9])(?=[A-Z])|_|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase())
const retiredIn = (name: string): string[] => wordsOf(name).filter((word) => RETIRED_WORDS.has(word) && !ALLOWED.has(word))

const parsed = new Map<string, ts.SourceFile>()

/** Visits each node of a source; parses each source once. */
function visitAll(file: string, text: string, visit: (node: ts.Node) => void): void {
  const source = parsed.get(text) ?? ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  parsed.set(text, source)
  const each = (node: ts.Node): void => {
    visit(node)
    ts.forEachChild(node, each)
  }
  each(source)
}

/** Returns the name that a node declares. */
function declaredName(node: ts.Node): string | undefined {
  const isNamed =
    ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node) || ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
    ts.isPropertySignature(node) || ts.isMethodSignature(node) || ts.isPropertyDeclaration(node) || ts.isMethodDeclaration(node)
  return isNamed && node.name !== undefined && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name)) ? node.name.text : undefined
}

describe('retired words', () => {
  it('are in no identifier declared in src', () => {
    const found: string[] = []
    for (const [file, text] of sources) {
      visitAll(file, text, (node) => {
        const name = declaredName(node)
        if (name !== undefined && retiredIn(name).length > 0) found.push(`${file}: ${name}`)
      })
    }
    expect([...new Set(found)]).toEqual([])
  })

  it('are no names of types in src', () => {
    const found: string[] = []
    for (const [file, text] of sources) {
      visitAll(file, text, (node) => {
        if ((ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && RETIRED_TYPES.has(node.name.text)) found.push(`${file}: ${node.name.text}`)
      })
    }
    expect(found).toEqual([])
  })

  it('are in no file name of src', () => {
    const names = [...sources.keys()].filter((file) => file.split('/').some((part) => retiredIn(basename(part, '.ts').replace(/\.tsx$/, '')).length > 0))
    expect(names).toEqual([])
  })

  it('are detected in names of several words', () => {
    expect(retiredIn('isHomelyAccess')).toEqual(['homely'])
    expect(retiredIn('MAX_TOLD')).toEqual(['told'])
    expect(retiredIn('#office')).toEqual(['office'])
    expect(retiredIn('textToWebhook')).toEqual([])
  })
})

/** Returns the text of a literal, a part of a template or an element of a page; undefined for other nodes. */
function textOf(node: ts.Node): string | undefined {
  const isText =
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node) || ts.isJsxText(node)
  return isText ? node.text : undefined
}

/** Returns the retired phrases in the texts of a source, one for each text; paths of imports are no texts. */
function phrasesIn(file: string, source: string): string[] {
  const found: string[] = []
  if (!RETIRED_PHRASES.test(source)) return found
  visitAll(file, source, (node) => {
    if (ts.isImportDeclaration(node.parent ?? node) || ts.isExportDeclaration(node.parent ?? node)) return
    const phrase = RETIRED_PHRASES.exec(withoutNames(textOf(node) ?? ''))?.[0]
    if (phrase !== undefined) found.push(phrase)
  })
  return found
}

/** Returns the titles of a test file: first arguments of `describe`, `it` and `test`, and `it` of rows. */
function titlesIn(file: string, source: string): string[] {
  const titles: string[] = []
  visitAll(file, source, (node) => {
    const called = ts.isCallExpression(node) && /^(describe\w*|it|test)\b/.test(node.expression.getText()) ? node.arguments[0] : undefined
    const row = ts.isPropertyAssignment(node) && node.name.getText() === 'it' ? node.initializer : undefined
    const title = called ?? row
    if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) titles.push(title.getText())
  })
  return titles
}

describe('retired phrases', () => {
  it('are in no title of a test', { timeout: 120_000 }, () => {
    const found = [...tests].flatMap(([file, text]) => titlesIn(file, text).filter((title) => RETIRED_PHRASES.test(title)).map((title) => `${file}: ${title}`))
    expect(found).toEqual([])
  })

  it('are detected in titles of tests alone', () => {
    const source = "describe('a', () => { it(`is told ${x}`, () => user('nobody')); it.each([['nobody']])('b', f) }); const rows = [{ it: 'c', by: 'nobody' }]"
    expect(titlesIn('text.test.ts', source)).toEqual(["'a'", '`is told ${x}`', "'b'", "'c'"])
  })

  it('are in no text of src', () => {
    const found = [...sources].flatMap(([file, text]) => phrasesIn(file, text).map((phrase) => `${file}: ${phrase}`))
    expect(found).toEqual([])
  })

  it.each([
    ["const help = 'Nobody can log in'", ['Nobody']],
    ['const help = `${name} was told about it`', ['was told']],
    ['const help = <p>Nodes out of step</p>', ['out of step']],
    ["import { a } from './anew.js'", []],
    ["const json = '{\"mended\"}'", []],
    ["// Nobody reads comments\nconst folder = 'store.mended'", []],
  ])('are detected only in texts: %s', (source, phrases) => {
    expect(phrasesIn('text.tsx', source)).toEqual(phrases)
  })
})
