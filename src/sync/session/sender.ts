/**
 * What this side gives: answers to requests, items that were found to differ, its feed. All of it goes as groups, at most
 * MOST_UNACKNOWLEDGED of them under way, so that a slow other side needs no memory here.
 */
import type { ItemRef, WithdrawalEntry } from '../items/entry.js'
import { damaged } from '../wire/protocolError.js'
import type { AsideItem } from '../wire/limits.js'
import type { Acknowledgement, Group, Wanted } from '../wire/message.js'
import { MAX_ENTRIES } from './batchBuilder.js'
import { createGroupFitter } from './groupFitter.js'
import { createFeedReader, type FeedReader } from './feedReader.js'
import type { Replica } from './replica.js'
import { itemKey } from '../items/itemKey.js'
import { createPendingWithdrawals } from './pendingWithdrawals.js'
import type { MessageStream } from './messageStream.js'
import { createItemReader, type ItemReader } from './itemReader.js'
import { createShareKeeper } from './shareKeeper.js'
import type { StatusKeeper } from './status.js'
import { createCausalOrder, type BuiltGroup } from './causalOrder.js'
import type { FeedTail } from './feedTail.js'

/** Groups on their way that were not acknowledged. */
export const MAX_UNACKNOWLEDGED = 8
/** Requests of the other side that wait. */
const MAX_REQUESTS = 2

export interface SenderOptions {
  replica: Replica
  link: MessageStream
  tail: FeedTail
  status: StatusKeeper
  /** Called when there is nothing to give and nothing under way. */
  onIdle(): void
  /** Called when giving cannot go on. */
  onFault(error: unknown): void
}

export interface Sender {
  /** Begins the feed behind a sequence; entries up to `wholeUpTo` go whatever their origin. */
  feed(from: number, wholeUpTo: number): void
  /** Gives items, and then tells that they are given, and that the feed is up to `upTo` with them. */
  giveItems(items: ItemReader, last: { upTo?: number; reconciled: boolean }): Promise<void>
  /** Takes back items that are not shared any more. */
  withdraw(entries: readonly WithdrawalEntry[]): void
  request(items: readonly Wanted[]): void
  acknowledge(message: Acknowledgement): void
  /** Looks for something to give: a commit was made, the scope may have changed. */
  wake(): void
  /** Whether all of the feed was given and acknowledged, and nothing is asked for. */
  readonly isIdle: boolean
  /** Where the feed was read to. */
  readonly position: number
  /** Number of groups given. */
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
  const requests: Wanted[][] = []
  let answering: { picker: ItemReader; lacking: ItemRef[] } | undefined
  const jobs: ItemsJob[] = []
  /** By the names of their items. */
  const withdrawals = new Map<string, WithdrawalEntry>()
  let reader: FeedReader | undefined
  const share = createShareKeeper(replica)
  const streams = createCausalOrder({ replica, share, position: (by) => (by === 'requests' && isBefore() ? 0 : (reader?.position ?? 0)) })
  const fitting = createGroupFitter()
  /** Groups that resulted from splitting a larger one. */
  const parts: Group[] = []
  /** Items put aside and sent again, by name, with the numbers of their groups. */
  const retried = new Map<string, { item: ItemRef; group: number }>()
  /** What waits while streams go before it. */
  let held: BuiltGroup | undefined
  let sent = 0
  let acknowledged = 0
  let given = 0
  let refused = 0
  const leaving = createPendingWithdrawals()
  /** Pending records of the items that the other side gave up, refused or accepted later. */
  let forgetting = 0
  let isStopped = false
  let isRunning = false
  let isAgain = false
  let feedTurn = false
  let isIdle = false
  /** Until what was written lately is given. */
  let resting: NodeJS.Timeout | undefined

  const group = (more: Partial<Group>): Group => ({
    type: 'group',
    entries: [],
    offers: [],
    lacking: [],
    aside: [],
    answers: false,
    reconciled: false,
    left: (reader?.left ?? 0) + jobs.reduce((sum, { items }) => sum + items.left, 0),
    ...more,
  })

  /** Whether the feed waits for items that the other side needs before it, streams among them. */
  const isBefore = (): boolean => jobs.some(({ last }) => last.upTo !== undefined)

  async function answer(): Promise<Group | undefined> {
    if (answering === undefined) {
      const input = requests[0]
      if (input === undefined) return undefined
      const lacking: ItemRef[] = []
      answering = { picker: createItemReader(replica, input, (item) => lacking.push(item)), lacking }
    }
    const { picker, lacking } = answering
    const some = await picker.next()
    // Series were offered only: they are noted with the points that the other side asks for.
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
        const place = upTo === undefined ? undefined : await replica.feed.placeOf(upTo)
        if (reconciled || place !== undefined) return group({ ...some, reconciled, ...(place && { position: place }) })
      }
      if (some.entries.length > 0 || some.offers.length > 0) return group(some)
    }
    return undefined
  }

  async function feed(): Promise<Group | undefined> {
    if (reader === undefined || isBefore()) return undefined
    for (;;) {
      const rest = reader.rest()
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
      return group({ ...some, position: await replica.feed.placeOf(reader.position) })
    }
  }

  async function gather(): Promise<BuiltGroup | undefined> {
    // Turns keep a long list of requests from holding up what is written meanwhile.
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
    held ??= await gather()
    if (held === undefined) return undefined
    const first = await streams.before(held)
    if (first.length > 0) return group({ entries: first })
    const found = held.group
    held = undefined
    return found
  }

  async function run(): Promise<void> {
    while (!isStopped && sent - acknowledged < MAX_UNACKNOWLEDGED) {
      isAgain = false
      const found = await next()
      if (isStopped) return
      if (found === undefined) {
        if (isAgain) continue
        settle()
        return
      }
      isIdle = false
      sent += 1
      given += found.entries.length
      leaving.given(found.entries, sent)
      for (const { kind, id } of found.entries) {
        if (replica.aside.has({ kind, id })) retried.set(itemKey({ kind, id }), { item: { kind, id }, group: sent })
      }
      status.set({ state: 'syncing', sent: given, ahead: found.left })
      await link.send(found)
    }
  }

  function settle(): void {
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
      if (back.length > 0) giveLater(createItemReader(replica, share.withStreams(back)))
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

  /** Gives items beside the feed. */
  function giveLater(more: ItemReader): void {
    jobs.push({ items: more, last: { reconciled: false }, done: () => {} })
    // The turn of such items may have passed in this round.
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
      reader = createFeedReader({ replica, tail, share, from, wholeUpTo, giveLater })
      wake()
    },
    giveItems: (picker, last) =>
      new Promise<void>((resolve) => {
        jobs.push({ items: picker, last, done: resolve })
        wake()
      }),
    withdraw(entries) {
      for (const entry of entries) withdrawals.set(itemKey(entry), entry)
      wake()
    },
    request(items) {
      if (requests.length >= MAX_REQUESTS) throw damaged('more requests than may wait')
      requests.push([...items])
      isIdle = false
      wake()
    },
    acknowledge(message) {
      if (message.groups > sent || message.groups < acknowledged) throw damaged('an acknowledgement of what was not sent')
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
