/**
 * Compares the digests of both sides. An idle side, with nothing to send, receive or request, sends its digest. Equal
 * digests mean "in sync" once neither side waits for file bytes. While files are in transfer both are "syncing"; both are
 * "behind" when one waits for files that neither has. Different digests of two idle sides start reconciliations; if these do
 * not help, the state is "behind". In a one-way share, changes of the receiving side stay local, so a difference may remain.
 * The leader of reconciliations accepts that difference and notifies the peer. The peer accepts none by itself, since it
 * cannot know whether the leader is about to compare again.
 */
import type { StateMessage } from '../wire/message.js'
import type { Digest } from '../wire/itemSet.js'
import { sameDigest } from './hello.js'
import type { Replica } from './replica.js'
import type { MessageStream } from './messageStream.js'
import type { StatusKeeper } from './status.js'

/** Idle time in milliseconds before a side sends its digest; combines events in quick succession. */
const QUIET = 20
/** Maximum number of reconciliations in a row. A change during one may be missed and is found by the next. */
const MAX_TRIES = 3
/** Milliseconds until the next attempt after reconciliations left a difference. */
const PAUSE = 60_000

export interface ComparisonOptions {
  replica: Replica
  link: MessageStream
  status: StatusKeeper
  /** Seconds. */
  now(): number
  /** True when there is nothing to send, receive or request. */
  isQuiet(): boolean
  /** Feed position, and numbers of groups sent, groups received, and pending and missing files. */
  at(): { position: number; given: number; taken: number; pending: number; missing: number }
  /** Resumes reading of the feed. */
  more(): void
  /** True for the side that starts reconciliations. */
  leads: boolean
  reconcile(): void
  onFault(error: unknown): void
}

export interface Comparison {
  /** Schedules a comparison after a change of activity or state. */
  look(): void
  /** Handles greetings with equal digests and no pending requests. */
  equal(): void
  take(message: StateMessage): void
  reconciled(): void
  /** Answers a question of the peer with the current digest. */
  answer(question: number): void
  /** Resolves with the result of the comparison once the peer has answered a question. */
  settled(question: number): Promise<'in-sync' | 'behind'>
  stop(): void
}

export function createComparison(options: ComparisonOptions): Comparison {
  const { replica, link, status, now, isQuiet, at, more, leads, reconcile, onFault } = options
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

  async function notify(): Promise<void> {
    if (isStopped || !isQuiet()) return
    const { state, sequence } = await replica.set.digest()
    if (isStopped || !isQuiet()) return
    const { position, taken, pending, missing } = at()
    // Entries were written since the feed was drained.
    if (sequence > position) return more()
    const digest = { state }
    const place = await replica.feed.placeOf(position)
    const accepts = theirs !== undefined && isAccepted(digest, theirs.digest) ? { accepts: theirs.digest } : {}
    const message: StateMessage = { type: 'state', position: place, digest, groups: taken, pending, missing, answers: openQuestion, ...accepts }
    if (lastSent === undefined || openQuestion > 0 || !isRepeated(lastSent, message)) {
      openQuestion = 0
      lastSent = message
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
    // The peer sent its digest before it had received all groups.
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

  /**
   * Schedules a comparison. Each digest is sent before the next one is computed, so a peer that asks without reading cannot
   * fill memory.
   */
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
      openQuestion = question
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

/** Checks whether a state message has the same content as the previous one. */
const isRepeated = (before: StateMessage, message: StateMessage): boolean =>
  sameDigest(before.digest, message.digest) &&
  before.pending === message.pending &&
  before.missing === message.missing &&
  before.groups === message.groups &&
  sameAccepted(before.accepts, message.accepts)

const sameAccepted = (a: Digest | undefined, b: Digest | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameDigest(a, b)
