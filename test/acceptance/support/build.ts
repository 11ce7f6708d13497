/** Builds the binary before the acceptance tests when a source is newer than the build. */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export default function setup(): void {
  const sources = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join(root, 'src', String(name)))
  const newest = Math.max(...sources.map((path) => statSync(path).mtimeMs))
  const built = statSync(join(root, 'dist/cli/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (built > newest) return
  execFileSync(process.execPath, ['build.js'], { cwd: root, stdio: 'inherit' })
}
