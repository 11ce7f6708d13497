/** Asks the peer for what it has and this side lacks: one request at a time, which the next follows once it is on disk. */
import type { ItemRef } from '../entry.js'
import type { Wanted } from '../exchange/message.js'
import type { Holdings } from './holdings.js'
import type { Link } from './link.js'

/** Items that one request asks for. */
const MOST_ASKED = 200

export interface Fetching {
  /** Looks for owed items. */
  wake(): void
  /** The items of the request that is not answered. */
  asked(): readonly ItemRef[] | undefined
  /** The request was answered, and all of it is on disk. */
  answered(): void
  /** Whether nothing is owed. */
  readonly isIdle: boolean
  stop(): void
}

export interface FetchingOptions {
  holdings: Holdings
  link: Link
  onIdle(): void
  onFault(error: unknown): void
}

export function createFetching({ holdings, link, onIdle, onFault }: FetchingOptions): Fetching {
  let asked: readonly ItemRef[] | undefined
  let isLooking = false
  let isAgain = false
  let isIdle = false
  let isStopped = false

  async function look(): Promise<void> {
    do {
      isAgain = false
      const owed = await holdings.owed(MOST_ASKED)
      if (isStopped) return
      if (owed.length === 0) continue
      const items: Wanted[] = []
      for (const item of owed) {
        items.push(item.kind === 'series' ? { item, reaches: await holdings.reaches(item.id) } : { item })
      }
      asked = owed
      await link.send({ type: 'request', items })
      return
    } while (isAgain)
    isIdle = true
    onIdle()
  }

  function wake(): void {
    isIdle = false
    isAgain = true
    if (asked !== undefined || isLooking || isStopped) return
    isLooking = true
    look()
      .catch(onFault)
      .finally(() => {
        isLooking = false
        if (isAgain && asked === undefined) wake()
      })
  }

  return {
    wake,
    asked: () => asked,
    answered() {
      asked = undefined
      wake()
    },
    get isIdle() {
      return isIdle
    },
    stop() {
      isStopped = true
    },
  }
}
