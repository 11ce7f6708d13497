/**
 * Oracle of one node of another owner, with whom a node of the account shares a stream: items that may arrive, and items that
 * must be present at the end. Its notion of scope is independent: the stream, its descendants, and their events.
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
import type { Machine, Wiring } from './network.js'

type Json = Record<string, unknown>

/** Id of the shared stream. */
export const SHARED = 'a'

const MIRRORED = { send: 'receive', receive: 'send', both: 'both' } as const

/** Returns the line along which one node shares the stream with another, which is the last node. */
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
  /** Checks committed entries, and records forbidden ones. */
  committed(machine: Machine, entries: readonly CommittedEntry[]): void
  /** Forbidden arrivals. */
  readonly arrivals: readonly string[]
  /** Returns the faults once all is in sync. */
  faults(): Promise<string[]>
  /** Tests whether a side refuses an event of the other permanently: then both are behind. */
  refusesForGood(): Promise<boolean>
  /** Returns the differences in the items that both sides record as shared. */
  recordedDifferences(): Promise<string[]>
}

/** Items with the changes that they had while shared. */
type SharedChanges = Map<string, Set<string>>

export function watchShare(machines: readonly Machine[], { ends, scopes }: Wiring): ShareWatch {
  const [host, guest] = ends
  const { direction } = scopes?.[0] as Extract<Scope, { is: 'share' }>
  const sharedChanges = new Map<number, SharedChanges>(ends.map((index) => [index, new Map()]))
  const seen = new Map<number, Set<string>>(ends.map((index) => [index, new Set()]))
  /** Items that each side deleted itself, and would not accept again. */
  const deleted = new Map<number, Set<string>>(ends.map((index) => [index, new Set()]))
  const arrivals: string[] = []

  /** Tests whether a side may lack an item: it deleted it, or, as the granting side, moved it out of the share. */
  function isRefusable(index: number, name: string): boolean {
    if (deleted.get(index)?.has(name) === true || isRefusedForGood(index, name)) return true
    const { db, prefix, tree } = (machines[index] as Machine).account
    const [kind, id = ''] = name.split(' ')
    const isThere = kind === 'stream' ? tree.has(id) : findEvent(db, prefix, id) !== undefined
    return isThere && (index === host || (kind === 'event' && isMovedByTaker(index, id)))
  }

  /**
   * Tests whether a side that only receives has moved an event itself: its edits stay with it, and the stream that it chose may be
   * deleted by the other side.
   */
  function isMovedByTaker(index: number, event: string): boolean {
    if (direction === 'both') return false
    const [mine, theirs] = [index, otherOf(index)].map((side) => declaredStreams(machines[side] as Machine, event).toSorted().join(' '))
    return mine !== theirs
  }

  /**
   * Tests whether a side must refuse an item, and lists the refusal with its reason:
   * - An event that the other put into a shared stream and into one that is not shared here, or removed from one. The stream was
   *   moved out of the share meanwhile, or each side has one of its own, such as `recovered`. Accepting it would let the other
   *   write outside of the share.
   * - An event that each side moved to streams of its own choice: it would be in none of the share.
   * - A stream that was moved out of the share here, and that the other created again.
   */
  function isRefusedForGood(index: number, name: string): boolean {
    const [kind, id = ''] = name.split(' ') as ['event' | 'stream', string?]
    const machine = machines[index] as Machine
    if (reasonFor(machine, { kind, id }) !== 'out-of-scope') return false
    const { tree } = machine.account
    const within = streamsWithin(machine)
    if (kind === 'stream') return tree.has(id) && !within.has(id)
    const mine = declaredStreams(machine, id)
    const theirs = declaredStreams(machines[otherOf(index)] as Machine, id)
    const moved = [...mine.filter((one) => !theirs.includes(one)), ...theirs.filter((one) => !mine.includes(one))]
    const hasCommon = mine.some((one) => theirs.includes(one))
    return !hasCommon || moved.some((stream) => tree.has(stream) && !within.has(stream))
  }

  /** Returns the reason of a listed refusal of an item. */
  function reasonFor({ index, account: { db, prefix }, peers }: Machine, item: ItemRef): string | undefined {
    const { number } = peers.get(otherOf(index)) as Peer
    const text = db.get(accountKeys.refused(prefix, number, itemOf(item)))
    return text === undefined ? undefined : (JSON.parse(text) as { reason: string }).reason
  }

  const otherOf = (index: number): number => (index === host ? guest : host)

  const bothSides = (): Promise<Shared[]> => Promise.all(ends.map((index) => sharedAt(machines[index] as Machine, otherOf(index))))

  /** Records the changes of an item that may be shared: the current ones and the initial one, never earlier states. */
  function recordItem(machine: Machine, kind: 'event' | 'stream', id: string, created: ReadonlySet<string>): void {
    const items = sharedChanges.get(machine.index) as SharedChanges
    const name = `${kind} ${id}`
    const had = items.get(name) ?? new Set()
    items.set(name, had)
    const changes = changesOfItem(machine.account.db, machine.account.prefix, { kind, id }).map((change) => parseChange(change).hash)
    for (const hash of changes) if (changes.length === 1 || created.has(hash)) had.add(hash)
  }

  function recordAll(machine: Machine, events: Iterable<string>, streams: boolean, created: ReadonlySet<string>): void {
    const within = streamsWithin(machine)
    if (streams) for (const id of within) recordItem(machine, 'stream', id, created)
    for (const id of events) {
      if (findEvent(machine.account.db, machine.account.prefix, id)?.streamIds.some((stream) => within.has(stream))) recordItem(machine, 'event', id, created)
    }
  }

  function arrived(machine: Machine, { kind, action, id, bytes }: CommittedEntry): void {
    const about = `n${machine.index} got ${action} ${kind} ${id}`
    const name = kind === 'series' ? `event ${id}` : `${kind} ${id}`
    // Its own shared items may come back.
    const had = [...sharedChanges.values()].flatMap((items) => [...(items.get(name) ?? [])])
    const isKnown = [...sharedChanges.values()].some((items) => items.has(name))
    if (!isKnown) arrivals.push(`${about}, which was never shared with it`)
    else if ((kind === 'event' || kind === 'stream') && action !== 'delete' && !had.includes(parseChange(changeIn(bytes)).hash) && !isMade(machine, kind, id, changeIn(bytes))) {
      arrivals.push(`${about}: a change that was not created within the share`)
    }
  }

  /**
   * Tests whether a change was made for the share: by the other side from private changes, or by this side from an edit of the
   * peer.
   */
  function isMade(machine: Machine, kind: 'event' | 'stream', id: string, change: Uint8Array): boolean {
    const { hash, message } = parseChange(change)
    if (message.startsWith('host ') || message.startsWith('guest ')) return true
    const { number } = machine.peers.get(otherOf(machine.index)) as Peer
    const received = readShareDocument(machine.account.db, machine.account.prefix, `${kind.charAt(0)}${id}`, number)?.taken ?? {}
    return Object.values(received).includes(hash)
  }

  return {
    arrivals,
    committed(machine, entries) {
      if (!ends.includes(machine.index)) return
      const known = seen.get(machine.index) as Set<string>
      const peer = machine.peers.get(otherOf(machine.index))?.number
      const touched = new Set<string>()
      const created = new Set<string>()
      for (const entry of entries) {
        const { kind, action, id, origin } = entry
        if ((kind === 'event' || kind === 'stream') && action !== 'delete') created.add(parseChange(changeIn(entry.bytes)).hash)
        if (kind === 'event') for (const ids of [known, touched]) ids.add(id)
        if (origin !== undefined && origin === peer) arrived(machine, entry)
        else if (action === 'delete') deleted.get(machine.index)?.add(`${kind} ${id}`)
      }
      const isTree = entries.some(({ kind }) => kind === 'stream')
      recordAll(machine, isTree ? known : touched, isTree, created)
    },
    async recordedDifferences() {
      const [a, b] = await Promise.all(ends.map((index) => recordsAt(machines[index] as Machine, otherOf(index))))
      const names = [...new Set([...(a as Records).keys(), ...(b as Records).keys()])]
      return names.filter((name) => a?.get(name) !== b?.get(name)).map((name) => `${name}: ${a?.get(name)} | ${b?.get(name)}`)
    },
    async faults() {
      const [here, there] = await bothSides()
      const ways: [number, Shared, Shared][] = [
        ...(direction === 'receive' ? [] : [[host, here, there] as [number, Shared, Shared]]),
        ...(direction === 'send' ? [] : [[guest, there, here] as [number, Shared, Shared]]),
      ]
      const found = ways.flatMap(([giver, granted, received]) => {
        const taker = otherOf(giver)
        const rules = { isRefusable: (name: string) => isRefusable(taker, name), isRefusedForGood: (name: string) => isRefusedForGood(taker, name) }
        return missingOf(giver, taker, granted, received, rules, (id) => streamsOfEvent(machines[taker] as Machine, id))
      })
      const isRefusedByOne = (name: string): boolean => ends.some((index) => isRefusedForGood(index, name))
      return [...found, ...(direction === 'both' ? differencesOf(here as Shared, there as Shared, isRefusedByOne) : [])]
    },
    async refusesForGood() {
      const shared = await bothSides()
      return ends.some((index) => shared.some((side) => [...side.keys()].some((name) => isRefusedForGood(index, name))))
    },
  }
}

