/**
 * One node of somebody else, with whom a node of the account shares a stream: what may come of what is shared there,
 * and what must be there at the end. It knows of scopes what a person would say: the stream, all below it, their events.
 */
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../../../src/store/model/failure.js'
import { findEvent } from '../../../src/store/events/events.js'
import { changeIn, type CommittedEntry } from '../../../src/store/engine/journal.js'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { readShareDocument } from '../../../src/store/engine/shareDocuments.js'
import { materialise } from '../../../src/sync/crdt/document.js'
import { parseItemKey, type ItemRef } from '../../../src/sync/wire/entry.js'
import { valueOf } from '../../../src/sync/merge/applyChanges.js'
import { itemOf } from '../../../src/sync/merge/refusals.js'
import type { Direction, Peer, Scope } from '../../../src/store/replication/peers.js'
import { parseChange } from '../../../src/sync/crdt/parseChange.js'
import { changesOfItem, stateAtPeer } from '../../../src/sync/digest/readItem.js'
import { call } from './steps.js'
import type { Place, Wiring } from './world.js'

type Json = Record<string, unknown>

/** The stream that is shared. */
export const SHARED = 'a'

const MIRRORED = { send: 'receive', receive: 'send', both: 'both' } as const

/** The line along which one node shares the stream with another, which is the last of all. */
export function shareLine(host: number, guest: number, direction: Direction): Wiring {
  const share = (grantor: 'us' | 'them'): Scope => ({
    is: 'share',
    streams: [SHARED],
    direction: grantor === 'us' ? direction : MIRRORED[direction],
    grantor,
  })
  return { ends: [host, guest], scopes: [share('us'), share('them')] }
}

export interface ShareWatch {
  /** Looks at what was committed, and notes what should not have been. */
  committed(place: Place, entries: readonly CommittedEntry[]): void
  /** What should not have come. */
  readonly arrivals: readonly string[]
  /** What is not as it should be once all is in sync. */
  faults(): Promise<string[]>
  /** Whether a side refuses an event of the other for good: both say then that they are behind. */
  refusesForGood(): Promise<boolean>
  /** What the two sides hold otherwise of the items that they note as shared. */
  notes(): Promise<string[]>
}

/** An item with the changes that it had while it was shared. */
type Ever = Map<string, Set<string>>

