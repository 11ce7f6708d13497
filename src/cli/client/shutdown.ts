/** Ends the process of a node: on a signal, or on an uncaught exception. */
import type { Log } from '../../server/base/log.js'

/** Under npm, one Ctrl-C arrives twice: from the terminal and from npm. */
const ONE_KEY_MS = 50

/** Signals that restart a node. */
interface Restarts {
  /** Resolves on the next signal. */
  next(): Promise<'restart'>
}

/**
 * Listens to a process event until `over`, and slightly longer: the second of two signals for one key press must not
 * kill a process that is exiting normally.
 */
function hear(event: string, heard: (...described: unknown[]) => void, over: AbortSignal): void {
  process.on(event, heard)
  const leave = (): void => void setTimeout(() => process.off(event, heard), ONE_KEY_MS).unref()
  over.addEventListener('abort', leave, { once: true })
}

/** Handles `signal` as a restart until `over`. Ignores signals during a restart. */
export function restartsBy(signal: NodeJS.Signals, over: AbortSignal): Restarts {
  let heard = (): void => undefined
  hear(signal, () => heard(), over)
  return { next: () => new Promise((resolve) => (heard = () => resolve('restart'))) }
}

/** Resolves on the first stop signal. After that, until `over`, the next one exits immediately with 130. */
export function stopSignal(over: AbortSignal): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const onSignal = (): void => {
        const now = performance.now()
        if (firstAt !== undefined && now - firstAt > ONE_KEY_MS) process.exit(130)
        firstAt ??= now
        resolve(signal)
      }
      hear(signal, onSignal, over)
    }
  })
}

/** Exits with 1 on an uncaught exception until `over`, because the state in memory may be wrong. */
export function endOnFault(log: Log, over: AbortSignal): void {
  const thrown = (error: unknown, origin: unknown): void => {
    log.error('the node exits: uncaught exception', {
      origin,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    // Every acknowledged change is on disk, so nothing needs to be saved.
    process.exit(1)
  }
  hear('uncaughtException', thrown, over)
}
