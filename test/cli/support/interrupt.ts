/** Sends Ctrl-C to commands that run in this process. */

/** Sends Ctrl-C as soon as a command handles it. */
export function interruptAtOnce(): void {
  const onListener = (name: string | symbol): void => {
    if (name !== 'SIGINT') return
    process.off('newListener', onListener)
    queueMicrotask(() => process.emit('SIGINT'))
  }
  process.on('newListener', onListener)
}

/** Resolves once a command handles Ctrl-C, beyond `before` listeners. */
export async function handlesInterrupt(before: number): Promise<void> {
  while (process.listenerCount('SIGINT') <= before) await new Promise((resolve) => setTimeout(resolve, 5))
}
