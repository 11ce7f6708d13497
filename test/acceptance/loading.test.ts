/** Tests of the build: how many files a frequent command loads, and which libraries it does without. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { binary } from './support/coffer.js'

const folder = join(dirname(dirname(binary)), 'dist/cli')
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')
const files = readdirSync(folder).filter((name) => name.endsWith('.js'))
/** Returns the file that starts with a source, which is an entry of its own. */
const entryOf = (source: string): string => files.find((name) => textOf(name).includes(`\n// ${source}\n`)) ?? expect.unreachable(source)

/** Returns the files that are loaded at once with some of them. */
function loadedWith(...entries: string[]): string[] {
  const found = new Set(entries)
  for (const file of found) for (const [, next = ''] of textOf(file).matchAll(/^(?:import|\} from) .*?["']\.\/([^"']+)["'];$/gm)) if (next !== '') found.add(next)
  return [...found]
}

const running = ['src/cli/main.ts', 'src/cli/program.ts', 'src/cli/client/socket.ts']

describe('a command of a running node', () => {
  it.each(['users/list', 'events/list', 'streams/tree', 'accesses/list'])('loads few files, and no library of the server: %s', (name) => {
    const loaded = loadedWith(...[...running, `src/cli/commands/${name}.ts`].map(entryOf))
    expect(loaded.length).toBeGreaterThan(5)
    expect(loaded.length).toBeLessThan(40)
    const sources = loaded.flatMap((file) => [...textOf(file).matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, library]) => library))
    expect([...new Set(sources)].sort()).toEqual(['commander', 'picocolors'])
  })
})
