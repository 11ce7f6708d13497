/** Replicas of one account, each in a store of its own: edited as clients do, and merged with each other's items. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, ORDERED_LENGTH, under } from '../../../src/store/engine/keys.js'
import { createStore, openStore } from '../../../src/store/engine/open.js'
import { addEvent, findDeletion, findEvent, removeEvent, replaceEvent } from '../../../src/store/events/events.js'
import { createStoreView } from '../../../src/store/index.js'
import { createSeal } from '../../../src/store/keyring/seal.js'
import { isReservedStream } from '../../../src/store/model/cmc.js'
import type { Event } from '../../../src/store/model/event.js'
import { Secret } from '../../../src/store/model/secret.js'
import type { StreamDeletion } from '../../../src/store/model/stream.js'
import { addStream, removeStream, replaceStream } from '../../../src/store/streams/streams.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { readItem } from '../../../src/sync/digest/readItem.js'
import type { Entry, Outcome } from '../../../src/sync/wire/entry.js'
import { createMerger } from '../../../src/sync/merge/merge.js'
import { findTombstone } from '../../../src/store/streams/tombstones.js'

/** Content of a replica as clients read it, and its tombstones. */
export interface ReplicaContent {
  /** `child under parent` or `root`, with `named <name>` where the name differs from the id; sorted. */
  streams: string[]
  /** `<event> in <streams>`, sorted; with `: content` once edited. */
  events: string[]
  /** Times of the listed deletions, by id. */
  deletedStreams: Record<string, number>
  deletedEvents: Record<string, number>
  /** Time of the latest deletion and number of covered initial changes, by stream id. */
  tombstones: Record<string, [deleted: number, covered: number]>
}

export interface Replica {
  /** Runs `add s`, `add c under s`, `rename s X`, `delete s`, `put e1 in s t`, `edit e1 text`, `move e1 to s t` or `drop e1`. */
  edit(step: string, now: number): Promise<void>
  /** Returns all entries of these streams and events. */
  read(streams: readonly string[], events: readonly string[]): Promise<Entry[]>
  merge(entries: readonly Entry[], now: number): Promise<Outcome[]>
  readContent(streams: readonly string[]): Promise<ReplicaContent>
  end(): Promise<void>
}

const seal = await createSeal(new Secret(new Uint8Array(32).fill(7)))
const ID = 'cjx000000000000000000'

/** Returns the id of an event that scripts call `e1`. */
const eventId = (name: string): string => ID + name.padStart(4, '0')
const eventName = (id: string): string => id.slice(ID.length).replace(/^0+/, '')

