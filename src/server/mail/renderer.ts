/**
 * Makes texts of mail templates, in a worker with bounds on time and memory. The worker starts with the first template
 * and ends after a while without one; one that overruns its bounds is ended, and the next template gets a new one.
 */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { templateWorker } from './templateWorker.js'

/** A template that cannot be used; the message says why, for the operator. */
export class TemplateWrong extends Error {}

/** The worker ended by itself: because of this template, or still of the one before. */
class WorkerLost extends TemplateWrong {}

export interface Renderer {
  /**
   * Renders sources with the same values.
   * @throws TemplateWrong when one does not compile, fails, takes too long or makes too much
   */
  render(sources: readonly string[], values: Readonly<Record<string, string>>): Promise<string[]>
  stop(): Promise<void>
}

const BOUNDS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, codeRangeSizeMb: 16, stackSizeMb: 2 }
/** A source longer than this is not tried. */
const MAX_SOURCE = 200_000

/** `limitMs` bounds one call of `render`, once the worker is there; `idleMs` is how long the worker waits for another. */
export function createRenderer({ limitMs = 2000, idleMs = 60_000, startMs = 20_000 } = {}): Renderer {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isStopped = false

  async function started(): Promise<Worker> {
    if (worker !== undefined) return worker
    const pug = createRequire(import.meta.url).resolve('pug')
    const fresh = new Worker(templateWorker, {
      eval: true,
      env: {},
      execArgv: [],
      workerData: { pug },
      resourceLimits: BOUNDS,
      stdout: true,
      stderr: true,
    })
    fresh.unref()
    worker = fresh
    const gone = (): void => {
      if (worker === fresh) worker = undefined
    }
    // A worker may fail after its answer, when nobody waits for it any more.
    fresh.on('error', gone).once('exit', gone)
    await answerOf(fresh, startMs, 'The worker for mail templates does not start.')
    return fresh
  }

  /** The next message of a worker, which is ended when none comes in time. */
  function answerOf(from: Worker, withinMs: number, late: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new TemplateWrong(late))), withinMs)
      const settle = (end: () => void, isOver = true): void => {
        clearTimeout(timer)
        from.off('message', onMessage).off('error', onError).off('exit', onExit)
        if (isOver) leave(from)
        end()
      }
      const onMessage = (message: unknown): void => settle(() => resolve(message), false)
      const onError = (error: Error): void =>
        settle(() => {
          const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          reject(new WorkerLost(isMemory ? 'it takes too much memory' : error.message))
        })
      const onExit = (): void => settle(() => reject(new WorkerLost('it ended the worker')))
      from.on('message', onMessage).on('error', onError).on('exit', onExit)
    })
  }

  function leave(from: Worker): void {
    if (worker === from) worker = undefined
    void from.terminate()
  }

  async function run(sources: readonly string[], values: Readonly<Record<string, string>>): Promise<string[]> {
    if (isStopped) throw new TemplateWrong('The node is stopping.')
    clearTimeout(idle)
    const at = await started()
    const answer = answerOf(at, limitMs, `it takes longer than ${limitMs / 1000} seconds`)
    at.postMessage({ sources, json: JSON.stringify(values) })
    const stated = (await answer) as { texts: string[] } | { wrong: string }
    idle = setTimeout(() => leave(at), idleMs)
    idle.unref()
    if ('wrong' in stated) throw new TemplateWrong(stated.wrong)
    return stated.texts
  }

  return {
    render(sources, values) {
      if (sources.some(({ length }) => length > MAX_SOURCE)) {
        return Promise.reject(new TemplateWrong(`it is longer than ${MAX_SOURCE} characters`))
      }
      // One after the other: what one overruns is its own time.
      const made = last.then(async () => {
        try {
          return await run(sources, values)
        } catch (error) {
          if (!(error instanceof WorkerLost)) throw error
          return run(sources, values)
        }
      })
      last = made.catch(() => {})
      return made
    },
    async stop() {
      isStopped = true
      clearTimeout(idle)
      const ending = worker
      worker = undefined
      await ending?.terminate()
    },
  }
}
