/**
 * Receives groups one after another. Each is committed together with its position and pending requests, and acknowledged
 * once on disk.
 */
import type { ItemRef, Outcome } from '../items/entry.js'
import { damaged } from '../wire/protocolError.js'
import { idObjection, isLimit, type AsideItem } from '../wire/limits.js'
import type { Group, Offer } from '../wire/message.js'
import { MAX_UNACKNOWLEDGED } from './sender.js'
import { mayReceive } from '../peers/peer.js'
import type { Replica, Notes } from './replica.js'
import type { MessageStream } from './messageStream.js'
import type { StatusKeeper } from './status.js'
import type { Position } from '../wire/itemSet.js'

export interface ReceiverOptions {
  replica: Replica
  link: MessageStream
  status: StatusKeeper
  /** Returns the items of the oldest outstanding request; undefined when there is none. */
  answered(): readonly ItemRef[] | undefined
  /** Called after each group with the outcomes of its entries. */
  onTaken(group: Group, outcomes: readonly Outcome[], hasPendingFetches: boolean): void
  onFault(error: unknown): void
}

export interface Receiver {
  take(group: Group): void
  /** Records the position in the peer's feed, once all earlier groups are committed. */
  note(position: Position): void
  readonly isIdle: boolean
  /** Number of groups received. */
  readonly groups: number
  stop(): void
}

export function createReceiver(options: ReceiverOptions): Receiver {
  const { replica, link, status, answered, onTaken, onFault } = options
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

  async function takeGroup(group: Group): Promise<void> {
    const notes: Notes = { completing: !group.answers }
    if (group.aside.length > 0) notes.aside = group.aside
    if (group.position !== undefined) notes.position = group.position
    if (mayReceive(replica.scope) && group.offers.length > 0) Object.assign(notes, await evaluateOffers(replica, group.offers))
    if (group.answers) {
      const settled = answered()
      if (settled === undefined) throw damaged('an answer without a request')
      notes.settled = settled
    }
    const outcomes = await replica.take(group.entries, notes)
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
    onTaken(group, outcomes, hasPendingFetches)
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
    notifyDue().catch(onFault)
  }

  async function notifyDue(): Promise<void> {
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
      if ('type' in next) await takeGroup(next)
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
    take(group) {
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
async function evaluateOffers(replica: Replica, offers: readonly Offer[]): Promise<Required<Pick<Notes, 'pendingFetch' | 'held'>>> {
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
  return { pendingFetch, held }
}

/** Compares a local item with an offer. A local item with more content is sent by this side's own feed. */
async function compareWithOffer(replica: Replica, { item, state, reaches }: Offer): Promise<'less' | 'same' | 'more'> {
  if (reaches === undefined) {
    const isSame = state !== undefined && item.kind === 'event' && Buffer.compare(replica.stateOf(item.id), state) === 0
    return isSame ? 'same' : 'less'
  }
  const mine = await replica.reaches(item.id)
  if ([...reaches].some(([actor, time]) => (mine.get(actor) ?? 0) < time)) return 'less'
  return [...mine].every(([actor, time]) => reaches.get(actor) === time) ? 'same' : 'more'
}
