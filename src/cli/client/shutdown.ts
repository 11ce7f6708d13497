/** Ends the process of a node: on a signal, or on an uncaught exception. */
import type { Log } from '../../server/base/log.js'

/** Time in which two signals come from one key press: npm passes on a Ctrl-C that the terminal already sent. */
const ONE_KEY_MS = 50

/** Signals that restart a node. */
interface Restarts {
  /** Resolves on the next signal. */
  next(): Promise<'restart'>
}

/**
 * Listens to a process event until `over` is aborted, and ONE_KEY_MS longer: the second of two signals for one key press
 * must not kill a process that is exiting normally.
 */
function listenUntil(event: string, onEvent: (...args: unknown[]) => void, over: AbortSignal): void {
  process.on(event, onEvent)
  const stopListening = (): void => void setTimeout(() => process.off(event, onEvent), ONE_KEY_MS).unref()
  over.addEventListener('abort', stopListening, { once: true })
}

/** Handles `signal` as a restart until `over` is aborted. Ignores signals during a restart. */
export function restartsBy(signal: NodeJS.Signals, over: AbortSignal): Restarts {
  let onEvent = (): void => undefined
  listenUntil(signal, () => onEvent(), over)
  return { next: () => new Promise((resolve) => (onEvent = () => resolve('restart'))) }
}

/** Resolves on the first stop signal. A second one exits immediately with 130, until `over` is aborted. */
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
      listenUntil(signal, onSignal, over)
    }
  })
}

/** Exits with 1 on an uncaught exception until `over` is aborted, because the state in memory may be wrong. */
export function endOnFault(log: Log, over: AbortSignal): void {
  const onException = (error: unknown, origin: unknown): void => {
    log.error('the node exits: uncaught exception', {
      origin,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    // Every acknowledged change is on disk, so nothing needs to be saved.
    process.exit(1)
  }
  listenUntil('uncaughtException', onException, over)
}
