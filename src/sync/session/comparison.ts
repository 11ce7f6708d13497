/**
 * Whether both sides hold the same. A side that has nothing to give, to take and to ask for tells its state. Equal states
 * mean "in sync" once neither side waits for file bytes. While files are in transfer both are "syncing"; both are
 * "behind" when one waits for files that neither has. Different states of two quiet sides lead to reconciliations, and to "behind" if these do not help.
 * Of a share that goes one way, what the taking side changed itself stays with it: the side that begins reconciliations
 * accepts the difference that one of them left, and tells the other, which accepts nothing of its own: it could not know
 * whether the first is about to compare once more or takes the matter to be settled.
 */
import type { StateMessage } from '../wire/message.js'
import type { Digest } from '../wire/itemSet.js'
import { sameDigest } from './hello.js'
import type { Replica } from './replica.js'
import type { MessageStream } from './messageStream.js'
import type { StatusKeeper } from './status.js'

/** Milliseconds without anything to do, before a side tells its state: what comes in a row is told once. */
const QUIET = 20
/** Reconciliations in a row: what is written or given while one goes on may escape it, and is found by the next. */
const MAX_TRIES = 3
/** Milliseconds before two sides that reconciliations left different try again. */
const PAUSE = 60_000

export interface ComparisonOptions {
  replica: Replica
  link: MessageStream
  status: StatusKeeper
  /** Seconds. */
  now(): number
  /** Whether there is nothing to give, to take and to ask for. */
  isQuiet(): boolean
  /** Where the feed was read to, and how many groups were given and taken. */
  at(): { position: number; given: number; taken: number; pending: number; missing: number }
  /** Looks for more of the feed. */
  more(): void
  /** Whether this side begins reconciliations. */
  leads: boolean
  reconcile(): void
  onFault(error: unknown): void
}

export interface Comparison {
  /** Something went quiet, or changed. */
  look(): void
  /** Both sides greeted with the same state, and nothing to ask for. */
  equal(): void
  take(message: StateMessage): void
  reconciled(): void
  /** The other side asks. */
  answer(question: number): void
  /** Whether the state of the other side was told for a question, and what came of it: resolves when both are known. */
  settled(question: number): Promise<'in-sync' | 'behind'>
  stop(): void
}

export function createComparison(options: ComparisonOptions): Comparison {
  const { replica, link, status, now, isQuiet, at, more, leads, reconcile, onFault } = options
  let timer: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined
  let described: StateMessage | undefined
  let theirs: StateMessage | undefined
  /** Of the side that leads: states that differ by what the scope keeps from going one way, and are as near as they get. */
  let accepted: { ours: Digest; theirs: Digest } | undefined
  let tries = 0
  let input = 0
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

  async function notify(): Promise<void> {
    if (isStopped || !isQuiet()) return
    const { state, sequence } = await replica.set.digest()
    if (isStopped || !isQuiet()) return
    const { position, taken, pending, missing } = at()
    // Something was written since the feed was read to its end.
    if (sequence > position) return more()
    const digest = { state }
    const place = await replica.feed.placeOf(position)
    const accepts = theirs !== undefined && isAccepted(digest, theirs.digest) ? { accepts: theirs.digest } : {}
    const message: StateMessage = { type: 'state', position: place, digest, groups: taken, pending, missing, answers: input, ...accepts }
    if (described === undefined || input > 0 || !isRepeated(described, message)) {
      input = 0
      described = message
      await link.send(message)
    }
    if (isQuiet()) judge(digest)
  }

  function judge(digest: Digest): void {
    if (theirs === undefined) return
    const { given, pending, missing } = at()
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
    // The other side told its state before it had taken in everything.
    if (theirs.groups !== given) return
    if (!isOneWay && tries >= MAX_TRIES) {
      retry ??= setTimeout(tryAgain, PAUSE).unref()
      return settle('behind')
    }
    if (!leads) return
    if (!isOneWay || tries === 0) return reconcile()
    accepted = { ours: digest, theirs: theirs.digest }
    look()
    judge(digest)
  }

  function tryAgain(): void {
    retry = undefined
    tries = 0
    look()
  }

  /** A state is told before the next is: a peer that asks without reading fills nothing. */
  function look(): void {
    isAgain = true
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => {
      isAgain = false
      notify()
        .catch(onFault)
        .finally(() => {
          timer = undefined
          if (isAgain) look()
        })
    }, QUIET)
  }

  return {
    look,
    equal() {
      status.set({ inSyncAt: now() })
      settle('in-sync')
    },
    take(message) {
      theirs = message
      status.set({ filesPendingThere: message.pending, filesMissingThere: message.missing })
      answeredTo = Math.max(answeredTo, message.answers)
      look()
    },
    reconciled() {
      tries += 1
      look()
    },
    answer(question) {
      input = question
      look()
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

/** Whether a state tells nothing that the one before it did not. */
const isRepeated = (before: StateMessage, message: StateMessage): boolean =>
  sameDigest(before.digest, message.digest) &&
  before.pending === message.pending &&
  before.missing === message.missing &&
  before.groups === message.groups &&
  sameAccepted(before.accepts, message.accepts)

const sameAccepted = (a: Digest | undefined, b: Digest | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameDigest(a, b)
