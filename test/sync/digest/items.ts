/** Changes to an account, and its digest computed naively from all items. */
import { createHash } from 'node:crypto'
import type { Account } from '../../../src/store/engine/account.js'
import { changesOf } from '../../../src/store/engine/changes.js'
import { each } from '../../../src/store/engine/database.js'
import { addEvent, findEvent, isEventIdTaken, removeEvent, replaceEvent } from '../../../src/store/events/events.js'
import { accountKeys, ORDERED_LENGTH, under } from '../../../src/store/engine/keys.js'
import {
  changeElement,
  deletionElement,
  tombstoneElement,
  zeroDigest,
  textElement,
  xorInto,
  type DigestElement,
} from '../../../src/store/model/digestElement.js'
import type { Event } from '../../../src/store/model/event.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { findProfile, putProfile } from '../../../src/store/accounts/profiles.js'
import { addStream, removeStream, replaceStream } from '../../../src/store/streams/streams.js'
import type { Store } from '../../../src/store/index.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'

/** Recorder for deletions of items with their history; it records no change. */
const recorderOfDeletions = createRecorder({ actor: 'ee'.repeat(16) })

const tracking = { created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }

export const newEvent = (id: string, streams: string[] = ['s']): Event => ({
  id,
  streamIds: streams,
  type: 'note/txt',
  content: id,
  time: 1,
  tags: [],
  ...tracking,
})

export const newStream = (id: string, parentId: string | null = null): Stream => ({ id, name: id, parentId, ...tracking })

/** Creates an event, or changes its content; does nothing for a deleted one. */
export async function writeEvent({ recorder }: Store, account: Account, id: string, content: unknown, streams?: string[]): Promise<void> {
  await account.write((t) => {
    const before = findEvent(t, t.account, id)
    // The ids of deleted events are never used again.
    if (before === undefined && isEventIdTaken(t, t.account, id)) return
    if (before === undefined) addEvent(t, recorder, { ...newEvent(id, streams), content })
    else replaceEvent(t, recorder, before, { ...before, content, streamIds: streams ?? before.streamIds })
  })
}

export async function deleteEvent(account: Account, id: string, deleted: number): Promise<void> {
  await account.write((t) => {
    const event = findEvent(t, t.account, id)
    if (event !== undefined) removeEvent(t, recorderOfDeletions, event, deleted, 'keep-nothing', (kept) => kept)
  })
}

/** Creates a stream, or changes its parent. */
export async function writeStream({ recorder }: Store, account: Account, id: string, parentId: string | null = null): Promise<void> {
  await account.write((t) => {
    const before = account.tree.get(id)
    if (before === undefined) addStream(account, t, recorder, newStream(id, parentId))
    else replaceStream(account, t, recorder, before, { ...before, parentId, modified: before.modified + 1 })
  })
}

export async function deleteStream({ recorder }: Store, account: Account, id: string, deleted: number): Promise<void> {
  await account.write((t) => {
    if (account.tree.get(id) !== undefined) removeStream(account, t, recorder, id, deleted)
  })
}

export async function writeProfile(account: Account, id: string, value: number): Promise<void> {
  await account.write((t) => {
    const keys = value % 3 === 0 ? { odd: value } : { value, [`v${value % 5}`]: [value] }
    putProfile(t, findProfile(t, t.account, id), { id, keys, modified: value })
  })
}

/** Returns the digests of all items by name, computed naively: records, then chains of changes. */
export async function naiveStates({ db, prefix: a }: Account): Promise<Map<string, DigestElement>> {
  const states = new Map<string, DigestElement>()
  const add = (item: string, element: DigestElement): void => {
    const state = states.get(item) ?? zeroDigest()
    xorInto(state, element)
    states.set(item, state)
  }
  const t = { account: a, getBytes: (key: string) => db.getBytes(key) }
  const walk = (item: string, latest: number): void => {
    for (const { change } of changesOf(t, latest)) add(item, changeElement(item, change))
  }
  for await (const [key, text] of each(db.entries(under(accountKeys.eventPlaces(a))))) {
    const id = key.slice(accountKeys.eventPlaces(a).length)
    if (id.startsWith(':')) continue
    if (text.startsWith('{')) add(`e${id}`, deletionElement(`e${id}`, (JSON.parse(text) as { deleted: number }).deleted))
    else walk(`e${id}`, Number.parseInt(text.slice(ORDERED_LENGTH), 36))
  }
  for await (const key of each(db.keys(under(accountKeys.streams(a))))) {
    const id = key.slice(accountKeys.streams(a).length)
    walk(`s${id}`, Number.parseInt(db.get(accountKeys.streamPlace(a, id)) ?? '', 36))
  }
  for await (const [key, text] of each(db.entries(under(accountKeys.tombstones(a))))) {
    const { deleted, roots } = JSON.parse(text) as { deleted: number; roots: string[] }
    const item = `s${key.slice(accountKeys.tombstones(a).length)}`
    add(item, tombstoneElement(item, deleted, roots))
  }
  for await (const [key, text] of each(db.entries(under(accountKeys.profile(a, ''))))) {
    const id = key.slice(accountKeys.profile(a, '').length)
    const [head = '', values = ''] = text.split('\n')
    const keys = Object.entries(JSON.parse(values) as Record<string, unknown>)
    const { modified, actors, set, removed } = JSON.parse(head) as { modified: number; actors: string[]; set: number[][]; removed: Record<string, number[]> }
    const addStamp = (name: string, [counter = 0, actor = 0]: number[] = [], digest = '-'): void =>
      add(`p${id}`, textElement(`p${id}`, `${name} ${counter} ${actors[actor]} ${digest}`))
    add(`p${id}`, textElement(`p${id}`, `modified ${modified}`))
    for (const [i, [name, value]] of keys.entries()) {
      const digest = createHash('sha256').update(`${id} ${JSON.stringify(name)}`).digest().subarray(0, 16).toString('base64url')
      addStamp(digest, set[i], createHash('sha256').update(JSON.stringify(value)).digest('base64url'))
    }
    for (const [name, stamp] of Object.entries(removed)) addStamp(name, stamp)
  }
  return states
}

/** Returns the exclusive or of digests. */
export function sumOf(states: Iterable<DigestElement>): DigestElement {
  const sum = zeroDigest()
  for (const state of states) xorInto(sum, state)
  return sum
}
