/** Sends Ctrl-C to commands that run in this process. */

/**
 * Resolves once a command handles Ctrl-C for the nth time from now on. A command that opens a closed store handles it first while
 * it opens the store.
 */
export function interruptHandled(nth = 2): Promise<void> {
  return new Promise((resolve) => {
    let count = 0
    const onListener = (name: string | symbol): void => {
      if (name !== 'SIGINT') return
      count += 1
      if (count < nth) return
      process.off('newListener', onListener)
      // The listener is added after this event.
      queueMicrotask(resolve)
    }
    process.on('newListener', onListener)
  })
}

/** Sends Ctrl-C as soon as a command handles it for the nth time. */
export function interruptAtOnce(nth = 2): void {
  void interruptHandled(nth).then(() => process.emit('SIGINT'))
}
