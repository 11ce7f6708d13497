/** Starts the measured processes: the built node and the bare route. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { defer } from './cleanup.js'

export interface Server {
  /** URL that ends with a slash. */
  readonly url: string
  readonly pid: number
  /** Stops the process gracefully. */
  stop(): Promise<void>
  /** Kills the process like a power failure. */
  kill(): Promise<void>
}

/** Program of this build. */
const ownProgram = fileURLToPath(new URL('../../bin/coffer.js', import.meta.url))
const bareRoute = fileURLToPath(new URL('bare.ts', import.meta.url))

/** Starts the built node in `home`, of this build or another one; resolves when it listens. */
export function startNode(
  home: string,
  profile?: string,
  settings: Readonly<Record<string, string>> = {},
  program = ownProgram,
): Promise<Server> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile, '--cpu-prof-interval', '500']
  return startServer([...profiling, program, 'start', '--json', '--port', '0', '--home', home], settings)
}

/** Starts the bare route. */
export function startBare(): Promise<Server> {
  return startServer(['--import', import.meta.resolve('tsx'), bareRoute])
}

/** Starts a program whose first line of output is JSON with its `url`. */
async function startServer(args: string[], settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('COFFER_')))
  const env = { ...own, ...settings }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const { pid, stdout, stderr } = child
  if (pid === undefined) throw new Error(`${args.join(' ')} could not be started`)
  defer(() => end(child, 'SIGKILL'))
  let errors = ''
  stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4000)))
  const lines = createInterface({ input: stdout })
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit')])
  const line: unknown = first[0]
  if (typeof line !== 'string' || !line.startsWith('{')) {
    throw new Error(`${args.join(' ')} did not start:\n${errors}`)
  }
  const { url } = JSON.parse(line) as { url: string }
  return { url, pid, stop: () => end(child, 'SIGTERM'), kill: () => end(child, 'SIGKILL') }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** Returns the processor time of a process in seconds; undefined on systems without /proc. */
export function processorSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Fields 14 and 15, counted after the name, which may contain spaces; 100 ticks per second on Linux.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return undefined
  }
}

/** Returns the resident memory of a process in bytes; undefined on systems without /proc. */
export const residentBytes = (pid: number): number | undefined => statusBytes(pid, 'VmRSS')

/**
 * Returns the resident memory of a process in bytes, without mapped files: those of tables are page cache of the
 * system, which it reclaims when other processes need memory.
 */
export const ownBytes = (pid: number): number | undefined => statusBytes(pid, 'RssAnon')

function statusBytes(pid: number, name: string): number | undefined {
  try {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}
