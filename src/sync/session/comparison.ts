/**
 * Compares the digests of both sides. An idle side, with nothing to send, receive or request, sends its digest. Equal
 * digests mean "in sync" once neither side waits for file bytes. While files are in transfer both are "syncing"; both are
 * "behind" when one waits for files that neither has. Different digests of two idle sides start reconciliations, which find
 * the items in which both differ and send the local ones as a whole; if these do not help, the state is "behind".
 *
 * In a one-way share, changes of the receiving side stay local, so a difference may remain. The leader of reconciliations
 * accepts that difference and notifies the peer. The peer accepts none by itself, since it cannot know whether the leader is
 * about to compare again.
 */
import { maySend, type Scope } from '../../store/replication/peers.js'
import { ReconciliationDamaged } from '../digest/reconcile.js'
import { itemKey, type ItemRef } from '../wire/entry.js'
import type { Digest } from '../wire/itemSet.js'
import type { StateMessage } from '../wire/message.js'
import { damaged } from '../wire/protocolError.js'
import { sameDigest } from './hello.js'
import { createItemReader } from './itemReader.js'
import type { MessageStream } from './messageStream.js'
import type { Reconciling as Steps, Replica } from './replica.js'
import type { Sender } from './sender.js'
import type { StatusKeeper } from './status.js'
import { createAdvertiser } from './withdrawals.js'

/** Idle time in milliseconds before a side sends its digest; combines events in quick succession. */
const IDLE_MS = 20
/** Maximum number of reconciliations in a row. A change during one may be missed and is found by the next. */
const MAX_TRIES = 3
/** Milliseconds until the next attempt after reconciliations left a difference. */
const RETRY_MS = 60_000

interface ComparisonOptions {
  replica: Replica
  link: MessageStream
  status: StatusKeeper
  /** Seconds. */
  now(): number
  /** True when there is nothing to send, receive or request. */
  isQuiet(): boolean
  /** Feed position, and the numbers of groups sent (`given`), groups received (`taken`), pending files and missing files. */
  progress(): { position: number; given: number; taken: number; pending: number; missing: number }
  /** Resumes reading of the feed. */
  resumeFeed(): void
  /** True for the side that starts reconciliations. */
  leads: boolean
  reconcile(): void
  onFault(error: unknown): void
}

interface Comparison {
  /** Schedules a comparison after a change of activity or state. */
  schedule(): void
  /** Handles greetings with equal digests and no pending requests. */
  equal(): void
  receive(message: StateMessage): void
  reconciled(): void
  /** Answers a question of the peer with the current digest. */
  answer(question: number): void
  /** Resolves with the result of the comparison once the peer has answered a question. */
  settled(question: number): Promise<'in-sync' | 'behind'>
  stop(): void
}

