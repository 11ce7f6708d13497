/**
 * Programs of tests as one file: a process that compiles a thousand modules of its own takes three seconds to start, and
 * tests start dozens.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brokenSources, chosenBreak } from '../programme/support/breaks.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** As deep as the sources: some look for files two folders above. */
const folder = join(root, 'node_modules/.coffer-tests')
const known = new Map<string, string>()

/** The bundle of a program such as `child.ts`, made when a source is newer. */
export function bundled(program: string): string {
  const made = known.get(program)
  if (made !== undefined) return made
  // Whoever breaks the product on purpose has bundles of their own.
  const broken = chosenBreak()
  const place = join(folder, `${basename(program, '.ts')}${broken === undefined ? '' : `.${broken}`}.mjs`)
  if (!existsSync(place) || statSync(place).mtimeMs < newestSource()) {
    mkdirSync(folder, { recursive: true })
    // Tests in other processes may do the same just now.
    const draft = join(folder, `${process.pid}.${basename(place)}`)
    const edited = JSON.stringify(broken === undefined ? [] : [...brokenSources(broken)])
    execFileSync(process.execPath, ['--input-type=module', '-e', BUILD, program, draft, edited], { cwd: root, stdio: 'inherit' })
    renameSync(draft, place)
  }
  known.set(program, place)
  return place
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
