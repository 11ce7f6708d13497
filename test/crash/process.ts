/** Nodes in processes of their own, which tests start, stop and kill. See child.ts. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { bundled } from './bundled.js'

export interface Reply {
  /** URL of the node. */
  url?: string
  /** Class of the error of a failed opening. */
  refused?: string
  message?: string
  /** Process that holds a locked store. */
  holder?: number | null
  [word: string]: unknown
}

export interface NodeProcess {
  readonly pid: number
  /** Opens the node; returns its URL, or the reason of a refusal. */
  open(): Promise<Reply>
  /** Stops the node, but not the process. */
  close(): Promise<void>
  /** Sends a line to the process; returns the next line of its output. */
  send(line: string): Promise<Reply>
  /** Returns the next line of the process's output. */
  nextReply(): Promise<Reply>
  /** Kills the process at once, and waits until it is gone. */
  kill(): Promise<void>
}

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))

export interface ProcessOptions {
  /** Program with the commands of child.ts. */
  program?: string
  /** Wrapper of the process: a program and its arguments. */
  under?: readonly string[]
  env?: Record<string, string>
  /** Drops the log output. */
  silent?: boolean
}

/** Starts processes that are killed after the tests of the file; each has loaded all modules and waits for `open`. */
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
    // Lines sent to a killed process are dropped.
    stdin.on('error', () => {})
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
    const reply = async (): Promise<Reply> => {
      const { value, done } = (await lines.next()) as IteratorResult<string, undefined>
      if (done === true) throw new Error('the process ended')
      return JSON.parse(value) as Reply
    }
    await reply()
    const send = (line: string): Promise<Reply> => {
      stdin.write(`${line}\n`)
      return reply()
    }
    return {
      pid,
      send,
      nextReply: reply,
      open: () => send('open'),
      async close() {
        await send('close')
      },
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
    }
  }
}
