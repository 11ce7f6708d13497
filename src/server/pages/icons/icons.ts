/**
 * Icons of the applications in the operator's directory. The node fetches and serves them itself, so that browsers
 * contact no other host, which would reveal who signs in where.
 */
import { errorMessage } from '../../../store/model/errorMessage.js'
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

interface CachedIcon {
  image: Image | undefined
  /** Time of the next fetch, in seconds. */
  until: number
}

const CACHE_SECONDS = 3600
const FAILED_SECONDS = 60
const MAX_CACHED_BYTES = 8 * 1024 * 1024
const MAX_CACHED = 1000
const MAX_CONCURRENT = 4

/** Creates the cache of icons. Tests replace `get`. */
export function createIcons({ clock, log }: Pick<Context, 'clock' | 'log'>, get: typeof imageAt = imageAt): Icons {
  const cache = new Map<string, CachedIcon>()
  const pending = new Map<string, Promise<Image | undefined>>()
  const limited = limitConcurrency(MAX_CONCURRENT)
  let bytes = 0

  const sizeOf = (address: string, { image }: CachedIcon): number => address.length + (image?.bytes.length ?? 0)

  function remove(address: string): void {
    const entry = cache.get(address)
    if (entry === undefined) return
    bytes -= sizeOf(address, entry)
    cache.delete(address)
  }

  function add(address: string, image: Image | undefined): void {
    remove(address)
    const entry = { image, until: clock.now() + (image === undefined ? FAILED_SECONDS : CACHE_SECONDS) }
    bytes += sizeOf(address, entry)
    cache.set(address, entry)
    for (const oldest of cache.keys()) {
      if (bytes <= MAX_CACHED_BYTES && cache.size <= MAX_CACHED) break
      remove(oldest)
    }
  }

  function cached(address: string): CachedIcon | undefined {
    const entry = cache.get(address)
    return entry === undefined || entry.until <= clock.now() ? undefined : entry
  }

  async function fetchIcon(id: string, address: string): Promise<Image | undefined> {
    let image: Image | undefined
    try {
      image = await limited(() => get(address))
    } catch (error) {
      const why = errorMessage(error)
      log.warn('failed to fetch the icon of an application', { app: id, error: why })
    }
    add(address, image)
    return image
  }

  return {
    async of({ id, iconURL }) {
      if (iconURL === undefined || iconURL === '') return undefined
      const entry = cached(iconURL)
      if (entry !== undefined) return entry.image
      let getting = pending.get(iconURL)
      if (getting === undefined) {
        getting = fetchIcon(id, iconURL).finally(() => pending.delete(iconURL))
        pending.set(iconURL, getting)
      }
      return getting
    },
    mayHave({ iconURL }) {
      if (iconURL === undefined || iconURL === '') return false
      const entry = cached(iconURL)
      return entry === undefined || entry.image !== undefined
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
