/** Leaves nothing behind: what was started or made is undone at the end, after an error, and on Ctrl-C. */

const tasks: (() => Promise<unknown>)[] = []

/** Undone last come, first served. `undo` may run after the thing is already gone. */
export function defer(undo: () => Promise<unknown>): void {
  tasks.push(undo)
}

let running: Promise<void> | undefined

/** Undoes everything; whoever calls while that is under way waits for the same end. */
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

/** Whether a signal ends the process: what fails from then on fails because of that. */
export const isInterrupted = (): boolean => interrupted

/** From now on, signals that end the process clean up first. */
export function cleanUpOnSignals(): void {
  for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const) {
    // A terminal's Ctrl-C may arrive more than once: from the terminal, and passed on by what started this.
    process.on(signal, () => {
      interrupted = true
      void cleanUp().finally(() => process.exit(code))
    })
  }
}