export function createComparison(options: ComparisonOptions): Comparison {
  const { replica, link, status, now, isQuiet, progress, resumeFeed, leads, reconcile, onFault } = options
  let timer: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined
  let lastSent: StateMessage | undefined
  let theirs: StateMessage | undefined
  /** On the leader of a one-way share: digests with a difference that no reconciliation can remove. */
  let accepted: { ours: Digest; theirs: Digest } | undefined
  let tries = 0
  let openQuestion = 0
  let answeredTo = 0
  let isAgain = false
  let isStopped = false
  let waiters: { question: number; resolve(result: 'in-sync' | 'behind'): void }[] = []
  const isOneWay = replica.scope.is === 'share' && replica.scope.direction !== 'both'

  function settle(result: 'in-sync' | 'behind'): void {
    if (status.status.state !== result) status.set({ state: result })
    const ready = waiters.filter(({ question }) => question <= answeredTo)
    waiters = waiters.filter(({ question }) => question > answeredTo)
    for (const { resolve } of ready) resolve(result)
  }

  const isAccepted = (mine: Digest, other: Digest): boolean =>
    accepted !== undefined && sameDigest(accepted.ours, mine) && sameDigest(accepted.theirs, other)

  function isSame(mine: Digest, { digest, accepts }: StateMessage): boolean {
    if (sameDigest(mine, digest)) return true
    if (leads) return isAccepted(mine, digest)
    return isOneWay && accepts !== undefined && sameDigest(accepts, mine)
  }

  async function sendDigest(): Promise<void> {
    if (isStopped || !isQuiet()) return
    const { state, sequence } = await replica.set.digest()
    if (isStopped || !isQuiet()) return
    const { position, taken, pending, missing } = progress()
    // Entries were written since the feed was drained.
    if (sequence > position) return resumeFeed()
    const digest = { state }
    const place = await replica.feed.positionOf(position)
    const accepts = theirs !== undefined && isAccepted(digest, theirs.digest) ? { accepts: theirs.digest } : {}
    const message: StateMessage = { type: 'state', position: place, digest, groups: taken, pending, missing, answers: openQuestion, ...accepts }
    if (lastSent === undefined || openQuestion > 0 || !isRepeated(lastSent, message)) {
      openQuestion = 0
      lastSent = message
      await link.send(message)
    }
    if (isQuiet()) evaluate(digest)
  }

  function evaluate(digest: Digest): void {
    if (theirs === undefined) return
    const { given, pending, missing } = progress()
    if (isSame(digest, theirs)) {
      tries = 0
      if (pending > 0 || theirs.pending > 0) {
        if (status.status.state !== 'syncing') status.set({ state: 'syncing' })
        return
      }
      if (missing > 0 || theirs.missing > 0) {
        status.set({ behind: 0 })
        return settle('behind')
      }
      status.set({ inSyncAt: now(), behind: 0 })
      return settle('in-sync')
    }
    // The peer sent its digest before it had received all groups.
    if (theirs.groups !== given) return
    if (!isOneWay && tries >= MAX_TRIES) {
      retry ??= setTimeout(tryAgain, RETRY_MS).unref()
      return settle('behind')
    }
    if (!leads) return
    if (!isOneWay || tries === 0) return reconcile()
    accepted = { ours: digest, theirs: theirs.digest }
    schedule()
    evaluate(digest)
  }

  function tryAgain(): void {
    retry = undefined
    tries = 0
    schedule()
  }

  /**
   * Schedules a comparison. Each digest is sent before the next one is computed, so a peer that asks without reading cannot
   * fill memory.
   */
  function schedule(): void {
    isAgain = true
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => {
      isAgain = false
      sendDigest()
        .catch(onFault)
        .finally(() => {
          timer = undefined
          if (isAgain) schedule()
        })
    }, IDLE_MS)
  }

  return {
    schedule,
    equal() {
      status.set({ inSyncAt: now() })
      settle('in-sync')
    },
    receive(message) {
      theirs = message
      status.set({ filesPendingThere: message.pending, filesMissingThere: message.missing })
      answeredTo = Math.max(answeredTo, message.answers)
      schedule()
    },
    reconciled() {
      tries += 1
      schedule()
    },
    answer(question) {
      openQuestion = question
      schedule()
    },
    settled: (question) =>
      isStopped ? Promise.resolve('behind') : new Promise((resolve) => waiters.push({ question, resolve })),
    stop() {
      isStopped = true
      clearTimeout(timer)
      clearTimeout(retry)
      for (const { resolve } of waiters) resolve('behind')
      waiters = []
    },
  }
}

/** Checks whether a state message has the same content as the previous one. */
const isRepeated = (before: StateMessage, message: StateMessage): boolean =>
  sameDigest(before.digest, message.digest) &&
  before.pending === message.pending &&
  before.missing === message.missing &&
  before.groups === message.groups &&
  sameAccepted(before.accepts, message.accepts)

const sameAccepted = (a: Digest | undefined, b: Digest | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameDigest(a, b)

/** Maximum number of waiting messages of the peer. */
const MAX_WAITING = 64
/** Number of feed entries examined at a time. */
const READ_AT_ONCE = 500

interface Reconciliation {
  /**
   * Starts; `leads` for the side that sends first. With `upTo`, sending the items also completes the feed up to that
   * sequence.
   */
  begin(leads: boolean, upTo?: number): void
  receive(body: Uint8Array): void
  /** Handles the end of the peer's items, once all are on disk. */
  peerDone(): void
  readonly isRunning: boolean
}

interface ReconciliationOptions {
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

  async function sendItems(): Promise<void> {
    isFound = true
    const upTo = feedTo
    // Without this the feed would send only the last change of such a stream, followed by its contents.
    if (upTo !== undefined) differing.push(...(await streamsSince(replica, upTo)))
    const items = inOrder(differing)
    differing = []
    const picker = onlyAdvertises(replica.scope) ? createAdvertiser(replica, items.map(({ item }) => item)) : createItemReader(replica, items)
    const given = sender.sendItems(picker, { reconciled: true, ...(upTo === undefined ? {} : { upTo }) })
    onFound()
    await given
    isOurs = true
    end()
  }

  async function step(body: Uint8Array): Promise<void> {
    if (steps === undefined || isFound) return
    const { replies, differing: more, done } = await steps.receive(body).catch((error: unknown) => {
      throw error instanceof ReconciliationDamaged ? damaged(`a step of a comparison that ${error.message}`) : error
    })
    for (const item of more) differing.push(item)
    for (const reply of replies) await link.send({ type: 'reconcile', body: reply })
    if (done && !isFound) sendItems().catch(onFault)
  }

  return {
    begin(leads, upTo) {
      const begun = replica.reconciler()
      steps = begun
      feedTo = upTo
      if (!leads) return
      last = last.then(async () => link.send({ type: 'reconcile', body: await begun.start() })).catch(onFault)
    },
    receive(body) {
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
    peerDone() {
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
const onlyAdvertises = (scope: Scope): boolean => !maySend(scope) && scope.is === 'share' && scope.grantor === 'them'

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
