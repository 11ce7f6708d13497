/** Values that a page does not wait for: the first count of a large account reads all its events. */

/** Time in milliseconds that a page waits. */
const MAX_WAIT_MS = 50

/**
 * Returns a value if it is ready soon, else undefined; the page then shows a note with `data-later`, which requests the page again
 * (consoleScript.ts). The work goes on, so the next request finds its result in memory.
 * @throws what the promise throws in that time
 */
export async function soon<T>(value: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, MAX_WAIT_MS, undefined)
  })
  // A failure after the wait is that of nobody: the next request meets it again.
  value.catch(() => undefined)
  try {
    return await Promise.race([value, late])
  } finally {
    clearTimeout(timer)
  }
}
