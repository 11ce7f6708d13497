/**
 * Icons of the applications in the operator's directory. The node fetches and serves them itself, so that browsers
 * contact no other host, which would reveal who signs in where.
 */
import type { App } from '../../api/register/appDirectory.js'
import type { Context } from '../../call/context.js'
import { limitConcurrency } from '../../base/concurrency.js'
import { imageAt, type Image } from './image.js'

interface Icons {
  /** Returns the icon of an application; undefined when it has none or it cannot be fetched. */
  of(app: App): Promise<Image | undefined>
  /** Checks without waiting whether an icon may exist; true for one that was never fetched. */
  mayHave(app: App): boolean
}

interface Stored {
  image: Image | undefined
  /** Time of the next fetch, in seconds. */
  until: number
}

const CACHE_SECONDS = 3600
const FAILED_SECONDS = 60
const MAX_CACHED_BYTES = 8 * 1024 * 1024
const MAX_CACHED = 1000
const MAX_AT_A_TIME = 4

/** Creates the cache of icons. Tests replace `get`. */
export function createIcons({ clock, log }: Pick<Context, 'clock' | 'log'>, get: typeof imageAt = imageAt): Icons {
  const stored = new Map<string, Stored>()
  const underWay = new Map<string, Promise<Image | undefined>>()
  const inTurn = limitConcurrency(MAX_AT_A_TIME)
  let bytes = 0

  const sizeOf = (address: string, { image }: Stored): number => address.length + (image?.bytes.length ?? 0)

  function forget(address: string): void {
    const one = stored.get(address)
    if (one === undefined) return
    bytes -= sizeOf(address, one)
    stored.delete(address)
  }

  function keep(address: string, image: Image | undefined): void {
    forget(address)
    const one = { image, until: clock.now() + (image === undefined ? FAILED_SECONDS : CACHE_SECONDS) }
    bytes += sizeOf(address, one)
    stored.set(address, one)
    for (const oldest of stored.keys()) {
      if (bytes <= MAX_CACHED_BYTES && stored.size <= MAX_CACHED) break
      forget(oldest)
    }
  }

  function fresh(address: string): Stored | undefined {
    const one = stored.get(address)
    return one === undefined || one.until <= clock.now() ? undefined : one
  }

  async function gotten(id: string, address: string): Promise<Image | undefined> {
    let image: Image | undefined
    try {
      image = await inTurn(() => get(address))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      log.warn('failed to fetch the icon of an application', { app: id, error: why })
    }
    keep(address, image)
    return image
  }

  return {
    async of({ id, iconURL }) {
      if (iconURL === undefined || iconURL === '') return undefined
      const one = fresh(iconURL)
      if (one !== undefined) return one.image
      let getting = underWay.get(iconURL)
      if (getting === undefined) {
        getting = gotten(id, iconURL).finally(() => underWay.delete(iconURL))
        underWay.set(iconURL, getting)
      }
      return getting
    },
    mayHave({ iconURL }) {
      if (iconURL === undefined || iconURL === '') return false
      const one = fresh(iconURL)
      return one === undefined || one.image !== undefined
    },
  }
}

const iconsByNode = new WeakMap<Context, Icons>()

/** Returns the icon cache of a node; it lives as long as the process. */
export function iconsOf(node: Context): Icons {
  let icons = iconsByNode.get(node)
  if (icons === undefined) {
    icons = createIcons(node)
    iconsByNode.set(node, icons)
  }
  return icons
}
