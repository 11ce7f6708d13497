/** Runs the real binary as a shell would: its own process, an environment of its own, in a folder of its own. */
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
  /** The network namespace it runs in. */
  network?: string
}

export interface Outcome {
  /** The exit code, or the signal that ended it. */
  code: number | NodeJS.Signals | null
  out: string
  err: string
}

/** Takes what is to be done when something is over. */
export type CleanUp = (task: () => void | Promise<void>) => void

/** What is to be done after all tests of a file, the last first. Called outside of hooks, which cannot add to it. */
export function afterTheFile(): CleanUp {
  const tasks: Array<() => void | Promise<void>> = []
  afterAll(async () => {
    for (const task of tasks.reverse()) await task()
  })
  return (task) => void tasks.push(task)
}

/** A folder that goes away after the test, or whenever `cleanUp` says. */
export function folder(cleanUp: CleanUp = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'coffer-acceptance-'))
  cleanUp(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
  return path
}

/** Only what a bare shell has: nothing of the person who runs the tests. */
function environment(env: Env = {}): Env {
  return { PATH: process.env['PATH'], HOME: '/nowhere', LANG: 'C.UTF-8', TZ: 'UTC', ...env }
}

/** Words of a command line, parted by spaces; a list where a word holds one. */
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

/** Runs a line of a shell in which `coffer` is the binary. */
export function shell(line: string, given: Given = {}): Promise<Outcome> {
  const script = `coffer() { "$NODE" "$COFFER" "$@"; }; ${line}`
  const env = { ...environment(given.env), NODE: process.execPath, COFFER: binary }
  const child = spawn('bash', ['-c', script], { env, ...(given.cwd === undefined ? {} : { cwd: given.cwd }) })
  child.stdin.end(given.stdin ?? '')
  return ended(child)
}

function ended(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const told = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told.err += text))
  return new Promise((give, fail) => {
    child.on('error', fail)
    child.on('close', (code, signal) => give({ code: code ?? signal, ...told }))
  })
}

/** The JSON that a command printed. */
export function json(outcome: Outcome): Record<string, unknown> {
  try {
    return JSON.parse(outcome.out) as Record<string, unknown>
  } catch (cause) {
    throw new Error(`not JSON: ${JSON.stringify(outcome)}`, { cause })
  }
}

/** The error that a command told under --json. */
export function errorOf({ err }: Outcome): Record<string, unknown> {
  const last = err.trimEnd().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { error: Record<string, unknown> }).error
}

export interface Running {
  url: string
  pid: number
  child: ChildProcessWithoutNullStreams
  /** What it told so far. */
  told(): { out: string; err: string }
  /** Its end, whoever asks for it. */
  ended: Promise<Outcome>
  /** Asks it to end, and waits. */
  stop(signal?: NodeJS.Signals): Promise<Outcome>
}

/** Starts a node, on a free port unless one is given, and waits until it listens. It is killed after the test when it still runs. */
export async function start(
  home: string,
  given: Given & { options?: Line; port?: number } = {},
  cleanUp: CleanUp = onTestFinished,
): Promise<Running> {
  const options = words(given.options ?? '')
  const child = spawnCoffer(['start', '--home', home, '--port', String(given.port ?? 0), '--json', ...options], given)
  cleanUp(() => void child.kill('SIGKILL'))
  const told = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told.err += text))
  const over = new Promise<Outcome>((give) => {
    child.on('close', (code, signal) => give({ code: code ?? signal, ...told }))
  })
  const line = await new Promise<string>((give, fail) => {
    child.stdout.on('data', () => {
      if (told.out.includes('\n')) give(told.out.split('\n')[0] ?? '')
    })
    void over.then((outcome) => fail(new Error(`the node did not start: ${JSON.stringify(outcome)}`)))
  })
  const { url, pid } = JSON.parse(line) as { url: string; pid: number }
  return {
    url,
    pid,
    child,
    told: () => ({ ...told }),
    ended: over,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return over
    },
  }
}
