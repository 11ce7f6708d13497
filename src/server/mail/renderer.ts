/**
 * Renders mail templates in a worker with limits on time and memory. The worker starts on first use and stops when idle; one that
 * exceeds its limits is terminated and replaced for the next template.
 */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { templateWorker } from './templateWorker.js'

/** Unusable template; the message gives the operator the reason. */
export class TemplateWrong extends Error {}

/** The worker exited by itself, because of this template or the one before. */
class WorkerLost extends TemplateWrong {}

interface Renderer {
  /**
   * Renders several sources with the same values.
   * @throws TemplateWrong when one does not compile, fails, takes too long or produces too much
   */
  render(sources: readonly string[], values: Readonly<Record<string, string>>): Promise<string[]>
  stop(): Promise<void>
}

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, codeRangeSizeMb: 16, stackSizeMb: 2 }
/** Longest source that is rendered, in characters. */
const MAX_SOURCE = 200_000

/**
 * Creates a renderer. `limitMs` bounds one call of `render` once the worker runs; `idleMs` is the time before an idle worker
 * stops.
 */
export function createRenderer({ limitMs = 2000, idleMs = 60_000, startMs = 20_000 } = {}): Renderer {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isStopped = false

  async function startWorker(): Promise<Worker> {
    if (worker !== undefined) return worker
    const pug = createRequire(import.meta.url).resolve('pug')
    const newWorker = new Worker(templateWorker, {
      eval: true,
      env: {},
      execArgv: [],
      workerData: { pug },
      resourceLimits: RESOURCE_LIMITS,
      stdout: true,
      stderr: true,
    })
    newWorker.unref()
    worker = newWorker
    const exited = (): void => {
      if (worker === newWorker) worker = undefined
    }
    // A worker may fail after its response, when nothing waits for it.
    newWorker.on('error', exited).once('exit', exited)
    await answerOf(newWorker, startMs, 'The mail template worker did not start.')
    return newWorker
  }

  /** Returns the next message of a worker; terminates the worker if none arrives in time. */
  function answerOf(from: Worker, withinMs: number, timeoutMessage: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new TemplateWrong(timeoutMessage))), withinMs)
      const settle = (end: () => void, isOver = true): void => {
        clearTimeout(timer)
        from.off('message', onMessage).off('error', onError).off('exit', onExit)
        if (isOver) discard(from)
        end()
      }
      const onMessage = (message: unknown): void => settle(() => resolve(message), false)
      const onError = (error: Error): void =>
        settle(() => {
          const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          reject(new WorkerLost(isMemory ? 'it uses too much memory' : error.message))
        })
      const onExit = (): void => settle(() => reject(new WorkerLost('it terminated the worker')))
      from.on('message', onMessage).on('error', onError).on('exit', onExit)
    })
  }

  function discard(from: Worker): void {
    if (worker === from) worker = undefined
    void from.terminate()
  }

  async function run(sources: readonly string[], values: Readonly<Record<string, string>>): Promise<string[]> {
    if (isStopped) throw new TemplateWrong('The node is stopping.')
    clearTimeout(idle)
    const current = await startWorker()
    const answer = answerOf(current, limitMs, `it takes longer than ${limitMs / 1000} seconds`)
    current.postMessage({ sources, json: JSON.stringify(values) })
    const message = (await answer) as { texts: string[] } | { wrong: string }
    idle = setTimeout(() => discard(current), idleMs)
    idle.unref()
    if ('wrong' in message) throw new TemplateWrong(message.wrong)
    return message.texts
  }

  return {
    render(sources, values) {
      if (sources.some(({ length }) => length > MAX_SOURCE)) {
        return Promise.reject(new TemplateWrong(`it is longer than ${MAX_SOURCE} characters`))
      }
      // Runs one render at a time, so that a timeout counts only its own time.
      const rendered = last.then(async () => {
        try {
          return await run(sources, values)
        } catch (error) {
          if (!(error instanceof WorkerLost)) throw error
          return run(sources, values)
        }
      })
      last = rendered.catch(() => {})
      return rendered
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
