/**
 * Receives groups one after another. Each is committed together with its position and pending requests, and acknowledged
 * once on disk. `createItemFetcher` requests items that this side lacks: one request at a time, the next once the answer is
 * on disk.
 */
import { mayReceive } from '../../store/replication/peers.js'
import type { ItemRef, Outcome } from '../wire/entry.js'
import type { Position } from '../wire/itemSet.js'
import { idObjection, isLimit, type AsideItem } from '../wire/limits.js'
import type { Group, Offer, ItemRequest } from '../wire/message.js'
import { damaged } from '../wire/protocolError.js'
import type { MessageStream } from './messageStream.js'
import type { Notes, Replica } from './replica.js'
import { MAX_UNACKNOWLEDGED } from './sender.js'
import type { StatusKeeper } from './status.js'

interface ReceiverOptions {
  replica: Replica
  link: MessageStream
  status: StatusKeeper
  /** Returns the items of the oldest outstanding request; undefined when there is none. */
  requested(): readonly ItemRef[] | undefined
  /** Called after each group with the outcomes of its entries. */
  onReceived(group: Group, outcomes: readonly Outcome[], hasPendingFetches: boolean): void
  onFault(error: unknown): void
}

interface Receiver {
  receive(group: Group): void
  /** Records the position in the peer's feed, once all earlier groups are committed. */
  note(position: Position): void
  readonly isIdle: boolean
  /** Number of groups received. */
  readonly groups: number
  stop(): void
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const { replica, link, status, requested, onReceived, onFault } = options
  const waiting: (Group | Position)[] = []
  let groups = 0
  let refused = 0
  let received = 0
  /** Contents of the next acknowledgement. */
  let refusals: AsideItem[] = []
  let isRunning = false
  let isAcknowledging = false
  let isDue = false
  let isStopped = false

  async function mergeGroup(group: Group): Promise<void> {
    const notes: Notes = { completing: !group.answers }
    if (group.aside.length > 0) notes.aside = group.aside
    if (group.position !== undefined) notes.position = group.position
    if (mayReceive(replica.scope) && group.offers.length > 0) Object.assign(notes, await evaluateOffers(replica, group.offers))
    if (group.answers) {
      const settled = requested()
      if (settled === undefined) throw damaged('an answer without a request')
      notes.settled = settled
    }
    const outcomes = await replica.merge(group.entries, notes)
    groups += 1
    received += outcomes.filter(({ is }) => is === 'applied').length
    refused += outcomes.filter(({ is }) => is === 'refused').length
    for (const [i, outcome] of outcomes.entries()) {
      const entry = group.entries[i]
      if (entry === undefined || outcome.is !== 'refused' || !isLimit(outcome.reason) || idObjection(entry) !== undefined) continue
      const { kind, id } = entry
      refusals.push({ item: { kind, id }, reason: outcome.reason, message: outcome.message })
    }
    status.set({ state: 'syncing', received, refused, behind: group.left })
    const hasPendingFetches = (notes.pendingFetch?.length ?? 0) > 0 || (notes.completing && outcomes.some(({ is }) => is === 'incomplete'))
    onReceived(group, outcomes, hasPendingFetches)
    if (!isStopped) acknowledge()
  }

  /**
   * Sends acknowledgements one at a time: each covers all groups before it, so a peer that does not read them cannot fill
   * memory.
   */
  function acknowledge(): void {
    isDue = true
    if (isAcknowledging) return
    isAcknowledging = true
    sendAcknowledgement().catch(onFault)
  }

  async function sendAcknowledgement(): Promise<void> {
    try {
      while (isDue && !isStopped) {
        isDue = false
        const named = refusals
        refusals = []
        await link.send({ type: 'acknowledgement', groups, refused, refusals: named })
      }
    } finally {
      // Set in the same tick as the last check of `isDue`, so that a later call sends the next acknowledgement.
      isAcknowledging = false
    }
  }

  async function run(): Promise<void> {
    for (let next = waiting[0]; next !== undefined && !isStopped; next = waiting[0]) {
      if ('type' in next) await mergeGroup(next)
      else replica.note(next)
      waiting.shift()
    }
  }

  function start(): void {
    if (isRunning || isStopped) return
    isRunning = true
    run()
      .catch((error: unknown) => {
        isStopped = true
        onFault(error)
      })
      .finally(() => {
        isRunning = false
        if (waiting.length > 0) start()
      })
  }

  return {
    receive(group) {
      if (waiting.length >= MAX_UNACKNOWLEDGED) throw damaged('too many groups at once')
      waiting.push(group)
      start()
    },
    note(position) {
      // The last of several in a row covers the others.
      const last = waiting.at(-1)
      if (last !== undefined && !('type' in last) && waiting.length > 1) waiting.pop()
      waiting.push(position)
      start()
    },
    get isIdle() {
      return waiting.length === 0
    },
    get groups() {
      return groups
    },
    stop() {
      isStopped = true
    },
  }
}

/**
 * Compares offers with local items. Returns the items to request, and those that are equal but not yet recorded as shared,
 * because they came from another node first.
 */
async function evaluateOffers(replica: Replica, offers: readonly Offer[]): Promise<Required<Pick<Notes, 'pendingFetch' | 'equalItems'>>> {
  const pendingFetch: ItemRef[] = []
  const held: ItemRef[] = []
  const { share } = replica
  for (const offer of offers) {
    const { item } = offer
    // A request would reveal that the item exists.
    if (share?.excludes(item) === true) continue
    const here = await compareWithOffer(replica, offer)
    if (here === 'less') pendingFetch.push(item)
    else if (here === 'same' && share?.includes(item) === true && !share.isNoted(item)) held.push(item)
  }
  return { pendingFetch, equalItems: held }
}

/** Compares a local item with an offer. A local item with more content is sent by this side's own feed. */
async function compareWithOffer(replica: Replica, { item, state, versionVector }: Offer): Promise<'less' | 'same' | 'more'> {
  if (versionVector === undefined) {
    const isSame = state !== undefined && item.kind === 'event' && Buffer.compare(replica.stateOf(item.id), state) === 0
    return isSame ? 'same' : 'less'
  }
  const mine = await replica.versionVector(item.id)
  if ([...versionVector].some(([actor, time]) => (mine.get(actor) ?? 0) < time)) return 'less'
  return [...mine].every(([actor, time]) => versionVector.get(actor) === time) ? 'same' : 'more'
}

/** Maximum number of items of one request. */
const MAX_REQUESTED = 200

interface ItemFetcher {
  /** Looks for pending items to request. */
  wake(): void
  /** Returns the items of the outstanding request. */
  requested(): readonly ItemRef[] | undefined
  /** Handles the answer of a request, once all of it is on disk. */
  requestDone(): void
  /** True when no item is pending. */
  readonly isIdle: boolean
  stop(): void
}

interface ItemFetcherOptions {
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

  async function requestNext(): Promise<void> {
    do {
      isAgain = false
      const pendingFetch = await replica.pendingFetch(MAX_REQUESTED)
      if (isStopped) return
      if (pendingFetch.length === 0) continue
      const items: ItemRequest[] = []
      for (const item of pendingFetch) {
        items.push(item.kind === 'series' ? { item, versionVector: await replica.versionVector(item.id) } : { item })
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
    requestNext()
      .catch(onFault)
      .finally(() => {
        isLooking = false
        if (isAgain && requested === undefined) wake()
      })
  }

  return {
    wake,
    requested: () => requested,
    requestDone() {
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
