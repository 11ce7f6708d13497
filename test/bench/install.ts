/** Measures the package: packs the project, and installs it from the cache of npm into an empty folder. */
import { execFile } from 'node:child_process'
import { lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median, type Measured } from './measure.js'

export const installRows = ['package-size', 'install-size', 'install-time'] as const
export type InstallRow = (typeof installRows)[number]

const MAX_MB = 110
const MAX_SECONDS = 30
const RUNS = 3

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** Measures the selected rows in `folder`. The first installation fills the cache of npm and is not counted. */
export async function measureInstall(folder: string, isSelected: (id: InstallRow) => boolean, record: (measured: Measured) => void): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: root })
  const tarball = join(folder, stdout.trim())
  if (isSelected('package-size')) {
    record({ id: 'package-size', label: 'package, packed', figure: (await lstat(tarball)).size / 1e6, unit: 'MB' })
  }
  if (!isSelected('install-size') && !isSelected('install-time')) return
  const prefix = (n: number): string => join(folder, `prefix-${n}`)
  const install = async (n: number): Promise<number> => {
    const begun = performance.now()
    await run('npm', ['install', '--global', '--prefix', prefix(n), '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder })
    return (performance.now() - begun) / 1000
  }
  await install(0)
  if (isSelected('install-size')) {
    const figure = (await bytesOnDisk(prefix(0))) / 1e6
    record({ id: 'install-size', label: 'installed, on disk', figure, unit: 'MB', target: `≤ ${MAX_MB} MB`, met: figure <= MAX_MB })
  }
  if (!isSelected('install-time')) return
  const seconds: number[] = []
  for (let n = 1; n <= RUNS; n++) seconds.push(await install(n))
  const figure = median(seconds)
  record({ id: 'install-time', label: `npm install --global, cached, median of ${RUNS}`, figure, unit: 's', target: `< ${MAX_SECONDS} s`, met: figure < MAX_SECONDS })
}

/** Returns the bytes that the files below a folder take on the disk, without links. */
async function bytesOnDisk(folder: string): Promise<number> {
  let sum = 0
  for (const name of await readdir(folder, { recursive: true })) {
    const found = await lstat(join(folder, name))
    // In blocks of 512 bytes, see stat(2).
    if (!found.isSymbolicLink()) sum += found.blocks * 512
  }
  return sum
}
