/** Retired words stay out of identifiers and file names of `src`. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { readSources } from './importGraph.js'

/** Words of an earlier dialect, as parts of identifiers and file names. */
const RETIRED_WORDS = new Set(
  'anew book courier deed desk door farewell giving grave graves heed holdings homely kept lent leftover leftovers mend mended mending mends moment office owed owes said saying taking tell telling tells told welcome whoever wish wished wishes world'.split(' '),
)

/** Names of the specification, of the JSON of commands and of folders in homes. */
const ALLOWED = new Set(['welcome', 'kept', 'mended'])

const sources = readSources(fileURLToPath(new URL('../../src', import.meta.url)))

const wordsOf = (name: string): string[] => name.split(/(?<=[a-z0-9])(?=[A-Z])|_|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase())
const retiredIn = (name: string): string[] => wordsOf(name).filter((word) => RETIRED_WORDS.has(word) && !ALLOWED.has(word))

function visitAll(file: string, text: string, visit: (node: ts.Node) => void): void {
  const each = (node: ts.Node): void => {
    visit(node)
    ts.forEachChild(node, each)
  }
  each(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
}

/** The name that a node declares. */
function declaredName(node: ts.Node): string | undefined {
  const isNamed =
    ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node) || ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
    ts.isPropertySignature(node) || ts.isMethodSignature(node) || ts.isPropertyDeclaration(node) || ts.isMethodDeclaration(node)
  return isNamed && node.name !== undefined && ts.isIdentifier(node.name) ? node.name.text : undefined
}

describe('retired words', () => {
  it('are in no identifier that is declared in src', () => {
    const found: string[] = []
    for (const [file, text] of sources) {
      visitAll(file, text, (node) => {
        const name = declaredName(node)
        if (name !== undefined && retiredIn(name).length > 0) found.push(`${file}: ${name}`)
      })
    }
    expect([...new Set(found)]).toEqual([])
  })

  it('are in no file name of src', () => {
    const names = [...sources.keys()].filter((file) => file.split('/').some((part) => retiredIn(basename(part, '.ts').replace(/\.tsx$/, '')).length > 0))
    expect(names).toEqual([])
  })

  it('are found in names of several words', () => {
    expect(retiredIn('isHomelyAccess')).toEqual(['homely'])
    expect(retiredIn('MAX_TOLD')).toEqual(['told'])
    expect(retiredIn('textToWebhook')).toEqual([])
  })
})
