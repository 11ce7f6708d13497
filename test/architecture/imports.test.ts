/** Tests that the sources follow ARCHITECTURE.md. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { failures } from '../../src/store/model/failure.js'
import { statusOfId } from '../../src/server/base/status.js'
import { layerViolations, fileCycles, folderCycles, typeCycles, importsOf, loadedWith, forbiddenExports, readSources } from './importGraph.js'

const MAX_LINES = 400

const sources = readSources(fileURLToPath(new URL('../../src', import.meta.url)))
const imports = [...sources].flatMap(([file, text]) => importsOf(file, text))

describe('the sources', () => {
  it('are found', () => {
    expect(sources.size).toBeGreaterThan(150)
    expect(imports.length).toBeGreaterThan(600)
  })

  it('import only according to the layers', () => expect(layerViolations(imports)).toEqual([]))
  it('have no cycles of files at load', () => expect(fileCycles(imports)).toEqual([]))
  it('have no cycles of files, including types', () => expect(typeCycles(imports)).toEqual([]))
  it('have no cycles of folders', () => expect(folderCycles(imports)).toEqual([]))
  it('have neither default exports nor re-exports', () => expect(forbiddenExports(sources)).toEqual([]))

  it('have only the entry file directly in the folder of a layer', () => {
    const filesOf = (layer: string): string[] => [...sources.keys()].filter((file) => file.startsWith(`${layer}/`) && file.split('/').length === 2)
    const foldersOf = (layer: string): Set<string> => new Set([...sources.keys()].filter((file) => file.startsWith(`${layer}/`)).map((file) => file.split('/')[1] ?? ''))
    expect({ server: filesOf('server'), store: filesOf('store'), sync: filesOf('sync') }).toEqual({ server: ['server/index.ts'], store: ['store/index.ts'], sync: [] })
    // The entry file is counted too.
    expect(foldersOf('server').size - 1).toBeLessThanOrEqual(22)
    expect(foldersOf('store').size - 1).toBeLessThanOrEqual(14)
  })

  it(`have no file of more than ${MAX_LINES} lines`, () => {
    const long = [...sources].map(([file, text]) => [file, text.split('\n').length] as const)
    expect(long.filter(([, lines]) => lines > MAX_LINES)).toEqual([])
  })
})

describe('input of clients', () => {
  // Settings, archives and responses of other servers are limited when they are read.
  const others = /^(server\/(config|accountTransfer|api\/delegations|audit)\/|server\/base\/frames\.ts$|store\/|sync\/|cli\/)/

  it('passes the function that limits it before a schema parses it', () => {
    const direct = [...sources].filter(([file, text]) => !others.test(file) && text.includes('.safeParse('))
    expect(direct.map(([file]) => file)).toEqual([])
  })
})

describe('the modules loaded', () => {
  const among = (file: string, pattern: RegExp): string[] => [...loadedWith(file, imports)].filter((name) => pattern.test(name))

  it('for a simple command include neither settings nor the store', () =>
    expect(among('cli/program', /^(zod|level|@automerge|libsodium|ink|hono|@hono|socket\.io|store\/engine\/open)/)).toEqual([]))
  it('for a node of one core include no code of etcd', () =>
    expect(among('server/launch/run', /^(server\/platform\/registry\/etcd\/|server\/platform\/cores\/openRegistry$|@grpc)/)).toEqual([]))
  it('for a node without HTTPS include no certificate code', () =>
    expect(among('server/launch/run', /^(server\/tls\/(?!tlsConfig$|certificate$|certificates$|expiry$)|server\/http\/secure|acme-client|@peculiar)/)).toEqual([]))
})

describe('the failure catalogue', () => {
  it('has exactly one HTTP status for each failure', () => {
    expect(Object.keys(statusOfId).sort()).toEqual(Object.keys(failures).sort())
    for (const [id, status] of Object.entries(statusOfId)) {
      expect(status, id).toBeGreaterThanOrEqual(300)
      expect(status, id).toBeLessThan(600)
    }
  })
})

describe('the checks of the import graph', () => {
  const of = (file: string, text: string): ReturnType<typeof importsOf> => importsOf(file, text)
  const violations: [file: string, text: string, says: string][] = [
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
    ['server/platform/registry/etcd/client.ts', `import { Client } from '@grpc/grpc-js'`, 'out of its place'],
    ['cli/terminal/output/table.ts', `import { Box } from 'ink'`, 'out of its place'],
    ['cli/command.ts', `import { useState } from 'react'`, 'out of its place'],
  ]
  it.each(violations)('detect a violation in %s: %s', (file, text, says) => {
    expect(layerViolations(of(file, text))).toEqual([expect.stringContaining(says)])
  })

  const allowed: [file: string, text: string][] = [
    ['cli/client/offline.ts', `import { x } from '../../store/open.js'`],
    ['server/a.ts', `import { x } from '../sync/document.js'`],
    ['store/engine/database.ts', `import { Level } from 'level'`],
    ['server/pages/a.tsx', `import { html } from 'hono/html'`],
    ['cli/screens/a.tsx', `import { Box } from 'ink'`],
    ['store/model/a/b.ts', `import { x } from '../tree.js'\nimport { hash } from 'node:crypto'`],
    ['store/engine/keys.ts', `// import { x } from '../server/method.js'\nconst text = "import 'level'"`],
  ]
  it.each(allowed)('allow in %s: %s', (file, text) => expect(layerViolations(of(file, text))).toEqual([]))

  it('detect cycles of files, except by types or dynamic imports', () => {
    const forward = of('store/a.ts', `import { b } from './b.js'`)
    expect(fileCycles([...forward, ...of('store/b.ts', `import { a } from './a.js'`)])).toEqual([['store/a', 'store/b']])
    expect(fileCycles([...forward, ...of('store/b.ts', `import { type A, type B } from './a.js'`)])).toEqual([])
    expect(fileCycles([...forward, ...of('store/b.ts', `import type { A } from './a.js'`)])).toEqual([])
    expect(typeCycles([...forward, ...of('store/b.ts', `import type { A } from './a.js'`)])).toEqual([['store/a', 'store/b']])
    expect(typeCycles([...forward, ...of('store/b.ts', `const a = () => import('./a.js')`)])).toEqual([])
    expect(fileCycles([...forward, ...of('store/b.ts', `const a = () => import('./a.js')`)])).toEqual([])
  })

  it('find modules loaded with a file, except types and dynamic imports', () => {
    const forward = [...of('store/a.ts', `import { b } from './b.js'`), ...of('store/b.ts', `import 'level'`)]
    expect([...loadedWith('store/a', forward)]).toEqual(['store/b', 'level'])
    expect([...loadedWith('store/a', of('store/a.ts', `import type { b } from './b.js'\nawait import('./c.js')`))]).toEqual([])
  })

  it('detect cycles of folders, including types', () => {
    const forward = of('server/a/x.ts', `import { y } from '../b/y.js'`)
    const back = of('server/b/z.ts', `import type { x } from '../a/x.js'`)
    expect(folderCycles([...forward, ...back])).toEqual([['server/a', 'server/b']])
    expect(folderCycles(forward)).toEqual([])
    const within = [...of('server/a/x.ts', `import '../y.js'`), ...of('server/y.ts', `import './a/x.js'`)]
    expect(folderCycles(within)).toEqual([])
  })

  it('detect default exports and re-exports', () => {
    const forbidden = (text: string): string[] => forbiddenExports(new Map([['a.ts', text]]))
    expect(forbidden('export default 5')).toEqual(['a.ts exports a default'])
    expect(forbidden('export default function f() {}')).toEqual(['a.ts exports a default'])
    expect(forbidden('const a = 1\nexport { a as default }')).toEqual(['a.ts exports a default'])
    expect(forbidden(`export * from './b.js'`)).toEqual([`a.ts re-exports './b.js'`])
    expect(forbidden('export const a = 1')).toEqual([])
  })
})