/** Opens a replica with an empty account. `number` distinguishes it from others. */
export async function openReplica(number: number): Promise<Replica> {
  const root = await mkdtemp(join(tmpdir(), 'coffer-deletions-'))
  let clock = 1
  const now = (): number => clock
  const folder = join(root, 'store')
  await createStore({ folder, now }, 'node', seal)
  const opened = await openStore({ folder, now })
  const store = await createStoreView(opened, seal, createRecorder({ actor: number.toString(16).padStart(32, '0') }))
  const { recorder } = store
  const account = await store.createAccount((t, made) => {
    t.put(accountKeys.user(made.prefix), '{}')
    return made
  })
  const { db, prefix, tree } = account
  const merger = createMerger({
    store,
    types: { check: () => undefined, seriesType: () => undefined },
    keeping: () => ({ deletionMode: 'keep-nothing' }),
    now,
    noteMissingFile: () => {},
    mergeAccess: () => ({ is: 'known' }),
    mergeSeries: () => ({ is: 'known' }),
  })
  const edited = (): Pick<Event, 'modified' | 'modifiedBy'> => ({ modified: clock, modifiedBy: `n${number}` })
  const tracking = (): Pick<Event, 'created' | 'createdBy' | 'modified' | 'modifiedBy'> => ({ created: clock, createdBy: `n${number}`, ...edited() })
  const keepNothing = <E>(remains: E): E => remains

  async function replace(name: string, patch: Partial<Event>): Promise<void> {
    await account.write((t) => {
      const before = findEvent(t, prefix, eventId(name))
      if (before !== undefined) replaceEvent(t, recorder, before, { ...before, ...patch, ...edited() })
    })
  }

  /** Deletes a stream with its descendants, and the events that are in no other stream, as streams.delete does. */
  async function deleteStream(id: string): Promise<void> {
    await account.exclusively(async (write) => {
      const streams = tree.subtree(id, { trashed: true })
      const events = new Set<string>()
      for (const stream of streams) {
        const range = accountKeys.streamEvents(prefix, stream)
        for await (const key of each(db.keys(under(range)))) events.add(key.slice(range.length + ORDERED_LENGTH))
      }
      await write((t) => {
        for (const event of events) {
          const before = findEvent(t, prefix, event)
          if (before === undefined) continue
          const streamIds = before.streamIds.filter((stream) => !streams.includes(stream))
          if (streamIds.length === 0) removeEvent(t, recorder, before, clock, 'keep-nothing', keepNothing)
          else replaceEvent(t, recorder, before, { ...before, streamIds, ...edited() })
        }
        for (const stream of streams.reverse()) removeStream(account, t, recorder, stream, clock)
      })
    })
  }

  async function edit(step: string, at: number): Promise<void> {
    clock = at
    const [verb, name = '', , ...rest] = step.split(' ')
    const last = step.split(' ').at(-1) ?? ''
    switch (verb) {
      case 'add':
        await account.write((t) => addStream(account, t, recorder, { id: name, name, parentId: rest[0] ?? null, ...tracking() }))
        return
      case 'rename':
        await account.write((t) => {
          const before = tree.get(name)
          if (before !== undefined) replaceStream(account, t, recorder, before, { ...before, name: last, ...edited() })
        })
        return
      case 'delete':
        return deleteStream(name)
      case 'put':
        await account.write((t) => addEvent(t, recorder, { id: eventId(name), streamIds: rest, type: 'note/txt', content: '', time: 1, tags: [], ...tracking() }))
        return
      case 'edit':
        return replace(name, { content: last })
      case 'move':
        return replace(name, { streamIds: rest })
      case 'drop':
        await account.write((t) => {
          const event = findEvent(t, prefix, eventId(name))
          if (event !== undefined) removeEvent(t, recorder, event, clock, 'keep-nothing', keepNothing)
        })
        return
      default:
        throw new Error(`No step "${step}".`)
    }
  }

  async function values<T>(range: string): Promise<T[]> {
    const found: T[] = []
    for await (const text of each(db.values(under(range)))) found.push(JSON.parse(text) as T)
    return found
  }

  return {
    edit,
    async read(streams, events) {
      const items = [...streams.map((id) => ({ kind: 'stream', id }) as const), ...events.map((id) => ({ kind: 'event', id: eventId(id) }) as const)]
      const entries: Entry[] = []
      for (const item of items) entries.push(...(await readItem(store, account, item)))
      return entries
    },
    merge(entries, at) {
      clock = at
      return merger.merge(account, entries, { peer: 1, scope: { is: 'mirror' } })
    },
    async readContent(ids) {
      const streams = [...tree.all()].filter(({ id }) => !isReservedStream(id))
      const events = await values<Event>(accountKeys.events(prefix))
      const deletions = await values<{ id: string; deleted: number }>(accountKeys.eventDeletions(prefix))
      for (const { id, deleted } of deletions) {
        if (findDeletion(db, prefix, id)?.deleted !== deleted) throw new Error(`The deletion of ${id} is listed wrongly.`)
      }
      const tombstones = ids.flatMap((id): [string, [number, number]][] => {
        const found = findTombstone(db, prefix, id)
        if (found === undefined) return []
        if ([...new Set(found.roots)].sort().join() !== found.roots.join()) throw new Error(`The first changes of ${id} are not in order.`)
        return [[id, [found.deleted, found.roots.length]]]
      })
      return {
        streams: streams
          .map(({ id, name, parentId }) => id + (parentId === null ? '' : ` under ${parentId}`) + (name === id ? '' : ` named ${name}`))
          .sort(),
        events: events.map(({ id, streamIds, content }) => `${eventName(id)} in ${[...streamIds].sort().join(' ')}${content === '' ? '' : `: ${String(content)}`}`).sort(),
        deletedStreams: Object.fromEntries((await values<StreamDeletion>(accountKeys.streamDeletions(prefix))).map(({ id, deleted }) => [id, deleted])),
        deletedEvents: Object.fromEntries(deletions.map(({ id, deleted }) => [eventName(id), deleted])),
        tombstones: Object.fromEntries(tombstones),
      }
    },
    async end() {
      await store.close()
      await rm(root, { recursive: true })
    },
  }
}
