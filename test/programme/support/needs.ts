/** Requirements of tests on the machine, and texts about missing ones. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export const LONG = process.env['LONG'] === '1'

type Need = 'root' | 'loop' | 'python3' | 'strace' | 'faketime' | 'prlimit' | 'linux'

const checks: Record<Need, () => string | undefined> = {
  linux: () => (process.platform === 'linux' ? undefined : 'it needs Linux'),
  root: () => (process.getuid?.() === 0 ? undefined : 'it needs root, to mount'),
  loop: () => (existsSync('/dev/loop-control') && isInstalled('mkfs.ext4') ? undefined : 'it needs loop devices and mkfs.ext4'),
  python3: () => (isInstalled('python3') ? undefined : 'it needs python3, to call the file system'),
  strace: () => (runs('strace', ['-o', '/dev/null', 'true']) ? undefined : 'it needs strace, and permission to trace'),
  faketime: () => (runs('faketime', ['-f', '+1d', 'true']) ? undefined : 'it needs faketime'),
  prlimit: () => (isInstalled('prlimit') ? undefined : 'it needs prlimit'),
}

const isInstalled = (program: string): boolean => runs('sh', ['-c', `command -v ${program}`])
const runs = (program: string, line: string[]): boolean => spawnSync(program, line, { stdio: 'ignore' }).status === 0

/** Returns the first missing requirement; undefined if all are met. */
export function lacks(...needs: Need[]): string | undefined {
  for (const need of needs) {
    const lack = checks[need]()
    if (lack !== undefined) return lack
  }
  return undefined
}
