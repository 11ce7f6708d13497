/** Copies of one account in stores of their own, edited at random and fed each other's changes in any order. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '../../../src/store/engine/account.js'
import { changesOf } from '../../../src/store/engine/changes.js'
import { each } from '../../../src/store/engine/database.js'
import { addEvent, findDeletion, findEvent, removeEvent, replaceEvent } from '../../../src/store/events/events.js'
import { findTombstone } from '../../../src/store/streams/tombstones.js'
import { accountKeys, ORDERED_LENGTH, under } from '../../../src/store/engine/keys.js'
import { changeElement, deletionElement, tombstoneElement, zeroDigest, xorInto } from '../../../src/store/model/digestElement.js'
import { mergeKeys } from '../../../src/store/model/clientData.js'
import { isReservedStream } from '../../../src/store/model/cmc.js'
import type { Event } from '../../../src/store/model/event.js'
import { eventIntegrity } from '../../../src/store/model/integrity.js'
import { profileState, registersSince } from '../../../src/store/model/profileRegisters.js'
import { Secret } from '../../../src/store/model/secret.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { createStore, openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { findProfile, putProfile } from '../../../src/store/accounts/profiles.js'
import { createSeal } from '../../../src/store/keyring/seal.js'
import { createStoreView, type Store } from '../../../src/store/index.js'
import { addStream, removeStream, replaceStream } from '../../../src/store/streams/streams.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import type { ChangesEntry, DeletionEntry, Entry, ItemRef } from '../../../src/sync/wire/entry.js'
import { createMerger } from '../../../src/sync/merge/merge.js'
import type { Merger } from '../../../src/sync/merge/context.js'
import { checkOpened } from '../../support/store/check.js'

const seal = await createSeal(new Secret(new Uint8Array(32).fill(7)))

/** Returns seeded random numbers. */
/** Returns the streams of an account with records, without the built-in ones. */
const ownStreams = ({ tree }: Account): Stream[] => [...tree.all()].filter(({ id }) => !isReservedStream(id))

export function dice(seed: number): (below: number) => number {
  let s = seed >>> 0
  return (below) => {
    s = (s + 0x6d2b79f5) >>> 0
    let r = Math.imul(s ^ (s >>> 15), 1 | s)
    r = (r + Math.imul(r ^ (r >>> 7), 61 | r)) ^ r
    return ((r ^ (r >>> 14)) >>> 0) % below
  }
}

const STREAMS = ['a', 'b', 'c', 'd', 'recovered']
const EVENTS = Array.from({ length: 8 }, (_, i) => `cjx00000000000000000000${String(i).padStart(2, '0')}`)
/** Items that may exist. */
export const ITEMS: ItemRef[] = [
  ...STREAMS.map((id) => ({ kind: 'stream', id }) as const),
  ...EVENTS.map((id) => ({ kind: 'event', id }) as const),
  { kind: 'profile', id: 'public' },
]

export interface Copy {
  /** Performs a random edit, as a client might. */
  edit(): Promise<void>
  /** Returns the changes of an item, or the last few of them. */
  read(item: ItemRef, last?: number): Entry[]
  take(entries: readonly Entry[]): Promise<void>
  /** Returns all that readers see, and the digest. */
  dump(): Promise<Record<string, unknown>>
  restart(): Promise<void>
  check(): Promise<string[]>
  end(): Promise<void>
}

