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
}

export interface NodeProcess {
  readonly pid: number
  /** Opens the node; answers where it listens, or why it does not. */
  open(): Promise<Reply>
  /** Stops the node and keeps the process. */
  close(): Promise<void>
  /** Kills the process at once, whatever it is doing, and waits until it is gone. */
  kill(): Promise<void>
}

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url))

/** Starts processes that are gone after the tests of the file. Each has loaded everything and waits to open. */
export function nodeProcesses(): (home: string, settings?: Record<string, unknown>) => Promise<NodeProcess> {
  const started: ChildProcess[] = []
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL')
  })
  return async (home, settings = {}) => {
    const arguments_ = [bundled(CHILD), home, JSON.stringify(settings)]
    const child = spawn(process.execPath, arguments_, { stdio: ['pipe', 'pipe', 'inherit'] })
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
    return {
      pid,
      open() {
        stdin.write('open\n')
        return reply()
      },
      async close() {
        stdin.write('close\n')
        await reply()
      },
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
    }
  }
}
