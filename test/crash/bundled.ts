/**
 * Bundles of test programs: a process that compiles a thousand modules takes three seconds to start, and tests start dozens.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brokenSources, chosenBreak } from '../programme/support/breaks.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** As deep as the sources: some read files two folders above. */
const folder = join(root, 'node_modules/.coffer-tests')
const known = new Map<string, string>()

/** Returns the bundle of a program such as `child.ts`, built when a source is newer. */
export function bundled(program: string): string {
  const bundle = known.get(program)
  if (bundle !== undefined) return bundle
  // Each deliberate break of the product has bundles of its own.
  const broken = chosenBreak()
  const path = join(folder, `${basename(program, '.ts')}${broken === undefined ? '' : `.${broken}`}.mjs`)
  if (!existsSync(path) || statSync(path).mtimeMs < newestSource()) {
    mkdirSync(folder, { recursive: true })
    // Other test processes may build it at the same time.
    const draft = join(folder, `${process.pid}.${basename(path)}`)
    const edited = JSON.stringify(broken === undefined ? [] : [...brokenSources(broken)])
    execFileSync(process.execPath, ['--input-type=module', '-e', BUILD, program, draft, edited], { cwd: root, stdio: 'inherit' })
    renameSync(draft, path)
  }
  known.set(program, path)
  return path
}

const BUILD = `
import { build } from 'esbuild'
import { bundling } from './bundle.js'
const [program, outfile, edited] = process.argv.slice(1)
const sources = new Map(JSON.parse(edited))
const plugin = {
  name: 'broken on purpose',
  setup: ({ onLoad }) => {
    if (sources.size > 0) onLoad({ filter: /[.]tsx?$/ }, ({ path }) => sources.has(path) ? { contents: sources.get(path), loader: 'ts' } : undefined)
  },
}
await build({ ...bundling, entryPoints: [program], outfile, plugins: [plugin] })
`

function newestSource(): number {
  const times = ['src', 'test/crash', 'test/programme'].flatMap((at) =>
    readdirSync(join(root, at), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  )
  return Math.max(...times)
}
