/** Calls of the file system that fail in another process when a test says so: see faults.c, which is compiled for it. */
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const KINDS = ['write', 'sync', 'rename', 'open'] as const
export type Kind = (typeof KINDS)[number]

/** `short`: half of what was to be written is. */
export type Fault = 'EIO' | 'ENOSPC' | 'short'
const NUMBERS: Record<Fault, number> = { EIO: 5, ENOSPC: 28, short: 0 }

/** Five numbers that steer, and a count for each kind of call. */
const BYTES = (5 + KINDS.length) * 4

export interface FileFaults {
  /** What a process must have in its environment. */
  readonly env: Record<string, string>
  /** With `log`: the calls of processes, in the order in which they began: `sync /path`. */
  told(): string[]
  /** Counts from zero again, and lets nothing fail. */
  clear(): void
  /** Lets the call number `at` of a kind fail, counted since `clear`; `onwards`, all after it too. */
  arm(kind: Kind, at: number, fault: Fault, onwards?: boolean): void
  /** How many calls there were since `clear`, and how many failed. */
  counts(): Record<Kind | 'failed', number>
  remove(): void
}

/** Why calls cannot be made to fail here; undefined when they can. */
export function lacksFaults(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux'
  return library() === undefined ? 'it needs a C compiler (cc)' : undefined
}

let made: string | undefined

function library(): string | undefined {
  if (made !== undefined) return made
  const source = fileURLToPath(new URL('faults.c', import.meta.url))
  const draft = join(mkdtempSync(join(tmpdir(), 'coffer-faults-')), 'faults.so')
  // Without optimising, so that the functions of the C library are functions, and no macros.
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O0', '-o', draft, source, '-ldl'], { stdio: 'ignore' })
  if (status !== 0 || !existsSync(draft)) return undefined
  made = draft
  process.once('exit', () => rmSync(join(draft, '..'), { recursive: true, force: true }))
  return made
}

/** Faults of the file system below a folder; with `log`, what processes do there is noted. */
export function createFileFaults(folder: string, { log = false } = {}): FileFaults {
  const at = mkdtempSync(join(tmpdir(), 'coffer-faults-'))
  const path = join(at, 'shared')
  writeFileSync(path, Buffer.alloc(BYTES))
  const file = openSync(path, 'r+')
  const steer = (numbers: number[]): void => {
    // The kind comes last: from then on the rest counts.
    writeSync(file, Buffer.from(Int32Array.from(numbers).buffer), 4, (numbers.length - 1) * 4, 4)
    writeSync(file, Buffer.from(Int32Array.from(numbers).buffer), 0, 4, 0)
  }
  return {
    env: { LD_PRELOAD: library() ?? '', FAULTS: path, FAULTED: folder, ...(log ? { FAULTS_LOG: join(at, 'log') } : {}) },
    told: () => readFileSync(join(at, 'log'), 'utf8').trimEnd().split('\n'),
    clear: () => steer([-1, 0, 0, 0, 0, 0, 0, 0, 0]),
    arm: (kind, number, fault, onwards = false) => steer([KINDS.indexOf(kind), number, onwards ? 1 : 0, NUMBERS[fault], 0]),
    counts() {
      const bytes = Buffer.alloc(BYTES)
      readSync(file, bytes, 0, BYTES, 0)
      const counts = KINDS.map((kind, i) => [kind, bytes.readInt32LE((5 + i) * 4)] as const)
      return { ...Object.fromEntries(counts), failed: bytes.readInt32LE(16) } as Record<Kind | 'failed', number>
    },
    remove() {
      closeSync(file)
      rmSync(at, { recursive: true, force: true })
    },
  }
}
