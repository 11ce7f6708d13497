/**
 * Sends answers to requests, differing items and the feed. All of it is sent as groups, at most MAX_UNACKNOWLEDGED of them
 * outstanding, so that a slow peer uses no memory here.
 */
import { itemKey, type ItemRef, type WithdrawalEntry } from '../wire/entry.js'
import { damaged } from '../wire/protocolError.js'
import type { AsideItem } from '../wire/limits.js'
import type { Acknowledgement, Group, ItemRequest } from '../wire/message.js'
import { MAX_ENTRIES } from './batchBuilder.js'
import { createGroupFitter } from './groupFitter.js'
import { createFeedReader, type FeedReader, type FeedTail } from './feedReader.js'
import type { Replica } from './replica.js'
import { createPendingWithdrawals } from './withdrawals.js'
import type { MessageStream } from './messageStream.js'
import { createItemReader, type ItemReader } from './itemReader.js'
import { createShareKeeper } from './shareKeeper.js'
import type { StatusKeeper } from './status.js'
import { createCausalOrder, type BuiltGroup } from './causalOrder.js'

/** Maximum number of unacknowledged groups. */
export const MAX_UNACKNOWLEDGED = 8
/** Maximum number of waiting requests of the peer. */
const MAX_REQUESTS = 2

interface SenderOptions {
  replica: Replica
  link: MessageStream
  tail: FeedTail
  status: StatusKeeper
  /** Called when nothing is left to send and all groups are acknowledged. */
  onIdle(): void
  /** Called when sending fails. */
  onFault(error: unknown): void
}

export interface Sender {
  /** Starts the feed after a sequence; entries up to `wholeUpTo` are sent whatever their origin. */
  feed(from: number, wholeUpTo: number): void
  /** Sends items, followed by the end marker and the position `upTo` that they complete. */
  sendItems(items: ItemReader, last: { upTo?: number; reconciled: boolean }): Promise<void>
  /** Withdraws items that are no longer shared. */
  withdraw(entries: readonly WithdrawalEntry[]): void
  request(items: readonly ItemRequest[]): void
  /**
   * Updates the share documents of items of which the peer sent known changes, and sends those that change. Such changes can
   * replace values in a document, and leave no feed entry after which it would be updated.
   */
  answerKnown(items: readonly ItemRef[]): void
  acknowledge(message: Acknowledgement): void
  /** Checks for something to send, after a commit or a change of scope. */
  wake(): void
  /** True when all of the feed is sent and acknowledged, and no request is waiting. */
  readonly isIdle: boolean
  /** Sequence up to which the feed was read. */
  readonly position: number
  /** Number of groups sent. */
  readonly groups: number
  stop(): void
}

const FEED_FIRST = ['feed', 'items', 'requests'] as const
const REQUESTS_FIRST = ['requests', 'items', 'feed'] as const

interface ItemsJob {
  items: ItemReader
  last: { upTo?: number; reconciled: boolean }
  done: () => void
}

