/** How the process of a node ends: asked to by a signal, or by a fault of its own. */
import type { Log } from '../../server/log.js'

/** Under npm, one Ctrl-C arrives twice: from the terminal and from npm. */
const ONE_KEY_MS = 50

/** The first signal that asks the node to end. Once it came, the next one ends the process at once, with 130. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        const now = performance.now()
        if (askedAt !== undefined && now - askedAt > ONE_KEY_MS) process.exit(130)
        askedAt ??= now
        resolve(signal)
      })
    }
  })
}

/** Ends the process with 1 when something was thrown that nobody caught: what it knows may be wrong from then on. */
export function endOnFault(log: Log): void {
  process.on('uncaughtException', (error: unknown, origin) => {
    log.error('the node ends: something unexpected was thrown', {
      origin,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    // Every acknowledged change is on disk, so there is nothing to save.
    process.exit(1)
  })
}
