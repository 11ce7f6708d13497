/**
 * Builds batches from feed entries. Local changes are sent as they are, several changes of one item together. Changes from
 * third nodes are offered, so that a peer that has them already does not receive them twice. Streams are always sent: an
 * event that arrives before its stream would be treated as orphaned.
 */
import { itemKey, type Entry, type ItemRef, type SeriesEntry } from '../wire/entry.js'
import type { Offer } from '../wire/message.js'
import type { FeedEntry } from '../wire/itemSet.js'
import type { Replica } from './replica.js'
import { isNodeLocal } from '../../store/model/digestElement.js'

/** Maximum number of entries of a batch, and the size at which it is sent. */
export const MAX_ENTRIES = 500
export const TARGET_BATCH_BYTES = 128 * 1024
/** Limits of the points sent inline with feed entries: bytes and segments. Larger writes are offered. */
const MAX_INLINE_BYTES = 4 * 1024 * 1024
const MAX_SEGMENTS = 4096
/** Maximum number of events remembered in `late`. */
const MAX_LATE = 100_000

/** Feed entries of one item within a batch. */
interface ItemEntries {
  item: ItemRef
  changes: Uint8Array[]
  /** The whole item is sent; of a profile set, the registers of its first entry in this group and later ones. */
  whole: boolean
  /** True for changes received from a third node. */
  foreign: boolean
  /** Sequences of its first and last entry. */
  first: number
  last: number
  /** Written points; undefined when one of the writes is not in memory. */
  points: SeriesEntry[] | undefined
}

interface BatchOptions {
  replica: Replica
  /** Entries up to this sequence are sent even if they came from the peer or from third nodes. */
  wholeUpTo: number
  /** Known points of the peer per process: `<event> <actor>` → timestamp up to which it has them. */
  knownVersions: Map<string, number>
  /** Events with entries skipped because later ones follow: each with the sequence before the first skipped entry. */
  late: Map<string, number>
  /**
   * Sequence up to which the peer has the feed. Set when several changes of a shared item are sent as their combined effect,
   * since some may have been made while it was outside the share.
   */
  combineSince?: number
}

export interface Batch {
  entries: Entry[]
  offers: Offer[]
}

const DOCUMENTS: ReadonlySet<string> = new Set(['event', 'stream'])

/** Returns the item of a feed entry; undefined for entries that are never replicated. */
export function itemOf({ kind, id }: FeedEntry): ItemRef | undefined {
  if (kind !== 'event' && kind !== 'stream' && kind !== 'profile' && kind !== 'access' && kind !== 'series') return undefined
  const item = { kind, id }
  return isNodeLocal(itemKey(item)) ? undefined : item
}

/** Checks by its origin whether an entry is sent to the peer. */
const isForPeer = ({ origin, sequence }: FeedEntry, { replica, wholeUpTo }: BatchOptions): boolean =>
  origin === undefined || origin !== replica.peer || sequence <= wholeUpTo

/**
 * Filters the entries of an item outside the share down to deletions. The item may have left the share, or be another stream
 * with the same id.
 */
export const sendableEntries = ({ share }: Replica, item: ItemRef, entries: Entry[]): Entry[] =>
  share === undefined || share.includes(item) ? entries : entries.filter((entry) => 'deleted' in entry)

/** Builds a batch from at most MAX_ENTRIES feed entries. */
export async function buildBatch(feed: readonly FeedEntry[], options: BatchOptions): Promise<Batch> {
  const items = new Map<string, ItemEntries>()
  /** Items with changes received from the peer. */
  const answered = new Map<string, ItemRef>()
  const { share } = options.replica
  for (const entry of feed) {
    const item = itemOf(entry)
    if (item !== undefined && isForPeer(entry, options)) add(items, item, entry, options)
    else if (item !== undefined && share !== undefined && entry.action !== 'delete') answered.set(itemKey(item), item)
  }
  const gathering: Batch = { entries: [], offers: [] }
  for (const gathered of items.values()) await addItemEntries(gathered, gathering, options)
  for (const [name, item] of answered) if (!items.has(name)) gathering.entries.push(...((await share?.answered(item)) ?? []))
  return gathering
}

function add(items: Map<string, ItemEntries>, item: ItemRef, entry: FeedEntry, { wholeUpTo }: BatchOptions): void {
  const name = itemKey(item)
  let gathered = items.get(name)
  if (gathered === undefined) {
    gathered = { item, changes: [], whole: false, foreign: false, first: entry.sequence, last: 0, points: [] }
    items.set(name, gathered)
  }
  gathered.last = entry.sequence
  const isForeign = entry.origin !== undefined && entry.sequence > wholeUpTo
  if (item.kind === 'series') {
    const points = isForeign ? undefined : entry.about?.points
    if (points === undefined) gathered.points = undefined
    else gathered.points?.push(asSeries(item.id, points))
  } else if (!DOCUMENTS.has(item.kind) || entry.action === 'delete') gathered.whole = true
  else if (isForeign && item.kind === 'event') gathered.foreign = true
  else if (entry.change.length > 0) gathered.changes.push(entry.change)
}

