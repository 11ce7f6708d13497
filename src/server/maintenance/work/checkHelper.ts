/** A second thread for the check of a closed store. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { HelperThread } from '../../../store/check/firstPass.js'
import type { PartResult, PartTask } from '../../../store/check/parts.js'
import { threadProgram } from '../../../store/engine/threadProgram.js'

/** Message to the thread: a part to read, or the request to end. */
export type CheckRequest = PartTask | 'end'

/** Checking this many entries takes longer than starting the thread. */
const MIN_ENTRIES = 5000

interface CheckHelper extends HelperThread {
  /** Ends the thread, which closes its database. */
  close(): Promise<void>
}

/**
 * Creates a helper, whose thread starts with its first task. The database in `folder` must be open with `isShared`, and nothing may
 * write to it. Undefined on a machine with one core, and before the first build.
 */
export function createCheckHelper(folder: string): CheckHelper | undefined {
  const program = availableParallelism() < 2 ? undefined : threadProgram('checkWorker.js')
  if (program === undefined) return undefined
  let helper: ReturnType<typeof startHelper> | undefined
  return {
    minEntries: MIN_ENTRIES,
    read: (task) => (helper ??= startHelper(program, folder)).read(task),
    async close() {
      await helper?.close()
    },
  }
}

function startHelper(program: URL, folder: string): Omit<CheckHelper, 'minEntries'> {
  const worker = new Worker(program, { env: {}, execArgv: [], workerData: { folder } })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let failure: unknown
  // Without a listener, an error between two answers would end the process.
  worker.on('error', (error) => (failure = error))
  const send = (request: CheckRequest): void => worker.postMessage(request)
  return {
    async read(task) {
      const answer = once(worker, 'message') as Promise<[PartResult]>
      send(task)
      // An error ends the thread, and rejects the answer.
      const result = await Promise.race([answer, ended])
      if (result === undefined) throw new Error('The thread that helps to check the store has ended before its answer.', { cause: failure })
      return result[0]
    },
    async close() {
      send('end')
      await ended
    },
  }
}
