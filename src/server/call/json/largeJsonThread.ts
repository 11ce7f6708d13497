/**
 * Runs tasks on large JSON in a thread, one after the other. The thread is started on demand and stopped when idle, which frees
 * its memory.
 */
import { Worker } from 'node:worker_threads'
import { threadProgram } from '../../../store/engine/threadProgram.js'
import { Failure } from '../../../store/model/failure.js'
import type { Task, TaskResults } from './task.js'

const IDLE_MS = 60_000
/** Maximum memory for the values of one body, in megabytes: 10 MB of empty arrays take about 300. */
const HEAP_MB = 1024

interface Job {
  task: Task
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

const waiting: Job[] = []
let worker: Worker | undefined
let current: Job | undefined
let idle: NodeJS.Timeout | undefined

/**
 * Runs a task in the thread. Bytes that are part of it cannot be used afterwards.
 * @throws Failure `payload-too-large` for values that need too much memory
 */
export function inThread<K extends Task['kind']>(task: Extract<Task, { kind: K }>): Promise<TaskResults[K]> {
  noteDeferral()
  return new Promise<unknown>((resolve, reject) => {
    waiting.push({ task, resolve, reject })
    next()
  }) as Promise<TaskResults[K]>
}

let deferrals = 0

/** Records that a change waits for the thread before it is staged. */
export const noteDeferral = (): void => void (deferrals += 1)

/** Returns how many changes have waited for the thread so far; an increase after a call means that the call waits. */
export const deferralCount = (): number => deferrals

function next(): void {
  if (current !== undefined) return
  current = waiting.shift()
  clearTimeout(idle)
  if (current === undefined) {
    idle = setTimeout(end, IDLE_MS)
    idle.unref()
    return
  }
  const { task } = current
  try {
    worker ??= start()
  } catch (error) {
    return settle(({ reject }) => reject(error))
  }
  // Keeps the process running during a task.
  worker.ref()
  worker.postMessage(task, task.kind === 'split' && task.bytes.buffer instanceof ArrayBuffer ? [task.bytes.buffer] : [])
}

function settle(with_: (job: Job) => void): void {
  const job = current
  current = undefined
  worker?.unref()
  if (job !== undefined) with_(job)
  next()
}

function start(): Worker {
  const started = new Worker(program(), { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
  // Receiving megabytes and processing them takes milliseconds each: let other work run in between.
  started.on('message', (result: unknown) => void setImmediate(() => settle(({ resolve }) => resolve(result))))
  started.on('error', (error: Error & { code?: string }) => {
    if (worker === started) worker = undefined
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    settle(({ reject }) => reject(isMemory ? new Failure('payload-too-large', 'The values of the body take too much memory.') : error))
  })
  return started
}

const PROGRAM = 'largeJsonWorker.js'

function program(): URL {
  const found = threadProgram(PROGRAM)
  if (found === undefined) throw new Error(`${PROGRAM} is not built: run npm run build.`)
  return found
}

function end(): void {
  const ending = worker
  worker = undefined
  void ending?.terminate()
}