type Points = NonNullable<NonNullable<FeedEntry['about']>['points']>

const asSeries = (id: string, { actor, previous, time, segments }: Points): SeriesEntry => ({
  kind: 'series',
  id,
  actor,
  after: previous,
  upTo: time,
  segments,
})

async function addItemEntries(gathered: ItemEntries, to: Batch, options: BatchOptions): Promise<void> {
  const { item, changes, whole, foreign } = gathered
  const { replica } = options
  if (item.kind === 'series') return addSeries(gathered, to, options)
  if (whole) {
    // The peer has the registers of earlier entries, unless the set was put aside.
    const since = item.kind === 'profile' && !replica.aside.has(item) ? gathered.first : undefined
    to.entries.push(...sendableEntries(replica, item, await replica.read(item, undefined, since)))
    return
  }
  if (item.kind === 'event' && (await addWholeEvent(gathered, to, options))) return
  const since = changes.length > 1 ? options.combineSince : undefined
  const apart = foreign && !isApart(replica, item) ? undefined : await replica.share?.changed(item, changes, since)
  if (apart !== undefined) {
    to.entries.push(...apart)
    return
  }
  if (changes.length > 0) to.entries.push(asChanges(replica, item, changes))
  if (foreign) to.offers.push({ item, state: replica.stateOf(item.id) })
}

/**
 * Sends an event only with its latest entry, and then completely: an intermediate version may refer to a stream deleted
 * since, and the peer would treat the event as orphaned. Returns true when nothing else of the event is left to send.
 */
async function addWholeEvent({ item, foreign, first, last, changes }: ItemEntries, to: Batch, { replica, late, combineSince }: BatchOptions): Promise<boolean> {
  const latest = replica.latestOf(item.id)
  // The event was deleted; its deletion follows in the feed.
  if (latest === undefined) return true
  // Entries from the peer are not sent back, so no later entry would send the event.
  if (latest > last && replica.originAt(latest) !== replica.peer) {
    // The peer requests forgotten events as a whole.
    if (late.size >= MAX_LATE) late.clear()
    if (!late.has(item.id)) late.set(item.id, first - 1)
    return true
  }
  const since = late.get(item.id)
  if (foreign || since === undefined) return false
  late.delete(item.id)
  const outcome = combineSince === undefined ? undefined : await replica.share?.changed(item, changes, since)
  to.entries.push(...(outcome ?? (await replica.read(item))))
  return true
}

const isApart = ({ share }: Replica, item: ItemRef): boolean => share?.isApart(item) === true

function asChanges(replica: Replica, { kind, id }: ItemRef, changes: readonly Uint8Array[]): Entry {
  if (kind === 'stream') return { kind, id, changes }
  const files = changes.some(mayNameFile) ? replica.filesOf(id) : undefined
  return { kind: 'event', id, changes, ...(files === undefined ? {} : { files }) }
}

/** Checks whether a change may set a file field. Searching for the field name is cheaper than decoding the change. */
const mayNameFile = (change: Uint8Array): boolean =>
  Buffer.from(change.buffer, change.byteOffset, change.length).includes('a:')

async function addSeries({ item, points }: ItemEntries, to: Batch, options: BatchOptions): Promise<void> {
  const { replica, knownVersions } = options
  const joined = points === undefined ? undefined : joinWrites(points, item.id, knownVersions)
  if (joined !== undefined) {
    to.entries.push(...joined)
    return
  }
  const offered = await replica.versionVector(item.id)
  if (offered.size > 0) to.offers.push({ item, versionVector: offered })
  else to.entries.push(...(await replica.read(item)))
  for (const [actor, time] of offered) knownVersions.set(`${item.id} ${actor}`, time)
}

/** Joins consecutive writes into one entry per process; undefined when the peer may lack earlier points. */
function joinWrites(writes: readonly SeriesEntry[], event: string, known: Map<string, number>): SeriesEntry[] | undefined {
  const joined = new Map<string, SeriesEntry>()
  let bytes = 0
  let count = 0
  for (const write of writes) {
    const before = joined.get(write.actor)
    const reach = before?.upTo ?? known.get(`${event} ${write.actor}`) ?? 0
    if (write.after > reach) return undefined
    for (const { length } of write.segments) bytes += length
    count += write.segments.length
    // Points beyond the limit of one entry are offered, and requested in parts.
    if (bytes > MAX_INLINE_BYTES || count > MAX_SEGMENTS) return undefined
    joined.set(
      write.actor,
      before === undefined ? write : { ...before, upTo: write.upTo, segments: [...before.segments, ...write.segments] },
    )
  }
  for (const { actor, upTo } of joined.values()) known.set(`${event} ${actor}`, upTo)
  return [...joined.values()]
}