export function watchShare(places: readonly Place[], { ends, scopes }: Wiring): ShareWatch {
  const [host, guest] = ends
  const { direction } = scopes?.[0] as Extract<Scope, { is: 'share' }>
  const ever = new Map<number, Ever>(ends.map((index) => [index, new Map()]))
  const seen = new Map<number, Set<string>>(ends.map((index) => [index, new Set()]))
  /** What each side deleted itself, and would not take again. */
  const deleted = new Map<number, Set<string>>(ends.map((index) => [index, new Set()]))
  const arrivals: string[] = []

  /** Whether a side need not take an item: it deleted it, or, as the one that decides, moved it out of the share. */
  function isRefusable(index: number, name: string): boolean {
    if (deleted.get(index)?.has(name) === true || isRefusedForGood(index, name)) return true
    const { db, prefix, tree } = (places[index] as Place).account
    const [kind, id = ''] = name.split(' ')
    return index === host && (kind === 'stream' ? tree.has(id) : findEvent(db, prefix, id) !== undefined)
  }

  /**
   * Whether a side refuses an event, as it must: the other put it into a shared stream and into one that is not shared here,
   * or took it out of one; the stream was moved out of the share meanwhile, or each side has one of its own, such as
   * `recovered`. To take it would be to let the other write where nothing is shared with it. It is to be listed with its
   * reason where it was refused.
   */
  function isRefusedForGood(index: number, name: string): boolean {
    const [kind, id = ''] = name.split(' ')
    const place = places[index] as Place
    if (kind !== 'event' || reasonFor(place, id) !== 'out-of-scope') return false
    const { tree } = place.account
    const within = streamsWithin(place)
    const mine = saidStreams(place, id)
    const theirs = saidStreams(places[otherOf(index)] as Place, id)
    const moved = [...mine.filter((one) => !theirs.includes(one)), ...theirs.filter((one) => !mine.includes(one))]
    return moved.some((stream) => tree.has(stream) && !within.has(stream))
  }

  /** The reason with which a side lists an event of the other among what it refused. */
  function reasonFor({ index, account: { db, prefix }, peers }: Place, event: string): string | undefined {
    const { number } = peers.get(otherOf(index)) as Peer
    const text = db.get(accountKeys.refused(prefix, number, itemOf({ kind: 'event', id: event })))
    return text === undefined ? undefined : (JSON.parse(text) as { reason: string }).reason
  }

  const otherOf = (index: number): number => (index === host ? guest : host)

  const bothSides = (): Promise<Shared[]> => Promise.all(ends.map((index) => sharedAt(places[index] as Place, otherOf(index))))

  /** Records the changes of an item that may be shared: the current ones and the first one, never the earlier states. */
  function note(place: Place, kind: 'event' | 'stream', id: string, made: ReadonlySet<string>): void {
    const items = ever.get(place.index) as Ever
    const name = `${kind} ${id}`
    const had = items.get(name) ?? new Set()
    items.set(name, had)
    const changes = changesOfItem(place.account.db, place.account.prefix, { kind, id }).map((change) => parseChange(change).hash)
    for (const hash of changes) if (changes.length === 1 || made.has(hash)) had.add(hash)
  }

  function look(place: Place, events: Iterable<string>, streams: boolean, made: ReadonlySet<string>): void {
    const within = streamsWithin(place)
    if (streams) for (const id of within) note(place, 'stream', id, made)
    for (const id of events) {
      if (findEvent(place.account.db, place.account.prefix, id)?.streamIds.some((stream) => within.has(stream))) note(place, 'event', id, made)
    }
  }

  function arrived(place: Place, { kind, action, id, bytes }: CommittedEntry): void {
    const about = `n${place.index} got ${action} ${kind} ${id}`
    const name = kind === 'series' ? `event ${id}` : `${kind} ${id}`
    // What it shared itself it may hear of again.
    const had = [...ever.values()].flatMap((items) => [...(items.get(name) ?? [])])
    const isKnown = [...ever.values()].some((items) => items.has(name))
    if (!isKnown) arrivals.push(`${about}, which was never shared with it`)
    else if ((kind === 'event' || kind === 'stream') && action !== 'delete' && !had.includes(parseChange(changeIn(bytes)).hash) && !isMade(place, kind, id, changeIn(bytes))) {
      arrivals.push(`${about}: a change that was not made within the share`)
    }
  }

  /** Checks if a change was made for the share: the other side made it of what is not the peer's, or this side of an edit by the peer. */
  function isMade(place: Place, kind: 'event' | 'stream', id: string, change: Uint8Array): boolean {
    const { hash, message } = parseChange(change)
    if (message.startsWith('host ') || message.startsWith('guest ')) return true
    const { number } = place.peers.get(otherOf(place.index)) as Peer
    const taken = readShareDocument(place.account.db, place.account.prefix, `${kind.charAt(0)}${id}`, number)?.taken ?? {}
    return Object.values(taken).includes(hash)
  }

  return {
    arrivals,
    committed(place, entries) {
      if (!ends.includes(place.index)) return
      const known = seen.get(place.index) as Set<string>
      const peer = place.peers.get(otherOf(place.index))?.number
      const touched = new Set<string>()
      const made = new Set<string>()
      for (const entry of entries) {
        const { kind, action, id, origin } = entry
        if ((kind === 'event' || kind === 'stream') && action !== 'delete') made.add(parseChange(changeIn(entry.bytes)).hash)
        if (kind === 'event') for (const ids of [known, touched]) ids.add(id)
        if (origin !== undefined && origin === peer) arrived(place, entry)
        else if (action === 'delete') deleted.get(place.index)?.add(`${kind} ${id}`)
      }
      const isTree = entries.some(({ kind }) => kind === 'stream')
      look(place, isTree ? known : touched, isTree, made)
    },
    async notes() {
      const [a, b] = await Promise.all(ends.map((index) => notedAt(places[index] as Place, otherOf(index))))
      const names = [...new Set([...(a as Noted).keys(), ...(b as Noted).keys()])]
      return names.filter((name) => a?.get(name) !== b?.get(name)).map((name) => `${name}: ${a?.get(name)} | ${b?.get(name)}`)
    },
    async faults() {
      const [here, there] = await bothSides()
      const ways: [number, Shared, Shared][] = [
        ...(direction === 'receive' ? [] : [[host, here, there] as [number, Shared, Shared]]),
        ...(direction === 'send' ? [] : [[guest, there, here] as [number, Shared, Shared]]),
      ]
      const found = ways.flatMap(([giver, given, taken]) => {
        const taker = otherOf(giver)
        const rules = { isRefusable: (name: string) => isRefusable(taker, name), isRefusedForGood: (name: string) => isRefusedForGood(taker, name) }
        return missingOf(giver, taker, given, taken, rules, (id) => placesOfEvent(places[taker] as Place, id))
      })
      const isRefusedByOne = (name: string): boolean => ends.some((index) => isRefusedForGood(index, name))
      return [...found, ...(direction === 'both' ? unlikeOf(here as Shared, there as Shared, isRefusedByOne) : [])]
    },
    async refusesForGood() {
      const shared = await bothSides()
      return ends.some((index) => shared.some((side) => [...side.keys()].some((name) => isRefusedForGood(index, name))))
    },
  }
}

