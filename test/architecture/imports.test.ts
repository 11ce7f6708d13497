/** The house is built as ARCHITECTURE.md draws it. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { failures } from '../../src/store/model/failure.js'
import { statusOfId } from '../../src/server/base/status.js'
import { brokenArrows, fileCycles, folderCycles, typeCycles, importsOf, loadedWith, oddExports, readSources } from './importGraph.js'

const MAX_LINES = 400

const sources = readSources(fileURLToPath(new URL('../../src', import.meta.url)))
const imports = [...sources].flatMap(([file, text]) => importsOf(file, text))

describe('the sources', () => {
  it('are all here', () => {
    expect(sources.size).toBeGreaterThan(150)
    expect(imports.length).toBeGreaterThan(600)
  })

  it('name only what the arrows allow', () => expect(brokenArrows(imports)).toEqual([]))
  it('have no files that load each other', () => expect(fileCycles(imports)).toEqual([]))
  it('have no files that name each other, even by types', () => expect(typeCycles(imports)).toEqual([]))
  it('have no folders that name each other', () => expect(folderCycles(imports)).toEqual([]))
  it('export by name, each from its own file', () => expect(oddExports(sources)).toEqual([]))

  it('keep nothing loose beside the entry of a layer', () => {
    const beside = (layer: string): string[] => [...sources.keys()].filter((file) => file.startsWith(`${layer}/`) && file.split('/').length === 2)
    const foldersOf = (layer: string): Set<string> => new Set([...sources.keys()].filter((file) => file.startsWith(`${layer}/`)).map((file) => file.split('/')[1] ?? ''))
    expect({ server: beside('server'), store: beside('store'), sync: beside('sync') }).toEqual({ server: ['server/index.ts'], store: ['store/index.ts'], sync: [] })
    // The entry is among the names.
    expect(foldersOf('server').size - 1).toBeLessThanOrEqual(22)
    expect(foldersOf('store').size - 1).toBeLessThanOrEqual(14)
  })

  it(`have no file of more than ${MAX_LINES} lines`, () => {
    const long = [...sources].map(([file, text]) => [file, text.split('\n').length] as const)
    expect(long.filter(([, lines]) => lines > MAX_LINES)).toEqual([])
  })
})

describe('input of clients', () => {
  // Settings, archives and answers of other servers are bounded where they are read.
  const others = /^(server\/(config|accountTransfer|api\/delegations|audit)\/|server\/base\/frames\.ts$|store\/|sync\/|cli\/)/

  it('passes the one function that bounds it before a schema looks at it', () => {
    const direct = [...sources].filter(([file, text]) => !others.test(file) && text.includes('.safeParse('))
    expect(direct.map(([file]) => file)).toEqual([])
  })
})

describe('what is loaded', () => {
  const among = (file: string, pattern: RegExp): string[] => [...loadedWith(file, imports)].filter((name) => pattern.test(name))

  it('for the least of commands reads no settings and opens no store', () =>
    expect(among('cli/program', /^(zod|level|@automerge|libsodium|ink|hono|@hono|socket\.io|store\/engine\/open)/)).toEqual([]))
  it('for a node that serves no HTTPS has nothing of certificates', () =>
    expect(among('server/launch/run', /^(server\/tls\/(?!tlsConfig$|certificate$|certificates$|expiry$)|server\/http\/secure|acme-client|@peculiar)/)).toEqual([]))
})

describe('the failure catalogue', () => {
  it('has a status for each failure, and none for others', () => {
    expect(Object.keys(statusOfId).sort()).toEqual(Object.keys(failures).sort())
    for (const [id, status] of Object.entries(statusOfId)) {
      expect(status, id).toBeGreaterThanOrEqual(300)
      expect(status, id).toBeLessThan(600)
    }
  })
})

describe('a rule of the house', () => {
  const of = (file: string, text: string): ReturnType<typeof importsOf> => importsOf(file, text)
  const broken: [file: string, text: string, says: string][] = [
    ['store/engine/keys.ts', `import { x } from '../../sync/crdt/document.js'`, 'goes upward'],
    ['store/engine/keys.ts', `import type { x } from '../../server/method.js'`, 'goes upward'],
    ['store/engine/keys.ts', `const x = await import('../../server/method.js')`, 'goes upward'],
    ['sync/crdt/docState.ts', `type X = import('../../cli/command.js').X`, 'goes upward'],
    ['server/http/requestHandler.ts', `export { x } from '../../cli/command.js'`, 'goes upward'],
    ['store/model/tree.ts', `import { x } from '../engine/keys.js'`, 'leaves the model'],
    ['store/model/tree.ts', `import { readFile } from 'node:fs/promises'`, 'input or output'],
    ['store/model/tree.ts', `import http from 'http'`, 'input or output'],
    ['store/model/a/b.ts', `import 'node:net'`, 'input or output'],
    ['store/engine/open.ts', `import { Level } from 'level'`, 'out of its place'],
    ['store/engine/open.ts', `import type { ClassicLevel } from 'classic-level'`, 'out of its place'],
    ['sync/crdt/docState.ts', `const A = require('@automerge/automerge')`, 'out of its place'],
    ['server/call/method.ts', `import { Hono } from 'hono'`, 'out of its place'],
    ['server/call/method.ts', `import { x } from '@hono/node-server/utils'`, 'out of its place'],
    ['sync/channel/open.ts', `import { WebSocket } from 'ws'`, 'out of its place'],
    ['cli/terminal/output/table.ts', `import { Box } from 'ink'`, 'out of its place'],
    ['cli/command.ts', `import { useState } from 'react'`, 'out of its place'],
  ]
  it.each(broken)('is broken by %s with %s', (file, text, says) => {
    expect(brokenArrows(of(file, text))).toEqual([expect.stringContaining(says)])
  })

  const kept: [file: string, text: string][] = [
    ['cli/client/offline.ts', `import { x } from '../../store/open.js'`],
    ['server/a.ts', `import { x } from '../sync/document.js'`],
    ['store/engine/database.ts', `import { Level } from 'level'`],
    ['server/pages/a.tsx', `import { html } from 'hono/html'`],
    ['cli/screens/a.tsx', `import { Box } from 'ink'`],
    ['store/model/a/b.ts', `import { x } from '../tree.js'\nimport { hash } from 'node:crypto'`],
    ['store/engine/keys.ts', `// import { x } from '../server/method.js'\nconst text = "import 'level'"`],
  ]
  it.each(kept)('is kept by %s with %s', (file, text) => expect(brokenArrows(of(file, text))).toEqual([]))

  it('sees files that load each other, but not through types or later', () => {
    const there = of('store/a.ts', `import { b } from './b.js'`)
    expect(fileCycles([...there, ...of('store/b.ts', `import { a } from './a.js'`)])).toEqual([['store/a', 'store/b']])
    expect(fileCycles([...there, ...of('store/b.ts', `import { type A, type B } from './a.js'`)])).toEqual([])
    expect(fileCycles([...there, ...of('store/b.ts', `import type { A } from './a.js'`)])).toEqual([])
    expect(typeCycles([...there, ...of('store/b.ts', `import type { A } from './a.js'`)])).toEqual([['store/a', 'store/b']])
    expect(typeCycles([...there, ...of('store/b.ts', `const a = () => import('./a.js')`)])).toEqual([])
    expect(fileCycles([...there, ...of('store/b.ts', `const a = () => import('./a.js')`)])).toEqual([])
  })

  it('sees what is loaded with a file, but not types or what comes later', () => {
    const there = [...of('store/a.ts', `import { b } from './b.js'`), ...of('store/b.ts', `import 'level'`)]
    expect([...loadedWith('store/a', there)]).toEqual(['store/b', 'level'])
    expect([...loadedWith('store/a', of('store/a.ts', `import type { b } from './b.js'\nawait import('./c.js')`))]).toEqual([])
  })

  it('sees folders that name each other, even by types', () => {
    const there = of('server/a/x.ts', `import { y } from '../b/y.js'`)
    const back = of('server/b/z.ts', `import type { x } from '../a/x.js'`)
    expect(folderCycles([...there, ...back])).toEqual([['server/a', 'server/b']])
    expect(folderCycles(there)).toEqual([])
    const within = [...of('server/a/x.ts', `import '../y.js'`), ...of('server/y.ts', `import './a/x.js'`)]
    expect(folderCycles(within)).toEqual([])
  })

  it('sees defaults and barrels', () => {
    const odd = (text: string): string[] => oddExports(new Map([['a.ts', text]]))
    expect(odd('export default 5')).toEqual(['a.ts exports a default'])
    expect(odd('export default function f() {}')).toEqual(['a.ts exports a default'])
    expect(odd('const a = 1\nexport { a as default }')).toEqual(['a.ts exports a default'])
    expect(odd(`export * from './b.js'`)).toEqual([`a.ts hands on './b.js'`])
    expect(odd('export const a = 1')).toEqual([])
  })
})
