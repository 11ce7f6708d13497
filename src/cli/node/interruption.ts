/** Ctrl-C, for commands that go on until then. */

/** Resolves at the first Ctrl-C, which then no longer ends the process. */
export function interruption(): Promise<'interrupted'> {
  return new Promise((give) => {
    process.once('SIGINT', () => give('interrupted'))
  })
}