type Noted = Map<string, string>

/** What a node notes as shared with another, with what it has of each and whether it refused something of it. */
async function notedAt({ account: { db, prefix }, node, peers }: Place, other: number): Promise<Noted> {
  const noted: Noted = new Map()
  const { number } = peers.get(other) as Peer
  const range = accountKeys.sharedWith(prefix, number)
  for await (const key of each(db.keys(under(range)))) {
    const name = key.slice(range.length)
    const state = stateAtPeer({ db, seal: node.store.seal, account: prefix }, number, parseItemKey(name) as ItemRef)
    noted.set(name, Buffer.from(state).toString('hex'))
  }
  const refused = accountKeys.refusedFrom(prefix, number)
  for await (const [key, text] of each(db.entries(under(refused)))) {
    const name = key.slice(refused.length)
    noted.set(name, `${noted.get(name) ?? ''} refused ${(JSON.parse(text) as { message: string }).message}`)
  }
  return noted
}

/** The streams that an event says it lies in, which need not be there. */
function saidStreams({ account: { db, prefix } }: Place, id: string): readonly string[] {
  const changes = changesOfItem(db, prefix, { kind: 'event', id })
  if (changes.length === 0) return []
  const said = valueOf('event', id, materialise(changes))
  return said.kind === 'event' ? said.item.streamIds : []
}

const placesOfEvent = ({ account: { db, prefix } }: Place, id: string): string => findEvent(db, prefix, id)?.streamIds.join() ?? 'nothing'

/** What is not at the taker of what the giver shares. */
function missingOf(
  giver: number,
  taker: number,
  given: Shared,
  taken: Shared,
  { isRefusable, isRefusedForGood }: Record<'isRefusable' | 'isRefusedForGood', (name: string) => boolean>,
  liesIn: (id: string) => string,
): string[] {
  const faults: string[] = []
  for (const [name, { changes, points, homes }] of given) {
    const copy = taken.get(name)
    if (copy === undefined) {
      if (!isRefusable(name) && homes.some((stream) => taken.has(`stream ${stream}`))) {
        faults.push(`n${taker} lacks ${name}, which n${giver} shares: it lies in ${homes.join()} there, in ${liesIn(name.split(' ')[1] ?? '')} here`)
      }
    } else {
      // Both may have made the stream itself, each elsewhere in its tree.
      if (name !== `stream ${SHARED}` && !isRefusedForGood(name) && ![...changes].every((hash) => copy.changes.has(hash))) {
        faults.push(`n${taker} lacks changes of ${name}, which n${giver} shares: it lies in ${homes.join()} there, in ${liesIn(name.split(' ')[1] ?? '')} here`)
      }
      // A later point of the taker may have taken the place of one.
      const moments = new Set(copy.points.map(momentOf))
      if (!points.every((point) => moments.has(momentOf(point)))) faults.push(`n${taker} lacks points of ${name}, which n${giver} shares`)
    }
  }
  return faults
}

