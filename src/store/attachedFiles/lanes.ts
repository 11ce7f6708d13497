/** Working on many files, a few at a time: as many as the threads of the file system's calls keep busy. */

const LANES = 8

/** Does `work` with each, at most eight at a time; rejects with the first failure once those that were begun are over. */
export async function inLanes<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  let failed: { error: unknown } | undefined
  async function lane(): Promise<void> {
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
  await Promise.all(Array.from({ length: Math.min(LANES, items.length) }, lane))
  if (failed !== undefined) throw failed.error
  return results
}
