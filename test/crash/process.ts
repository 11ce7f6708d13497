/** Nodes in processes of their own, seen from the test that starts, stops and kills them. See child.ts. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { bundled } from './bundled.js'

export interface Reply {
  /** Where the node listens. */
  url?: string
  /** The error that opening ended with, by name. */
  refused?: string
  message?: string
  /** The process that a locked store is said to be held by. */
  holder?: number | null
  [word: string]: unknown
}

export interface NodeProcess {
  readonly pid: number
  /** Opens the node; answers where it listens, or why it does not. */
  open(): Promise<Reply>
  /** Stops the node and keeps the process. */
  close(): Promise<void>
  /** Says a line to the process; answers the next line that it says itself. */
  tell(line: string): Promise<Reply>
  /** The next line that the process says by itself. */
  hears(): Promise<Reply>
  /** Kills the process at once, whatever it is doing, and waits until it is gone. */
  kill(): Promise<void>
}

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))

export interface ProcessOptions {
  /** The program, which does as child.ts does. */
  program?: string
  /** What it runs under: a program and its arguments. */
  under?: readonly string[]
  env?: Record<string, string>
  /** Whether what it logs is left out. */
  silent?: boolean
}

/** Starts processes that are gone after the tests of the file. Each has loaded everything and waits to open. */
export function nodeProcesses(options: ProcessOptions = {}): (home: string, settings?: Record<string, unknown>) => Promise<NodeProcess> {
  const { program = CHILD, under = [], env = {}, silent = false } = options
  const started: ChildProcess[] = []
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL')
  })
  return async (home, settings = {}) => {
    const [file = '', ...line] = [...under, process.execPath, bundled(program), home, JSON.stringify(settings)]
    const child = spawn(file, line, { stdio: ['pipe', 'pipe', silent ? 'ignore' : 'inherit'], env: { ...process.env, ...env } })
    started.push(child)
    const exited = once(child, 'exit')
    const { stdin, stdout, pid } = child
    if (stdin === null || stdout === null || pid === undefined) throw new Error('the process did not start')
    // What is told to a killed process goes nowhere.
    stdin.on('error', () => {})
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
    const reply = async (): Promise<Reply> => {
      const { value, done } = (await lines.next()) as IteratorResult<string, undefined>
      if (done === true) throw new Error('the process ended')
      return JSON.parse(value) as Reply
    }
    await reply()
    const tell = (line: string): Promise<Reply> => {
      stdin.write(`${line}\n`)
      return reply()
    }
    return {
      pid,
      tell,
      hears: reply,
      open: () => tell('open'),
      async close() {
        await tell('close')
      },
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
    }
  }
}
