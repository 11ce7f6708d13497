/**
 * Merges entries from other nodes in few transactions. Remote changes obey the rules of local ones: each entry is merged
 * completely, or refused with a reason. Merging is commutative and idempotent. `createMerger` makes the `Merger` (context.ts) of
 * a node.
 *
 * Streams come first, since events are indexed under them. Removals of streams come last, with writes blocked, since the events
 * below them must be found. Each kind has its file: streams.ts, events.ts, accesses.ts, profiles.ts, series.ts. applyChanges.ts
 * validates and materialises documents, deletion.ts has the rules of deletions, scope.ts what a peer may write, and share/ the
 * documents of items that are shared in part.
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Account, Transaction } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { findEvent } from '../../store/events/events.js'
import { accountKeys, ORDERED_LENGTH, under } from '../../store/engine/keys.js'
import type { ChangesEntry, DeletionEntry, Entry, Outcome, WithdrawalEntry } from '../wire/entry.js'
import { refusal, type Merger, type MergerOptions, type MergeStep } from './context.js'
import { deleteEvent, mergeEvent, withdrawEvent } from './events.js'
import { mayReceive } from '../../store/replication/peers.js'
import { registerBytes } from '../wire/limits.js'
import { mergeProfile } from './profiles.js'
import { noteOutcome } from './refusals.js'
import { sharesEvent, isLeftBehind, outOfScope } from './scope.js'
import { readFrom } from './shared.js'
import { deleteStreams, mergeStreams, withdrawStreams } from './streams.js'
import { idObjectionOf, type Objection } from '../crdt/validate.js'

/** Maximum entries of a transaction, and the bytes after which it takes no further one; the event loop runs in between. */
const AT_ONCE = 64
const BYTES_AT_ONCE = 1024 * 1024

/** An entry with its index among the received ones. */
interface Placed<E extends Entry = Entry> {
  at: number
  entry: E
}

type Removal = DeletionEntry | WithdrawalEntry

const isRemoval = (placed: Placed): placed is Placed<Removal> =>
  placed.entry.kind === 'stream' && !('changes' in placed.entry)
const isStreamChange = (placed: Placed): placed is Placed<ChangesEntry> =>
  placed.entry.kind === 'stream' && 'changes' in placed.entry

/** Creates the merger of a node, used for all its accounts. */
export function createMerger(options: MergerOptions): Merger {
  return { merge: (account, entries, from, also) => mergeAll({ account, from, options }, entries, also) }
}

type Work = Omit<MergeStep, 't' | 'now'>
type Also = ((t: Transaction, outcomes: readonly Outcome[]) => void) | undefined

async function mergeAll(work: Work, entries: readonly Entry[], also: Also): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const placed = entries.map((entry, at) => ({ at, entry }))
  const { account, from } = work
  const isOpen = mayReceive(from.scope)
  const removals = isOpen ? placed.filter(isRemoval) : []
  const streams = isOpen ? placed.filter(isStreamChange) : []
  // Shared streams are checked together: a parent may arrive with its child.
  const groups = groupsOf(streams, from.scope.is === 'share' ? Infinity : AT_ONCE)
  const steps = [...streamSteps(groups), ...otherSteps(isOpen ? placed.filter(isOther) : placed)]
  const write = (run: (step: MergeStep) => void, isLast: boolean) => (t: Transaction) => {
    run({ ...work, t, now: work.options.now() })
    if (isLast) also?.(t, outcomes)
  }
  const writes: Promise<void>[] = []
  for (const [i, step] of steps.entries()) {
    if (i > 0) await yieldTurn()
    const isLast = removals.length === 0 && i === steps.length - 1
    writes.push(account.write(write((one) => step(one, outcomes), isLast)))
    writes.at(-1)?.catch(() => {})
  }
  if (removals.length > 0) await removeAll(work, removals, outcomes, write)
  else if (steps.length === 0 && also !== undefined) writes.push(account.write(write(() => {}, true)))
  await Promise.all(writes)
  return outcomes
}

const isOther = (placed: Placed): boolean => placed.entry.kind !== 'stream'

type Run = (step: MergeStep, outcomes: Outcome[]) => void

/** Returns the steps that merge changes of streams; no step has two entries of one stream. */
function streamSteps(groups: readonly Placed<ChangesEntry>[][]): Run[] {
  return groups.map((group) => (step, outcomes) => {
    const merged = mergeStreams(step, group.map(({ entry }) => entry))
    for (const [i, { at, entry }] of group.entries()) settle(step, entry, at, merged[i], outcomes)
  })
}

/** Splits a list into groups of at most `max`, none of which has two entries of one item. */
function groupsOf<E extends Entry>(placed: readonly Placed<E>[], max: number): Placed<E>[][] {
  const groups: Placed<E>[][] = []
  let group: Placed<E>[] = []
  let ids = new Set<string>()
  for (const one of placed) {
    if (ids.has(one.entry.id) || group.length >= max) {
      groups.push(group)
      group = []
      ids = new Set()
    }
    ids.add(one.entry.id)
    group.push(one)
  }
  if (group.length > 0) groups.push(group)
  return groups
}

