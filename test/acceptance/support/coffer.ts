/** Runs the real binary like a shell: in its own process, environment and folder. */
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'

export const binary = fileURLToPath(new URL('../../../bin/coffer.js', import.meta.url))

export type Env = Record<string, string | undefined>

export interface Given {
  env?: Env
  stdin?: string
  cwd?: string
  uid?: number
  /** Network namespace of the process. */
  network?: string
}

export interface Outcome {
  /** Exit code, or the signal that ended the process. */
  code: number | NodeJS.Signals | null
  out: string
  err: string
}

/** Registers a task to run at the end of a test or file. */
export type CleanUp = (task: () => void | Promise<void>) => void

/** Runs registered tasks after all tests of a file, last first. Call it outside of hooks, which cannot register hooks. */
export function afterTheFile(): CleanUp {
  const tasks: Array<() => void | Promise<void>> = []
  afterAll(async () => {
    for (const task of tasks.reverse()) await task()
  })
  return (task) => void tasks.push(task)
}

/** Creates a temporary folder, which is removed after the test or by `cleanUp`. */
export function folder(cleanUp: CleanUp = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'coffer-acceptance-'))
  cleanUp(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
  return path
}

/** Returns a minimal environment, without variables of the user who runs the tests. */
function environment(env: Env = {}): Env {
  return { PATH: process.env['PATH'], HOME: '/nowhere', LANG: 'C.UTF-8', TZ: 'UTC', ...env }
}

/** Command line, split at spaces; a list when a word contains a space. */
export type Line = string | readonly string[]

export const words = (line: Line): string[] =>
  typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : [...line]

export function spawnCoffer(line: Line, { env, cwd, uid, network }: Given = {}): ChildProcessWithoutNullStreams {
  const within = network === undefined ? [] : ['ip', 'netns', 'exec', network]
  const [program = '', ...rest] = [...within, process.execPath, binary, ...words(line)]
  return spawn(program, rest, {
    env: environment(env),
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
}

/** Runs `coffer <line>` to its end. */
export async function coffer(line: Line, given: Given = {}): Promise<Outcome> {
  const child = spawnCoffer(line, given)
  // A command that ends without reading its input closes the pipe.
  child.stdin.on('error', () => undefined)
  child.stdin.end(given.stdin ?? '')
  return ended(child)
}

/** Runs a line of bash in which `coffer` is the binary. */
export function shell(line: string, given: Given = {}): Promise<Outcome> {
  const script = `coffer() { "$NODE" "$COFFER" "$@"; }; ${line}`
  const env = { ...environment(given.env), NODE: process.execPath, COFFER: binary }
  const child = spawn('bash', ['-c', script], { env, ...(given.cwd === undefined ? {} : { cwd: given.cwd }) })
  child.stdin.end(given.stdin ?? '')
  return ended(child)
}

function ended(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code: code ?? signal, ...output }))
  })
}

/** Parses the JSON that a command printed. */
export function json(outcome: Outcome): Record<string, unknown> {
  try {
    return JSON.parse(outcome.out) as Record<string, unknown>
  } catch (cause) {
    throw new Error(`not JSON: ${JSON.stringify(outcome)}`, { cause })
  }
}

/** Parses the error that a command printed with --json. */
export function errorOf({ err }: Outcome): Record<string, unknown> {
  const last = err.trimEnd().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { error: Record<string, unknown> }).error
}

export interface Running {
  url: string
  pid: number
  child: ChildProcessWithoutNullStreams
  /** Returns the output so far. */
  output(): { out: string; err: string }
  /** Resolves when the process has ended. */
  ended: Promise<Outcome>
  /** Sends a signal, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Outcome>
}

/** Starts a node, by default on a free port, and waits until it listens. Kills it after the test when it still runs. */
export async function start(
  home: string,
  given: Given & { options?: Line; port?: number } = {},
  cleanUp: CleanUp = onTestFinished,
): Promise<Running> {
  const options = words(given.options ?? '')
  const child = spawnCoffer(['start', '--home', home, '--port', String(given.port ?? 0), '--json', ...options], given)
  cleanUp(() => void child.kill('SIGKILL'))
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text))
  const exit = new Promise<Outcome>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? signal, ...output }))
  })
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (output.out.includes('\n')) resolve(output.out.split('\n')[0] ?? '')
    })
    void exit.then((outcome) => reject(new Error(`the node did not start: ${JSON.stringify(outcome)}`)))
  })
  const { url, pid } = JSON.parse(line) as { url: string; pid: number }
  return {
    url,
    pid,
    child,
    output: () => ({ ...output }),
    ended: exit,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return exit
    },
  }
}
