/** Values that a page does not wait for: the first count of a large account reads all its events. */

/** Time in milliseconds that a page waits by default. */
const WAIT_MS = 60

/**
 * Returns a value if it is ready soon, else undefined; the page then shows a note with `data-later`, which requests the page again
 * (consoleScript.ts). The work goes on, and the next request waits longer (`waitMs` of the visit).
 * @throws what the promise throws in that time
 */
export async function soon<T>(value: Promise<T>, { waitMs = WAIT_MS }: { waitMs?: number } = {}): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, waitMs, undefined)
  })
  // Without a handler, a failure after the wait would end the process; the next request meets it again.
  value.catch(() => undefined)
  try {
    return await Promise.race([value, late])
  } finally {
    clearTimeout(timer)
  }
}