function otherSteps(placed: readonly Placed[]): Run[] {
  const steps: Run[] = []
  for (let from = 0; from < placed.length; ) {
    const end = endOfStep(placed, from)
    const group = placed.slice(from, end)
    from = end
    steps.push((step, outcomes) => {
      for (const { at, entry } of group) settle(step, entry, at, mergeOne(step, entry), outcomes)
    })
  }
  return steps
}

function endOfStep(placed: readonly Placed[], from: number): number {
  let bytes = 0
  let end = from
  for (; end < placed.length && end - from < AT_ONCE && bytes < BYTES_AT_ONCE; end++) {
    const { entry } = placed[end] as Placed
    if ('changes' in entry) for (const { length } of entry.changes) bytes += length
    else if ('segments' in entry) for (const { length } of entry.segments) bytes += length
    else if ('registers' in entry) for (const register of entry.registers) bytes += registerBytes(register)
  }
  return end
}

function settle(step: MergeStep, entry: Entry, at: number, outcome: Outcome | undefined, outcomes: Outcome[]): void {
  if (outcome === undefined) throw new Error('An entry has no outcome.')
  outcomes[at] = outcome
  noteOutcome(step.t, entry, outcome, step.from, step.now)
}

function mergeOne(step: MergeStep, entry: Entry): Outcome {
  const { t, from, options } = step
  const { scope } = from
  if (!mayReceive(scope)) return refusal(outOfScope('Nothing is received from this peer.'))
  if (entry.kind === 'event' || entry.kind === 'series') {
    const objection = idObjectionOf('event', entry.id) ?? strayEventObjection(step, entry)
    if (objection !== undefined) return refusal(objection)
  }
  if (entry.kind === 'series') return options.mergeSeries(t, entry, from)
  if (entry.kind === 'access' || entry.kind === 'profile') {
    if (scope.is === 'share') return refusal(outOfScope('Only streams are shared with the peer.'))
    return entry.kind === 'access' ? options.mergeAccess(t, entry, from) : mergeProfile(step, entry)
  }
  if ('withdrawn' in entry) return withdrawEvent(step, entry.id)
  if ('deleted' in entry) return deleteEvent(step, entry)
  const { reading, stageDocument } = readFrom(step, entry)
  const outcome = 'outcome' in reading ? reading.outcome : mergeEvent(step, entry, reading.ready)
  stageDocument(outcome)
  return outcome
}

/**
 * Returns the objection to an entry of an event outside the share, or of its points. Entries without new content are refused too,
 * since known items count as shared. Missing events pass, and so do withdrawals to the grantor.
 */
function strayEventObjection(step: MergeStep, entry: Entry): Objection | undefined {
  const { account, t, from: { scope } } = step
  if ('withdrawn' in entry && scope.is === 'share' && scope.grantor === 'us') return undefined
  const streamIds = scope.is === 'share' ? findEvent(t, t.account, entry.id)?.streamIds : undefined
  const strays = scope.is === 'share' && streamIds !== undefined && !sharesEvent(account.tree, scope, streamIds)
  return strays && !isLeftBehind(step, entry, streamIds) ? outOfScope('The event is not shared with the peer.') : undefined
}

type Write = (run: (step: MergeStep) => void, isLast: boolean) => (t: Transaction) => void

/** Merges deletions and withdrawals of streams. */
async function removeAll(work: Work, removals: readonly Placed<Removal>[], outcomes: Outcome[], write: Write): Promise<void> {
  const { account } = work
  await account.exclusively(async (stage) => {
    const groups = groupsOf(removals, AT_ONCE)
    for (const [i, group] of groups.entries()) {
      const events = await eventsIn(account, group.map(({ entry }) => entry.id))
      await stage(write((step) => removeStreams(step, group, events, outcomes), i === groups.length - 1))
    }
  })
}

function removeStreams(step: MergeStep, group: readonly Placed<Removal>[], events: readonly string[], outcomes: Outcome[]): void {
  const deletions = group.filter((one): one is Placed<DeletionEntry> => 'deleted' in one.entry)
  const withdrawals = group.filter((one): one is Placed<WithdrawalEntry> => 'withdrawn' in one.entry)
  const deleted = deleteStreams(step, deletions.map(({ entry }) => entry), events)
  for (const [i, { at, entry }] of deletions.entries()) settle(step, entry, at, deleted[i], outcomes)
  const withdrawn = withdrawStreams(step, withdrawals.map(({ entry }) => entry.id), events)
  for (const [i, { at, entry }] of withdrawals.entries()) settle(step, entry, at, withdrawn[i], outcomes)
}

/** Returns the ids of the events in any of these streams, without duplicates. */
async function eventsIn({ db, prefix, tree }: Account, streams: readonly string[]): Promise<string[]> {
  const events = new Set<string>()
  for (const stream of streams) {
    if (!tree.has(stream)) continue
    const range = accountKeys.streamEvents(prefix, stream)
    for await (const key of each(db.keys(under(range)))) events.add(key.slice(range.length + ORDERED_LENGTH))
  }
  return [...events]
}
