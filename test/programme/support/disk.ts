/**
 * A disk that can lose power: ext4 in a file, mounted over a loop device. The cut is EXT4_IOC_SHUTDOWN without flushing the
 * log: unsynced data is lost, and further writes fail.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Disk {
  /** Mount point. */
  readonly path: string
  /** Cuts the power immediately. */
  cut(): void
  /** Program and arguments with which another process cuts the power. */
  readonly cutter: readonly string[]
  /** Restores the power by mounting the disk again. No process may have open files on it. */
  restore(): Promise<void>
  /** Removes the disk. */
  remove(): Promise<void>
}

/** `_IOR('X', 125, __u32)`; 2 is EXT4_GOING_FLAGS_NOLOGFLUSH. */
const CUT = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))
`

const run = (program: string, ...line: string[]): void => void execFileSync(program, line, { stdio: ['ignore', 'ignore', 'pipe'] })

/** Creates a disk of `megabytes`; requires root. */
export function createDisk(megabytes: number): Disk {
  const at = mkdtempSync(join(tmpdir(), 'coffer-disk-'))
  const image = join(at, 'image')
  const path = join(at, 'mounted')
  const program = join(at, 'cut.py')
  writeFileSync(program, CUT)
  writeFileSync(image, '')
  truncateSync(image, megabytes * 1024 * 1024)
  mkdirSync(path)
  // A small log leaves space for the node.
  run('mkfs.ext4', '-q', '-F', '-b', '4096', '-J', 'size=4', image)
  const mount = (): void => run('mount', '-o', 'loop', image, path)
  mount()
  const cutter = ['python3', program, path]
  return {
    path,
    cutter,
    cut: () => run(cutter[0] ?? '', ...cutter.slice(1)),
    async restore() {
      await unmount(path)
      mount()
    },
    async remove() {
      await unmount(path).catch(() => run('umount', '-l', path))
      rmSync(at, { recursive: true, force: true })
    },
  }
}

/** Unmounts with retries, because a killed process may still have open files. */
async function unmount(path: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      run('umount', path)
      return
    } catch (error) {
      if (tries === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