type Records = Map<string, string>

/** Returns the items that a node records as shared with another, with their state and a flag for refusals. */
async function recordsAt({ account: { db, prefix }, node, peers }: Machine, other: number): Promise<Records> {
  const records: Records = new Map()
  const { number } = peers.get(other) as Peer
  const range = accountKeys.sharedWith(prefix, number)
  for await (const key of each(db.keys(under(range)))) {
    const name = key.slice(range.length)
    const state = stateAtPeer({ db, seal: node.store.seal, account: prefix }, number, parseItemKey(name) as ItemRef)
    records.set(name, Buffer.from(state).toString('hex'))
  }
  const refused = accountKeys.refusedFrom(prefix, number)
  for await (const [key, text] of each(db.entries(under(refused)))) {
    const name = key.slice(refused.length)
    records.set(name, `${records.get(name) ?? ''} refused ${(JSON.parse(text) as { message: string }).message}`)
  }
  return records
}

/** Returns the declared streams of an event, which may be missing. */
function declaredStreams({ account: { db, prefix } }: Machine, id: string): readonly string[] {
  const changes = changesOfItem(db, prefix, { kind: 'event', id })
  if (changes.length === 0) return []
  const declared = valueOf('event', id, materialise(changes))
  return declared.kind === 'event' ? declared.item.streamIds : []
}

