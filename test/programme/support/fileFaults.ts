/** Injects failures of file system calls into another process with the library faults.c. */
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const KINDS = ['write', 'sync', 'rename', 'open'] as const
export type Kind = (typeof KINDS)[number]

/** `short`: only half of the bytes are written. */
export type Fault = 'EIO' | 'ENOSPC' | 'short'
const NUMBERS: Record<Fault, number> = { EIO: 5, ENOSPC: 28, short: 0 }

/** Five control numbers, and a counter for each kind of call. */
const BYTES = (5 + KINDS.length) * 4

export interface FileFaults {
  /** Environment variables of the process. */
  readonly env: Record<string, string>
  /** Returns the logged calls in order, as `sync /path`; requires `log`. */
  calls(): string[]
  /** Resets the counters and the armed fault. */
  clear(): void
  /** Makes the call number `at` of a kind since `clear` fail; with `onwards`, all later ones too. */
  arm(kind: Kind, at: number, fault: Fault, onwards?: boolean): void
  /** Returns the numbers of calls since `clear`, and of failed ones. */
  counts(): Record<Kind | 'failed', number>
  remove(): void
}

/** Returns the missing requirement for fault injection; undefined if there is none. */
export function lacksFaults(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux'
  return library() === undefined ? 'it needs a C compiler (cc)' : undefined
}

let compiled: string | undefined

function library(): string | undefined {
  if (compiled !== undefined) return compiled
  const source = fileURLToPath(new URL('faults.c', import.meta.url))
  const draft = join(mkdtempSync(join(tmpdir(), 'coffer-faults-')), 'faults.so')
  // Without optimisation, so that functions of the C library are not macros.
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O0', '-o', draft, source, '-ldl'], { stdio: 'ignore' })
  if (status !== 0 || !existsSync(draft)) return undefined
  compiled = draft
  process.once('exit', () => rmSync(join(draft, '..'), { recursive: true, force: true }))
  return compiled
}

/** Creates faults for the files below a folder; with `log`, calls are recorded. */
export function createFileFaults(folder: string, { log = false } = {}): FileFaults {
  const at = mkdtempSync(join(tmpdir(), 'coffer-faults-'))
  const path = join(at, 'shared')
  writeFileSync(path, Buffer.alloc(BYTES))
  const file = openSync(path, 'r+')
  const writeControls = (numbers: number[]): void => {
    // The kind is written last, because it activates the fault.
    writeSync(file, Buffer.from(Int32Array.from(numbers).buffer), 4, (numbers.length - 1) * 4, 4)
    writeSync(file, Buffer.from(Int32Array.from(numbers).buffer), 0, 4, 0)
  }
  return {
    env: { LD_PRELOAD: library() ?? '', FAULTS: path, FAULTED: folder, ...(log ? { FAULTS_LOG: join(at, 'log') } : {}) },
    calls: () => readFileSync(join(at, 'log'), 'utf8').trimEnd().split('\n'),
    clear: () => writeControls([-1, 0, 0, 0, 0, 0, 0, 0, 0]),
    arm: (kind, number, fault, onwards = false) => writeControls([KINDS.indexOf(kind), number, onwards ? 1 : 0, NUMBERS[fault], 0]),
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
