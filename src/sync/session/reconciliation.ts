/** Finds out with the peer in which items the two sides differ, and gives those that this side has, whole. */
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

/** Messages of the other side that wait. */
const MAX_WAITING = 64
/** Entries of the feed that are looked through at once. */
const READ_AT_ONCE = 500

export interface Reconciliation {
  /** Begins; `leads` for the side that speaks first. With `upTo`, the feed is up to there once the items are given. */
  begin(leads: boolean, upTo?: number): void
  take(body: Uint8Array): void
  /** The other side has given all that differs, and it is on disk. */
  given(): void
  readonly isRunning: boolean
}

export interface ReconciliationOptions {
  replica: Replica
  link: MessageStream
  sender: Sender
  /** Called when this side knows what differs, and all of it waits to be given. */
  onFound(): void
  /** Called when both sides have given all that differs. */
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
    // The feed would give the last change of such a stream alone, and what lies in it next.
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
      if (steps === undefined) throw damaged('a step of a comparison that is not under way')
      if (waiting >= MAX_WAITING) throw damaged('more steps of a comparison than may wait')
      waiting += 1
      last = last
        .then(() => step(body))
        .catch(onFault)
        .then(() => {
          waiting -= 1
        })
    },
    given() {
      if (steps === undefined) throw damaged('the end of a comparison that is not under way')
      isTheirs = true
      end()
    },
    get isRunning() {
      return steps !== undefined
    },
  }
}

/** Whether what this side has is only shown to the side that decides what is shared. */
const isShown = (scope: Scope): boolean => !maySend(scope) && scope.is === 'share' && scope.grantor === 'them'

/**
 * Streams that were changed since the feed was at a sequence: the other side may have answered that it lacks what they
 * were before, by which they are not known any more.
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

/** Streams first: an event that comes before its stream would seem to have lost it. Series after their holders. */
function inOrder(items: readonly ItemRef[]): { item: ItemRef }[] {
  const turn = ({ kind }: ItemRef): number => (kind === 'stream' ? 0 : kind === 'series' ? 2 : 1)
  const once = new Map(items.map((item) => [itemKey(item), item]))
  return [...once.values()].sort((a, b) => turn(a) - turn(b)).map((item) => ({ item }))
}
