/** Tests of the build: how many files a frequent command loads, and which libraries it does without. */
import { describe, expect, it } from 'vitest'
import { builtFiles } from './support/builtFiles.js'

const files = builtFiles()
/** Returns the file with a source, which is an entry of its own. */
const entryOf = (source: string): string => [...files].find(([, { sources }]) => sources.includes(source))?.[0] ?? expect.unreachable(source)

/** Returns the files that are loaded at once with some of them. */
function loadedWith(...entries: string[]): string[] {
  const found = new Set(entries)
  for (const file of found) for (const next of files.get(file)?.loads ?? []) found.add(next)
  return [...found]
}

const running = ['src/cli/main.ts', 'src/cli/program.ts', 'src/cli/client/socket.ts']

describe('a command of a running node', () => {
  it.each(['users/list', 'events/list', 'streams/tree', 'accesses/list'])('loads few files, and no library of the server: %s', (name) => {
    const loaded = loadedWith(...[...running, `src/cli/commands/${name}.ts`].map(entryOf))
    expect(loaded.length).toBeGreaterThan(5)
    expect(loaded.length).toBeLessThan(40)
    const libraries = loaded.flatMap((file) => (files.get(file)?.sources ?? []).flatMap((source) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []))
    expect([...new Set(libraries)].sort()).toEqual(['commander', 'picocolors'])
  })
})