const streamsOfEvent = ({ account: { db, prefix } }: Machine, id: string): string => findEvent(db, prefix, id)?.streamIds.join() ?? 'nothing'

/** Returns the shared items of the giver that the taker lacks. */
function missingOf(
  giver: number,
  taker: number,
  granted: Shared,
  received: Shared,
  { isRefusable, isRefusedForGood }: Record<'isRefusable' | 'isRefusedForGood', (name: string) => boolean>,
  streamsIn: (id: string) => string,
): string[] {
  const faults: string[] = []
  for (const [name, { changes, points, memberOf }] of granted) {
    const copy = received.get(name)
    if (copy === undefined) {
      if (!isRefusable(name) && memberOf.some((stream) => received.has(`stream ${stream}`))) {
        faults.push(`n${taker} lacks ${name}, which n${giver} shares: it is in ${memberOf.join()} there, in ${streamsIn(name.split(' ')[1] ?? '')} here`)
      }
    } else {
      // Both may have created the stream itself, each at another place of its tree.
      if (name !== `stream ${SHARED}` && !isRefusedForGood(name) && ![...changes].every((hash) => copy.changes.has(hash))) {
        faults.push(`n${taker} lacks changes of ${name}, which n${giver} shares: it is in ${memberOf.join()} there, in ${streamsIn(name.split(' ')[1] ?? '')} here`)
      }
      // A later point of the taker may have replaced one.
      const deltaTimes = new Set(copy.points.map(deltaTimeOf))
      if (!points.every((point) => deltaTimes.has(deltaTimeOf(point)))) faults.push(`n${taker} lacks points of ${name}, which n${giver} shares`)
    }
  }
  return faults
}

