/** Runs clean-up tasks at the end, after an error, and on Ctrl-C. */

const tasks: (() => Promise<unknown>)[] = []

/** Registers a task; the last one runs first. `undo` must tolerate that its resource is already gone. */
export function defer(undo: () => Promise<unknown>): void {
  tasks.push(undo)
}

let running: Promise<void> | undefined

/** Runs all tasks; concurrent calls wait for the same run. */
export function cleanUp(): Promise<void> {
  running ??= undoAll().finally(() => (running = undefined))
  return running
}

async function undoAll(): Promise<void> {
  for (let undo = tasks.pop(); undo !== undefined; undo = tasks.pop()) {
    await undo().catch((error: unknown) => process.stderr.write(`cleaning up: ${String(error)}\n`))
  }
}

let interrupted = false

/** Returns true after a signal, which causes later failures. */
export const isInterrupted = (): boolean => interrupted

/** Runs the tasks before a signal ends the process. */
export function cleanUpOnSignals(): void {
  for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const) {
    // Ctrl-C may arrive twice: from the terminal, and forwarded by the parent process.
    process.on(signal, () => {
      interrupted = true
      void cleanUp().finally(() => process.exit(code))
    })
  }
}