/** What both sides of a share that goes both ways hold otherwise. */
function unlikeOf(here: Shared, there: Shared, isRefusedForGood: (name: string) => boolean): string[] {
  const faults: string[] = []
  for (const name of new Set([...here.keys(), ...there.keys()])) {
    if (isRefusedForGood(name)) continue
    const [a, b] = [here, there].map((side) => placeless(side.get(name)))
    if (!isDeepStrictEqual(a, b)) faults.push(`the share holds ${name} otherwise:\n  ${textOf(a)}\n  ${textOf(b)}`)
  }
  return faults
}

const placeless = (item: SharedItem | undefined): object | undefined => item && { ...item, homes: [] }

const textOf = (item: object | undefined): string =>
  JSON.stringify(item, (_, value: unknown) => (value instanceof Set ? [...value] : value))

interface SharedItem {
  /** Hashes of its changes. */
  changes: Set<string>
  /** What clients are shown, without its places: they are among others of each side. */
  shown: Json
  /** Of a series, as JSON text. */
  points: string[]
  /** Streams by which it belongs to the share: one that a side has moved out takes nothing along. */
  homes: string[]
}

/** What a node holds within the share, by kind and id. */
type Shared = Map<string, SharedItem>

/** The streams of the share: the one, and all whose parents lead to it. */
export function streamsWithin({ account: { tree } }: Place): Set<string> {
  const within = new Set<string>()
  for (const { id } of tree.all()) {
    for (let at: string | null | undefined = id; at != null; at = tree.get(at)?.parentId) {
      if (at === SHARED) within.add(id)
    }
  }
  return within
}

/** The changes of an item as a peer has it: those that are here, or those of its own document. */
const changesFor = ({ account: { db, prefix } }: Place, peer: number, kind: 'event' | 'stream', id: string): readonly Uint8Array[] =>
  readShareDocument(db, prefix, `${kind.charAt(0)}${id}`, peer)?.changes ?? changesOfItem(db, prefix, { kind, id })

async function sharedAt(place: Place, other: number): Promise<Shared> {
  const { account } = place
  const { number } = place.peers.get(other) as Peer
  const within = streamsWithin(place)
  const shared: Shared = new Map()
  const changesIn = (kind: 'event' | 'stream', id: string): Set<string> =>
    new Set(changesFor(place, number, kind, id).map((change) => parseChange(change).hash).sort())
  for (const id of within) {
    const { parentId, name: _n, ...shown } = account.tree.get(id) as unknown as Json
    shared.set(`stream ${id}`, { changes: changesIn('stream', id), shown, points: [], homes: [id === SHARED ? id : String(parentId)] })
  }
  for (const event of (await ask(place, 'events.get', { state: 'all', limit: 100_000 }))['events'] as Json[]) {
    const { id, streamIds, streamId: _s, integrity: _i, attachments, ...rest } = event as Json & { id: string; streamIds: string[]; attachments?: Json[] }
    if (!streamIds.some((stream) => within.has(stream))) continue
    const files = await Promise.all((attachments ?? []).map((file) => fileOf(place, id, file)))
    const points = String(event['type']).startsWith('series:') ? await pointsOf(place, id) : []
    shared.set(`event ${id}`, { changes: changesIn('event', id), shown: { ...rest, files }, points, homes: streamIds })
  }
  return shared
}

const momentOf = (point: string): unknown => (JSON.parse(point) as unknown[])[0]

const pointsOf = async (place: Place, id: string): Promise<string[]> =>
  ((await ask(place, 'series.get', { id, toDeltaTime: 1e6 }))['points'] as unknown[]).map((point) => JSON.stringify(point))

/** A file as it is shown, and whether its bytes are there. */
async function fileOf(place: Place, id: string, { readToken: _, ...file }: Json): Promise<Json> {
  const answer = await call(place, 'events.getAttachment', { id, fileId: file['id'] })
  return { ...file, bytes: answer instanceof Failure ? answer.id : 'there' }
}

async function ask(place: Place, method: string, params: Json): Promise<Json> {
  const answer = await call(place, method, params)
  if (answer instanceof Failure) throw new Error(`n${place.index} refuses ${method}: ${answer.id} ${answer.message}`)
  return answer
}
