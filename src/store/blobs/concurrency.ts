/** Concurrent work on files, limited to the number of file-system threads. */

const LANES = 8

/** Runs `work` on each item, at most eight at a time; rejects with the first failure once running work has ended. */
export async function runConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  let failed: { error: unknown } | undefined
  async function slot(): Promise<void> {
    while (next < items.length && failed === undefined) {
      const at = next
      next += 1
      try {
        results[at] = await work(items[at] as T)
      } catch (error) {
        failed ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(LANES, items.length) }, slot))
  if (failed !== undefined) throw failed.error
  return results
}
