/** Finds the items in which both sides differ, and sends the local ones as a whole. */
import type { ItemRef } from '../items/entry.js'
import { damaged } from '../wire/protocolError.js'
import type { Sender } from './sender.js'
import type { Replica, Reconciling as Steps } from './replica.js'
import { itemKey } from '../items/itemKey.js'
import type { MessageStream } from './messageStream.js'
import { createItemReader } from './itemReader.js'
import { maySend, type Scope } from '../peers/peer.js'
import { createAdvertiser } from './advertise.js'
import { ReconciliationDamaged } from '../digest/reconcileBytes.js'

/** Maximum number of waiting messages of the peer. */
const MAX_WAITING = 64
/** Number of feed entries examined at a time. */
const READ_AT_ONCE = 500

export interface Reconciliation {
  /**
   * Starts; `leads` for the side that sends first. With `upTo`, sending the items also completes the feed up to that
   * sequence.
   */
  begin(leads: boolean, upTo?: number): void
  take(body: Uint8Array): void
  /** Handles the end of the peer's items, once all are on disk. */
  given(): void
  readonly isRunning: boolean
}

export interface ReconciliationOptions {
  replica: Replica
  link: MessageStream
  sender: Sender
  /** Called when the differing items are known and queued for sending. */
  onFound(): void
  /** Called when both sides have sent all differing items. */
  onDone(): void
  onFault(error: unknown): void
}

export function createReconciliation({ replica, link, sender, onFound, onDone, onFault }: ReconciliationOptions): Reconciliation {
  let steps: Steps | undefined
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  let differing: ItemRef[] = []
  let feedTo: number | undefined
  let isFound = false
  let isOurs = false
  let isTheirs = false

  function end(): void {
    if (!isOurs || !isTheirs) return
    steps = undefined
    isFound = isOurs = isTheirs = false
    onDone()
  }

  async function give(): Promise<void> {
    isFound = true
    const upTo = feedTo
    // The feed would send only the last change of such a stream, followed by its contents.
    if (upTo !== undefined) differing.push(...(await streamsSince(replica, upTo)))
    const items = inOrder(differing)
    differing = []
    const picker = isShown(replica.scope) ? createAdvertiser(replica, items.map(({ item }) => item)) : createItemReader(replica, items)
    const given = sender.giveItems(picker, { reconciled: true, ...(upTo === undefined ? {} : { upTo }) })
    onFound()
    await given
    isOurs = true
    end()
  }

  async function step(body: Uint8Array): Promise<void> {
    if (steps === undefined || isFound) return
    const { replies, differing: more, done } = await steps.take(body).catch((error: unknown) => {
      throw error instanceof ReconciliationDamaged ? damaged(`a step of a comparison that ${error.message}`) : error
    })
    for (const item of more) differing.push(item)
    for (const reply of replies) await link.send({ type: 'reconcile', body: reply })
    if (done && !isFound) give().catch(onFault)
  }

  return {
    begin(leads, upTo) {
      const begun = replica.reconciler()
      steps = begun
      feedTo = upTo
      if (!leads) return
      last = last.then(async () => link.send({ type: 'reconcile', body: await begun.start() })).catch(onFault)
    },
    take(body) {
      if (steps === undefined) throw damaged('a step of a comparison that is not running')
      if (waiting >= MAX_WAITING) throw damaged('too many steps of a comparison at once')
      waiting += 1
      last = last
        .then(() => step(body))
        .catch(onFault)
        .then(() => {
          waiting -= 1
        })
    },
    given() {
      if (steps === undefined) throw damaged('the end of a comparison that is not running')
      isTheirs = true
      end()
    },
    get isRunning() {
      return steps !== undefined
    },
  }
}

/** Checks whether this side only advertises its items to the grantor of the share. */
const isShown = (scope: Scope): boolean => !maySend(scope) && scope.is === 'share' && scope.grantor === 'them'

/**
 * Returns the streams changed since a feed position. The peer may have reported their former versions as missing, under
 * digests that no longer exist here.
 */
async function streamsSince({ feed }: Replica, sequence: number): Promise<ItemRef[]> {
  const streams: ItemRef[] = []
  for (let at = sequence; ; ) {
    const { entries, upTo } = await feed.read(at, READ_AT_ONCE)
    for (const { kind, id } of entries) if (kind === 'stream') streams.push({ kind, id })
    if (upTo <= at) return streams
    at = upTo
  }
}

/**
 * Sorts streams first, since events that arrive before their streams would be treated as orphaned, and series after their
 * events.
 */
function inOrder(items: readonly ItemRef[]): { item: ItemRef }[] {
  const turn = ({ kind }: ItemRef): number => (kind === 'stream' ? 0 : kind === 'series' ? 2 : 1)
  const once = new Map(items.map((item) => [itemKey(item), item]))
  return [...once.values()].sort((a, b) => turn(a) - turn(b)).map((item) => ({ item }))
}
