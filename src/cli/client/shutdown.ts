/** How the process of a node ends: asked to by a signal, or by a fault of its own. */
import type { Log } from '../../server/base/log.js'

/** Under npm, one Ctrl-C arrives twice: from the terminal and from npm. */
const ONE_KEY_MS = 50

/** The signals by which a node is asked to be opened again, one after the other. */
export interface Restarts {
  /** Resolves when the next one comes. */
  next(): Promise<'restart'>
}

/**
 * Hears an event of the process until `over`, and a little longer: the second of two signals for one key does not end a
 * process that ends well.
 */
function hear(event: string, heard: (...described: unknown[]) => void, over: AbortSignal): void {
  process.on(event, heard)
  const leave = (): void => void setTimeout(() => process.off(event, heard), ONE_KEY_MS).unref()
  over.addEventListener('abort', leave, { once: true })
}

/** Takes `signal` for a restart until `over`. One that comes while the node is being opened again counts for nothing. */
export function restartsBy(signal: NodeJS.Signals, over: AbortSignal): Restarts {
  let heard = (): void => undefined
  hear(signal, () => heard(), over)
  return { next: () => new Promise((resolve) => (heard = () => resolve('restart'))) }
}

/** The first signal that asks the node to end. Once it came, the next one ends the process at once, with 130, until `over`. */
export function stopSignal(over: AbortSignal): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const options = (): void => {
        const now = performance.now()
        if (askedAt !== undefined && now - askedAt > ONE_KEY_MS) process.exit(130)
        askedAt ??= now
        resolve(signal)
      }
      hear(signal, options, over)
    }
  })
}

/** Ends the process with 1 when something was thrown that nobody caught until `over`: what it knows may be wrong from then on. */
export function endOnFault(log: Log, over: AbortSignal): void {
  const thrown = (error: unknown, origin: unknown): void => {
    log.error('the node ends: something unexpected was thrown', {
      origin,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    // Every acknowledged change is on disk, so there is nothing to save.
    process.exit(1)
  }
  hear('uncaughtException', thrown, over)
}