/** Returns the differences between both sides of a two-way share. */
function differencesOf(here: Shared, there: Shared, isRefusedForGood: (name: string) => boolean): string[] {
  const faults: string[] = []
  for (const name of new Set([...here.keys(), ...there.keys()])) {
    if (isRefusedForGood(name)) continue
    const [a, b] = [here, there].map((side) => withoutStreams(side.get(name)))
    if (!isDeepStrictEqual(a, b)) faults.push(`the share holds ${name} otherwise:\n  ${textOf(a)}\n  ${textOf(b)}`)
  }
  return faults
}

const withoutStreams = (item: SharedItem | undefined): object | undefined => item && { ...item, memberOf: [] }

const textOf = (item: object | undefined): string =>
  JSON.stringify(item, (_, value: unknown) => (value instanceof Set ? [...value] : value))

interface SharedItem {
  /** Hashes of its changes. */
  changes: Set<string>
  /** Content for clients, without its streams, which differ between the sides. */
  content: Json
  /** Points of a series, as JSON text. */
  points: string[]
  /** Streams that include it in the share; one that a side moved out includes nothing. */
  memberOf: string[]
}

/** Shared items of a node, by kind and id. */
type Shared = Map<string, SharedItem>

/** Returns the streams of the share: the shared one and its descendants. */
export function streamsWithin({ account: { tree } }: Machine): Set<string> {
  const within = new Set<string>()
  for (const { id } of tree.all()) {
    for (let at: string | null | undefined = id; at != null; at = tree.get(at)?.parentId) {
      if (at === SHARED) within.add(id)
    }
  }
  return within
}

/** Returns the changes of an item for a peer: the local ones, or those of the peer's own document. */
const changesFor = ({ account: { db, prefix } }: Machine, peer: number, kind: 'event' | 'stream', id: string): readonly Uint8Array[] =>
  readShareDocument(db, prefix, `${kind.charAt(0)}${id}`, peer)?.changes ?? changesOfItem(db, prefix, { kind, id })

async function sharedAt(machine: Machine, other: number): Promise<Shared> {
  const { account } = machine
  const { number } = machine.peers.get(other) as Peer
  const within = streamsWithin(machine)
  const shared: Shared = new Map()
  const changesIn = (kind: 'event' | 'stream', id: string): Set<string> =>
    new Set(changesFor(machine, number, kind, id).map((change) => parseChange(change).hash).sort())
  for (const id of within) {
    const { parentId, name: _n, ...content } = account.tree.get(id) as unknown as Json
    shared.set(`stream ${id}`, { changes: changesIn('stream', id), content, points: [], memberOf: [id === SHARED ? id : String(parentId)] })
  }
  for (const event of (await ask(machine, 'events.get', { state: 'all', limit: 100_000 }))['events'] as Json[]) {
    const { id, streamIds, streamId: _s, integrity: _i, attachments, ...rest } = event as Json & { id: string; streamIds: string[]; attachments?: Json[] }
    if (!streamIds.some((stream) => within.has(stream))) continue
    const files = await Promise.all((attachments ?? []).map((file) => fileOf(machine, id, file)))
    const points = String(event['type']).startsWith('series:') ? await pointsOf(machine, id) : []
    shared.set(`event ${id}`, { changes: changesIn('event', id), content: { ...rest, files }, points, memberOf: streamIds })
  }
  return shared
}

const deltaTimeOf = (point: string): unknown => (JSON.parse(point) as unknown[])[0]

const pointsOf = async (machine: Machine, id: string): Promise<string[]> =>
  ((await ask(machine, 'series.get', { id, toDeltaTime: 1e6 }))['points'] as unknown[]).map((point) => JSON.stringify(point))

/** Returns a file as clients read it, and whether its bytes are stored. */
async function fileOf(machine: Machine, id: string, { readToken: _, ...file }: Json): Promise<Json> {
  const answer = await call(machine, 'events.getAttachment', { id, fileId: file['id'] })
  return { ...file, bytes: answer instanceof Failure ? answer.id : 'there' }
}

async function ask(machine: Machine, method: string, params: Json): Promise<Json> {
  const answer = await call(machine, method, params)
  if (answer instanceof Failure) throw new Error(`n${machine.index} refuses ${method}: ${answer.id} ${answer.message}`)
  return answer
}
