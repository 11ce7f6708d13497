/** Periodic removal of unreferenced attached files. */
import type { Context } from '../call/context.js'

const HOUR_SECONDS = 3600
const FIRST_MS = 10_000

/**
 * Sweeps the attached files some time after the start, so that short commands do not, and then hourly. Returns a stop function.
 */
export function sweepFiles(node: Context): () => void {
  const sweep = (): void => {
    const { blobs, isBroken } = node.store
    if (isBroken) return
    const now = node.clock.now()
    const maxAge = node.config.get('eventFiles.previewsCacheMaxAge') / 1000
    // One hour, so that a restored store can still request recent files.
    Promise.all([blobs.sweep(now, HOUR_SECONDS), blobs.prune(now - maxAge)]).catch((error: unknown) => {
      node.log.error('failed to remove unreferenced files', { error: String(error) })
    })
  }
  const first = setTimeout(sweep, FIRST_MS)
  const hourly = setInterval(sweep, HOUR_SECONDS * 1000)
  first.unref()
  hourly.unref()
  return () => {
    clearTimeout(first)
    clearInterval(hourly)
  }
}
