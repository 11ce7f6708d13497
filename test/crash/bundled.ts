/**
 * Programs of tests as one file: a process that compiles a thousand modules of its own takes three seconds to start, and
 * tests start dozens.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** As deep as the sources: some look for files two folders above. */
const folder = join(root, 'node_modules/.coffer-tests')
const known = new Map<string, string>()

/** The bundle of a program such as `child.ts`, made when a source is newer. */
export function bundled(program: string): string {
  const made = known.get(program)
  if (made !== undefined) return made
  const place = join(folder, `${basename(program, '.ts')}.mjs`)
  if (!existsSync(place) || statSync(place).mtimeMs < newestSource()) {
    mkdirSync(folder, { recursive: true })
    // Tests in other processes may do the same just now.
    const draft = join(folder, `${process.pid}.${basename(place)}`)
    execFileSync(process.execPath, ['--input-type=module', '-e', BUILD, program, draft], { cwd: root, stdio: 'inherit' })
    renameSync(draft, place)
  }
  known.set(program, place)
  return place
}

const BUILD = `
import { build } from 'esbuild'
import { bundling } from './bundle.js'
const [program, outfile] = process.argv.slice(1)
await build({ ...bundling, entryPoints: [program], outfile })
`

function newestSource(): number {
  const times = ['src', 'test/crash'].flatMap((at) =>
    readdirSync(join(root, at), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  )
  return Math.max(...times)
}
