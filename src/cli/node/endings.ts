/** How the process of a node ends: asked to by a signal, or by a fault of its own. */
import type { Log } from '../../server/log.js'

/** Under npm, one Ctrl-C arrives twice: from the terminal and from npm. */
const ONE_KEY_MS = 50

/** The signals by which a node is asked to be opened again, one after the other. */
export interface Restarts {
  /** Resolves when the next one comes. */
  next(): Promise<'restart'>
}

/** Takes `signal` for a restart from now on. One that comes while the node is being opened again counts for nothing. */
export function restartsBy(signal: NodeJS.Signals): Restarts {
  let heard = (): void => undefined
  process.on(signal, () => heard())
  return { next: () => new Promise((resolve) => (heard = () => resolve('restart'))) }
}

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