export async function openCopy(roll: (below: number) => number, clock: { now: number }, n: number): Promise<Copy> {
  const root = await mkdtemp(join(tmpdir(), 'coffer-merge-'))
  const folder = join(root, 'store')
  const now = (): number => clock.now
  await createStore({ folder, now }, 'node', seal)
  let opened: OpenedStore
  let store: Store
  let account: Account
  let merger: Merger
  let starts = 0

  async function open(): Promise<void> {
    opened = await openStore({ folder, now })
    const actor = (n * 1000 + ++starts + roll(2) * 0xf00000).toString(16).padStart(32, '0')
    store = await createStoreView(opened, seal, createRecorder({ actor }))
    merger = createMerger({
      store,
      types: { check: () => undefined, seriesType: () => undefined },
      keeping: () => ({ integrity: 'sha256', deletionMode: 'keep-nothing' }),
      now,
      noteMissingFile: () => {},
      mergeAccess: () => ({ is: 'known' }),
      mergeSeries: () => ({ is: 'known' }),
    })
  }
  await open()
  account = await store!.createAccount((t, made) => {
    t.put(accountKeys.user('1'), '{}')
    return made
  })

  const any = <T>(list: readonly T[]): T => list[roll(list.length)] as T
  const hashed = <E extends object>(kept: E): E => ({ ...kept, integrity: eventIntegrity(kept as unknown as Event, 'sha256') })
  const modification = (): { modified: number; modifiedBy: string } => ({ modified: clock.now, modifiedBy: `n${n}` })
  const clientData = (former: Event['clientData']): Event['clientData'] =>
    mergeKeys(former, { [any(['z', 'y', '1', '__proto__'])]: any([null, n, { b: 1, a: [2] }]) })

  function editEvent(): Promise<unknown> {
    const id = any(EVENTS)
    return account.write((t) => {
      const { recorder } = store
      const before = findEvent(t, '1', id)
      const live = ownStreams(account).map((stream) => stream.id).sort()
      if (live.length === 0 || findDeletion(t, '1', id) !== undefined) return
      if (before === undefined) {
        const event: Event = { id, streamIds: [...new Set([any(live), any(live)])], type: 'note/txt', content: `n${roll(99)}`, time: roll(5), tags: [], created: clock.now, createdBy: `n${n}`, ...modification() }
        addEvent(t, recorder, hashed(event))
        return
      }
      const { integrity: _, ...rest } = before
      const after: Event = { ...rest, ...modification() }
      switch (roll(7)) {
        case 0:
          after.content = `n${roll(99)}`
          break
        case 1:
          after.streamIds = [...new Set([any(live), any(live)])]
          break
        case 2: {
          const data = clientData(before.clientData)
          delete after.clientData
          if (data !== undefined) after.clientData = data
          break
        }
        case 3:
          after.tags = [...new Set([any(['q', 'p', 'o']), any(['q', 'p', 'o'])])]
          break
        case 4:
          after.time = roll(5)
          after.duration = any([1, null])
          break
        case 5:
          after.trashed = true
          break
        default:
          if (roll(3) > 0) return
          removeEvent(t, store.recorder, before, clock.now, 'keep-nothing', hashed)
          return
      }
      replaceEvent(t, recorder, before, hashed(after))
    })
  }

  function isFree(stream: Pick<Stream, 'id' | 'name' | 'parentId'>): boolean {
    const { tree } = account
    const isPlaced = stream.parentId === null || (tree.has(stream.parentId) && !tree.isUnder(stream.parentId, stream.id))
    return isPlaced && tree.siblingNamed(stream.parentId, stream.name, stream.id) === undefined
  }

  async function editStream(): Promise<void> {
    const id = any(STREAMS)
    const { recorder } = store
    const before = account.tree.get(id)
    if (before === undefined) {
      const stream: Stream = { id, name: any(['X', 'Y']), parentId: any([null, ...STREAMS]), created: clock.now, createdBy: `n${n}`, ...modification() }
      await account.write((t) => {
        if (isFree(stream)) addStream(account, t, recorder, stream)
      })
    } else if (roll(4) > 0) {
      const after: Stream = { ...before, ...modification(), ...any<Partial<Stream>>([{ name: any(['X', 'Y', 'Z']) }, { parentId: any([null, ...STREAMS]) }, { trashed: true }]) }
      await account.write((t) => {
        if (isFree(after)) replaceStream(account, t, recorder, before, after)
      })
    } else await deleteStream(id)
  }

  /** Deletes as streams.delete does, with the events that are in no other stream. */
  async function deleteStream(id: string): Promise<void> {
    await account.exclusively(async (write) => {
      const doomed = account.tree.subtree(id, { trashed: true })
      const events = new Set<string>()
      for (const stream of doomed) {
        const prefix = accountKeys.streamEvents('1', stream)
        for await (const key of each(account.db.keys(under(prefix)))) events.add(key.slice(prefix.length + ORDERED_LENGTH))
      }
      await write((t) => {
        for (const event of [...events].sort()) {
          const before = findEvent(t, '1', event)
          if (before === undefined) continue
          const { integrity: _, ...rest } = before
          const streamIds = before.streamIds.filter((stream) => !doomed.includes(stream))
          if (streamIds.length === 0) removeEvent(t, store.recorder, before, clock.now, 'keep-nothing', hashed)
          else replaceEvent(t, store.recorder, before, hashed({ ...rest, streamIds, ...modification() }))
        }
        for (const stream of doomed.reverse()) removeStream(account, t, store.recorder, stream, clock.now)
      })
    })
  }

  const editProfile = (): Promise<unknown> =>
    account.write((t) => {
      const former = findProfile(t, '1', 'public')
      putProfile(t, former, { id: 'public', keys: clientData(former?.profile.keys) ?? {}, modified: clock.now })
    })

  const reader = (): Parameters<typeof changesOf>[0] => ({ account: '1', getBytes: (key) => account.db.getBytes(key) })

  function changesHere({ kind, id }: ItemRef): Uint8Array[] {
    const place =
      kind === 'event' ? account.db.get(accountKeys.eventPlace('1', id))?.slice(ORDERED_LENGTH)
      : kind === 'stream' ? account.db.get(accountKeys.streamPlace('1', id))
      : undefined
    if (kind === 'event' && findDeletion(account.db, '1', id) !== undefined) return []
    return place === undefined ? [] : [...changesOf(reader(), Number.parseInt(place, 36))].map(({ change }) => change).reverse()
  }

  function read(item: ItemRef, last = Infinity): Entry[] {
    const { kind, id } = item
    const entries: Entry[] = []
    const tombstone = kind === 'stream' ? findTombstone(account.db, '1', id) : undefined
    if (tombstone !== undefined) entries.push({ kind: 'stream', id, ...tombstone } satisfies DeletionEntry)
    const deletion = kind === 'event' ? findDeletion(account.db, '1', id) : undefined
    if (deletion !== undefined) return [{ kind: 'event', id, deleted: deletion.deleted }]
    const kept = kind === 'profile' ? findProfile(account.db, '1', id) : undefined
    if (kept !== undefined) {
      const registers = registersSince(kept).sort((a, b) => a.counter - b.counter).slice(-last)
      entries.push({ kind: 'profile', id, modified: kept.profile.modified, registers })
    }
    const changes = changesHere(item).slice(-last)
    if (changes.length > 0) entries.push({ kind, id, changes } as ChangesEntry)
    return entries
  }

  return {
    async edit() {
      const which = roll(10)
      await (which < 5 ? editEvent() : which < 9 ? editStream() : editProfile())
    },
    read,
    async take(entries) {
      const outcomes = await merger.merge(account, entries, { peer: 1, scope: { is: 'mirror' } })
      for (const outcome of outcomes) if (outcome.is === 'refused') throw new Error(outcome.message)
    },
    async dump() {
      const states: Record<string, string> = {}
      for (const item of ITEMS) {
        const state = zeroDigest()
        const name = item.kind.charAt(0) + item.id
        for (const change of changesHere(item)) xorInto(state, changeElement(name, change))
        const kept = item.kind === 'profile' ? findProfile(account.db, '1', item.id) : undefined
        if (kept !== undefined) xorInto(state, profileState(kept))
        const deletion = findDeletion(account.db, '1', item.id)
        if (deletion !== undefined && item.kind === 'event') xorInto(state, deletionElement(name, deletion.deleted))
        const tombstone = item.kind === 'stream' ? findTombstone(account.db, '1', item.id) : undefined
        if (tombstone !== undefined) xorInto(state, tombstoneElement(name, tombstone.deleted, tombstone.roots))
        states[name] = Buffer.from(state).toString('hex')
      }
      const all = async (prefix: string): Promise<[string, string][]> => {
        const found: [string, string][] = []
        for await (const entry of each(account.db.entries(under(prefix)))) found.push(entry)
        return found
      }
      const tree = ownStreams(account).map((stream) => JSON.stringify(stream)).sort()
      const streams = await all(accountKeys.streams('1'))
      if (JSON.stringify(streams.map(([, text]) => text).sort()) !== JSON.stringify(tree)) throw new Error('The tree in memory is another.')
      return {
        events: await all(accountKeys.events('1')),
        deletions: await all(accountKeys.eventDeletions('1')),
        streams,
        streamDeletions: await all(accountKeys.streamDeletions('1')),
        declaredPlace: await all(accountKeys.allDeclaredPlaces('1')),
        hidden: await all(accountKeys.unplacedEvents('1')),
        profile: findProfile(account.db, '1', 'public')?.profile,
        registers: read({ kind: 'profile', id: 'public' }).map((entry) => JSON.stringify('registers' in entry && entry.registers.map((one) => JSON.stringify(one)).sort())),
        states,
      }
    },
    async restart() {
      await store.close()
      await open()
      account = await store.account('1')
    },
    async check() {
      await store.settled()
      const { problems } = await checkOpened(opened, seal)
      return problems.map(({ where, what }) => `${where} ${what}`).filter((one) => !one.includes('user') && !one.startsWith('the node'))
    },
    async end() {
      await store.close()
      await rm(root, { recursive: true })
    },
  }
}