export function createSender({ replica, link, tail, status, onIdle, onFault }: SenderOptions): Sender {
  const requests: ItemRequest[][] = []
  let answering: { picker: ItemReader; lacking: ItemRef[] } | undefined
  const jobs: ItemsJob[] = []
  /** Pending withdrawals by item key. */
  const withdrawals = new Map<string, WithdrawalEntry>()
  /** Items with a share document of which the peer sent known changes, by item key. */
  const known = new Map<string, ItemRef>()
  let isAnsweringKnown = false
  let reader: FeedReader | undefined
  const share = createShareKeeper(replica)
  const streams = createCausalOrder({ replica, share, position: (by) => (by === 'requests' && isBefore() ? 0 : (reader?.position ?? 0)) })
  const fitting = createGroupFitter()
  /** Groups that resulted from splitting a larger one. */
  const parts: Group[] = []
  /** Items put aside and sent again, by name, with the numbers of their groups. */
  const retried = new Map<string, { item: ItemRef; group: number }>()
  /** A group that waits while streams are sent before it. */
  let waitingGroup: BuiltGroup | undefined
  let sent = 0
  let acknowledged = 0
  let given = 0
  let refused = 0
  const leaving = createPendingWithdrawals()
  /** Number of pending writes about items that the peer removed, refused or accepted. */
  let forgetting = 0
  let isStopped = false
  let isRunning = false
  let isAgain = false
  let feedTurn = false
  let isIdle = false
  /** Timer that delays recent entries, to combine them. */
  let resting: NodeJS.Timeout | undefined

  const group = (more: Partial<Group>): Group => ({
    type: 'group',
    entries: [],
    offers: [],
    lacking: [],
    aside: [],
    answers: false,
    reconciled: false,
    left: (reader?.unread ?? 0) + jobs.reduce((sum, { items }) => sum + items.left, 0),
    ...more,
  })

  /** Checks whether the feed waits for items that the peer needs first, such as streams. */
  const isBefore = (): boolean => jobs.some(({ last }) => last.upTo !== undefined)

  async function answer(): Promise<Group | undefined> {
    if (answering === undefined) {
      const request = requests[0]
      if (request === undefined) return undefined
      const lacking: ItemRef[] = []
      answering = { picker: createItemReader(replica, request, (item) => lacking.push(item)), lacking }
    }
    const { picker, lacking } = answering
    const some = await picker.next()
    // Series were only offered: they are recorded together with the points that the peer requests.
    await share.noteEntries(some.entries)
    if (!picker.isDone) return group(some)
    answering = undefined
    requests.shift()
    return group({ ...some, lacking, answers: true })
  }

  async function items(): Promise<Group | undefined> {
    if (withdrawals.size > 0) {
      const some = [...withdrawals].slice(0, MAX_ENTRIES)
      for (const [name] of some) withdrawals.delete(name)
      return group({ entries: some.map(([, entry]) => entry) })
    }
    for (let [job] = jobs; job !== undefined; [job] = jobs) {
      const some = await job.items.next()
      await share.noteEntries(some.entries)
      const { isDone } = job.items
      const { upTo, reconciled } = job.last
      if (isDone) {
        jobs.shift()
        job.done()
        const place = upTo === undefined ? undefined : await replica.feed.positionOf(upTo)
        if (reconciled || place !== undefined) return group({ ...some, reconciled, ...(place && { position: place }) })
      }
      if (some.entries.length > 0 || some.offers.length > 0) return group(some)
    }
    return undefined
  }

  async function feed(): Promise<Group | undefined> {
    if (reader === undefined || isBefore()) return undefined
    for (;;) {
      const rest = reader.delay()
      if (rest > 0) {
        resting ??= setTimeout(() => {
          resting = undefined
          wake()
        }, rest)
        return undefined
      }
      const some = await reader.next()
      if (some === undefined) return undefined
      if (some.entries.length === 0 && some.offers.length === 0) continue
      return group({ ...some, position: await replica.feed.positionOf(reader.position) })
    }
  }

  async function buildGroup(): Promise<BuiltGroup | undefined> {
    // Alternating keeps a long list of requests from delaying new entries.
    feedTurn = !feedTurn
    for (const by of feedTurn ? FEED_FIRST : REQUESTS_FIRST) {
      const found = await { feed, items, requests: answer }[by]()
      if (found !== undefined) return { group: found, by }
    }
    return undefined
  }

  async function next(): Promise<Group | undefined> {
    if (parts.length > 0) return parts.shift()
    const found = await nextWhole()
    if (found === undefined) return undefined
    const { groups, aside } = fitting.fit(found)
    if (aside.length > 0) await replica.aside.note(aside)
    parts.push(...groups)
    return parts.shift()
  }

  async function nextWhole(): Promise<Group | undefined> {
    waitingGroup ??= await buildGroup()
    if (waitingGroup === undefined) return undefined
    const first = await streams.before(waitingGroup)
    if (first.length > 0) return group({ entries: first })
    const found = waitingGroup.group
    waitingGroup = undefined
    return found
  }

  async function run(): Promise<void> {
    while (!isStopped && sent - acknowledged < MAX_UNACKNOWLEDGED) {
      isAgain = false
      const found = await next()
      if (isStopped) return
      if (found === undefined) {
        if (isAgain) continue
        checkIdle()
        return
      }
      isIdle = false
      sent += 1
      given += found.entries.length
      leaving.sent(found.entries, sent)
      for (const { kind, id } of found.entries) {
        if (replica.aside.has({ kind, id })) retried.set(itemKey({ kind, id }), { item: { kind, id }, group: sent })
      }
      status.set({ state: 'syncing', sent: given, ahead: found.left })
      await link.send(found)
    }
  }

  function checkIdle(): void {
    if (resting !== undefined || sent !== acknowledged || forgetting > 0) return
    if (parts.length > 0 || requests.length > 0 || jobs.length > 0 || reader === undefined) return
    if (!isIdle) status.set({ ahead: 0 })
    isIdle = true
    onIdle()
  }

  async function forget(items: readonly ItemRef[]): Promise<void> {
    forgetting += 1
    try {
      const back = await share.forget(items)
      if (back.length > 0) queueItems(createItemReader(replica, share.withStreams(back)))
    } finally {
      forgetting -= 1
    }
    wake()
  }

  /** Records the items that the other side refused, and removes those it accepted. */
  async function noteRefusals(refusals: readonly AsideItem[]): Promise<void> {
    const isRefused = new Set(refusals.map(({ item }) => itemKey(item)))
    const taken: ItemRef[] = []
    for (const [name, { item, group: number }] of retried) {
      if (number > acknowledged) continue
      retried.delete(name)
      if (!isRefused.has(name)) taken.push(item)
    }
    if (refusals.length === 0 && taken.length === 0) return
    forgetting += 1
    try {
      if (taken.length > 0) await replica.aside.forget(taken)
      if (refusals.length > 0) await replica.aside.note(refusals)
    } finally {
      forgetting -= 1
    }
    wake()
  }

  /** Yields the items of `known` whose share documents had to be updated. */
  async function* answersToKnown(): AsyncGenerator<ItemRequest[]> {
    for (const [name, item] of known) {
      known.delete(name)
      if (await share.updateDocument(item)) yield [{ item }]
    }
    isAnsweringKnown = false
  }

  /** Queues items to send beside the feed. */
  function queueItems(more: ItemReader): void {
    jobs.push({ items: more, last: { reconciled: false }, done: () => {} })
    // The turn of such items may be over in this round.
    isAgain = true
  }

  function wake(): void {
    isAgain = true
    if (isRunning || isStopped) return
    isRunning = true
    run()
      .catch(onFault)
      .finally(() => {
        isRunning = false
        if (isAgain && !isStopped && sent - acknowledged < MAX_UNACKNOWLEDGED) wake()
      })
  }

  return {
    feed(from, wholeUpTo) {
      reader = createFeedReader({ replica, tail, share, from, wholeUpTo, queueItems })
      wake()
    },
    sendItems: (picker, last) =>
      new Promise<void>((resolve) => {
        jobs.push({ items: picker, last, done: resolve })
        wake()
      }),
    withdraw(entries) {
      for (const entry of entries) withdrawals.set(itemKey(entry), entry)
      wake()
    },
    request(items) {
      if (requests.length >= MAX_REQUESTS) throw damaged('too many requests at once')
      requests.push([...items])
      isIdle = false
      wake()
    },
    answerKnown(items) {
      for (const { kind, id } of items) {
        const item = { kind, id }
        if (replica.share?.includes(item) === true && replica.share.isApart(item)) known.set(itemKey(item), item)
      }
      if (known.size === 0) return
      isIdle = false
      if (!isAnsweringKnown) queueItems(createItemReader(replica, answersToKnown()))
      isAnsweringKnown = true
      wake()
    },
    acknowledge(message) {
      if (message.groups > sent || message.groups < acknowledged) throw damaged('an acknowledgement of a group that was not sent')
      acknowledged = message.groups
      const left = leaving.acknowledged(acknowledged)
      if (left.length > 0) forget(left).catch(onFault)
      if (message.refusals.length > 0 || retried.size > 0) noteRefusals(message.refusals).catch(onFault)
      if (message.refused !== refused) {
        refused = message.refused
        status.set({ refusedByPeer: refused })
      }
      wake()
    },
    wake() {
      isIdle = false
      wake()
    },
    get isIdle() {
      return isIdle
    },
    get position() {
      return reader?.position ?? 0
    },
    get groups() {
      return sent
    },
    stop() {
      isStopped = true
      clearTimeout(resting)
      for (const { done } of jobs) done()
    },
  }
}
