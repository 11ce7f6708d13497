/** Removing what nobody needs from the files beside the store, now and then. */
import type { Node } from '../node.js'

const HOUR_SECONDS = 3600
const FIRST_MS = 10_000

/**
 * Sweeps the attached files a while after the start, so that a command that opens a store for a moment does not, and
 * each hour. Answers how to stop.
 */
export function sweepFiles(node: Node): () => void {
  const tidy = (): void => {
    const { blobs, isBroken } = node.store
    if (isBroken) return
    const now = node.clock.now()
    const stored = node.config.get('eventFiles.previewsCacheMaxAge') / 1000
    // An hour, so that nothing is lost that a restored store may still ask for at once.
    Promise.all([blobs.sweep(now, HOUR_SECONDS), blobs.prune(now - stored)]).catch((error: unknown) => {
      node.log.error('unneeded files could not be removed', { error: String(error) })
    })
  }
  const first = setTimeout(tidy, FIRST_MS)
  const hourly = setInterval(tidy, HOUR_SECONDS * 1000)
  first.unref()
  hourly.unref()
  return () => {
    clearTimeout(first)
    clearInterval(hourly)
  }
}
