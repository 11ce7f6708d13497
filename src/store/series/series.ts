/**
 * The points of series, kept as immutable segments per holder event (specification, "HF series"). A write adds a segment
 * beside the others; merging.ts puts them together in the background. Of points with one deltaTime the one written last
 * counts, by the stamps that points keep; so it does not matter which segments were merged when.
 */
import { hash, randomBytes } from 'node:crypto'
import type { Account, Transaction } from '../account.js'
import { accountKeys, nodeKeys } from '../keys.js'
import type { Points } from '../model/points.js'
import { inOrder } from './combine.js'
import { cut } from './cut.js'
import { headOf, headToText, type Head } from './head.js'
import { readingOf } from './reading.js'
import { encodeSegment, type Stamp } from './segment.js'

/** From so many points on, a write behind the end of a series is merged as it is. */
const LEAST_MERGED = 4096

/** Pages that are read before the first is asked for. */
const PAGES_AT_ONCE = 3

/** Sets apart what this process writes. */
const ACTOR = randomBytes(6).toString('base64url')

type Reader = { get(key: string): string | undefined }

/**
 * Stages points of the holder event `event`, with their journal entry; nothing when there are none. A point replaces the
 * one with its deltaTime, whole. `written` is the time in seconds. Points may come in any order; of several with one
 * deltaTime the last counts.
 * @throws RangeError when a deltaTime is not finite or the columns differ in length.
 */
export function writePoints(t: Transaction, event: string, points: Points, written: number): void {
  const ordered = inOrder(points)
  const { deltaTimes, columns } = ordered
  const length = deltaTimes.length
  if (length === 0) return
  const a = t.account
  const before = headOf(t, a, event)
  // A clock that was set back must not let earlier points win.
  const stamp = { time: Math.max(Math.round(written * 1e6), (before?.stamp ?? -Infinity) + 1), actor: ACTOR }
  const pieces = cut({ ...ordered, stamps: [stamp] })
  const encoded = pieces.map(encodeSegment)
  const sequence = t.journal('series', 'update', event, { change: entryOf(stamp, encoded) })
  const head: Head = before ?? { epoch: sequence, fresh: 0, points: 0, oldest: 1, next: 1, last: -Infinity, stamp: 0, fields: [] }
  const { epoch } = head
  const first = deltaTimes[0] as number
  const last = deltaTimes[length - 1] as number
  const isMerged = length >= LEAST_MERGED && first > head.last
  for (const [i, piece] of pieces.entries()) {
    const { length: count } = piece.deltaTimes
    const from = piece.deltaTimes[0] as number
    const to = piece.deltaTimes[count - 1] as number
    const key = isMerged
      ? accountKeys.points(a, event, epoch, from, to, count)
      : accountKeys.newPoints(a, event, epoch, head.next + i, from, to, count)
    t.put(key, encoded[i] as Uint8Array)
  }
  const after: Head = {
    ...head,
    fresh: head.fresh + (isMerged ? 0 : pieces.length),
    points: head.points + (isMerged ? 0 : length),
    next: head.next + (isMerged ? 0 : pieces.length),
    last: Math.max(head.last, last),
    stamp: stamp.time,
    fields: [...new Set([...head.fields, ...columns.keys()])],
  }
  t.put(accountKeys.series(a, event), headToText(after))
}

/** What a journal entry says of a write: nothing about its points. 8 bytes time, 32 bytes SHA-256, actor. */
function entryOf({ time, actor }: Stamp, segments: readonly Uint8Array[]): Uint8Array {
  const change = Buffer.alloc(40 + actor.length)
  change.writeDoubleLE(time, 0)
  change.set(hash('sha256', Buffer.concat(segments), 'buffer'), 8)
  change.write(actor, 40, 'latin1')
  return change
}

/**
 * The points of a window of the series of `event`, at one moment: ascending, each deltaTime once. `fields` are names that
 * occur in the series, without deltaTime, none when the window is empty. Columns that are missing in a page are null in
 * it. Larger answers hold a moment of the database until they are read to their end or left by `return`.
 * @throws SegmentDamaged, also while pages are read.
 */
export async function readPoints(
  account: Account,
  event: string,
  window: { from: number; to: number },
): Promise<{ fields: string[]; pages: AsyncIterable<Points> }> {
  const { db } = account
  const snapshot = db.snapshot()
  const head = headOf({ get: (key) => db.get(key, snapshot) }, account.prefix, event)
  const pages = head === undefined ? undefined : readingOf(account, event, head, window, snapshot)
  let isReleased = false
  const release = async (): Promise<void> => {
    if (isReleased) return
    isReleased = true
    await pages?.return(undefined)
    await snapshot.close()
  }
  const next = async (): Promise<Points | undefined> => {
    try {
      const page = await pages?.next()
      if (page?.done === false) return page.value
    } catch (error) {
      await release()
      throw error
    }
    await release()
    return undefined
  }
  // The first pages are read at once: small answers hold nothing afterwards, read or not.
  const begun: Points[] = []
  while (!isReleased && begun.length < PAGES_AT_ONCE) {
    const page = await next()
    if (page !== undefined) begun.push(page)
  }
  const iterator: AsyncIterableIterator<Points> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      const value = begun.shift() ?? (isReleased ? undefined : await next())
      return value === undefined ? { done: true, value } : { done: false, value }
    },
    async return() {
      begun.length = 0
      await release()
      return { done: true, value: undefined }
    },
  }
  return { fields: head === undefined || begun.length === 0 ? [] : head.fields, pages: iterator }
}

/** The largest deltaTime that is stored for a holder; undefined without points. */
export const lastDelta = (reader: Reader, account: string, event: string): number | undefined =>
  headOf(reader, account, event)?.last

/**
 * Stages the removal of all points of a holder. They are gone for readers at once; the keeper erases them afterwards,
 * and after a crash.
 */
export function removePoints(t: Transaction, event: string): void {
  const head = headOf(t, t.account, event)
  if (head === undefined) return
  t.delete(accountKeys.series(t.account, event))
  t.put(nodeKeys.erasingSeries(t.account, event, head.epoch), '')
  t.journal('series', 'delete', event)
}
