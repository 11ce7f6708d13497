/** Requests items that this side lacks from the peer: one request at a time, the next once the answer is on disk. */
import type { ItemRef } from '../items/entry.js'
import type { ItemRequest } from '../wire/message.js'
import type { Replica } from './replica.js'
import type { MessageStream } from './messageStream.js'

/** Maximum number of items of one request. */
const MAX_ASKED = 200

export interface ItemFetcher {
  /** Looks for pending items to request. */
  wake(): void
  /** Returns the items of the outstanding request. */
  asked(): readonly ItemRef[] | undefined
  /** Handles the answer of a request, once all of it is on disk. */
  answered(): void
  /** True when no item is pending. */
  readonly isIdle: boolean
  stop(): void
}

export interface ItemFetcherOptions {
  replica: Replica
  link: MessageStream
  onIdle(): void
  onFault(error: unknown): void
}

export function createItemFetcher({ replica, link, onIdle, onFault }: ItemFetcherOptions): ItemFetcher {
  let requested: readonly ItemRef[] | undefined
  let isLooking = false
  let isAgain = false
  let isIdle = false
  let isStopped = false

  async function look(): Promise<void> {
    do {
      isAgain = false
      const pendingFetch = await replica.pendingFetch(MAX_ASKED)
      if (isStopped) return
      if (pendingFetch.length === 0) continue
      const items: ItemRequest[] = []
      for (const item of pendingFetch) {
        items.push(item.kind === 'series' ? { item, reaches: await replica.reaches(item.id) } : { item })
      }
      requested = pendingFetch
      await link.send({ type: 'request', items })
      return
    } while (isAgain)
    isIdle = true
    onIdle()
  }

  function wake(): void {
    isIdle = false
    isAgain = true
    if (requested !== undefined || isLooking || isStopped) return
    isLooking = true
    look()
      .catch(onFault)
      .finally(() => {
        isLooking = false
        if (isAgain && requested === undefined) wake()
      })
  }

  return {
    wake,
    asked: () => requested,
    answered() {
      requested = undefined
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
