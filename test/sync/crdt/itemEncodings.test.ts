/**
 * Encodings of items, byte for byte: stored records, fields of documents in their order, changes of creations and edits.
 * `itemEncodings.json` contains those of version 0.1.0. Peers and older stores have these bytes, so they never change.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editAccess, joinAccesses } from '../../../src/store/model/accessMerge.js'
import type { Access } from '../../../src/store/model/access.js'
import type { Event } from '../../../src/store/model/event.js'
import { eventToRecord, recordToEvent } from '../../../src/store/model/eventRecord.js'
import { accessIntegrity, eventIntegrity } from '../../../src/store/model/integrity.js'
import type { Profile } from '../../../src/store/model/profile.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { canonicalStream } from '../../../src/store/model/streams/fields.js'
import type { Item } from '../../../src/store/engine/changeRecorder.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { fieldsToItem, itemToFields } from '../../../src/sync/crdt/fields.js'

const tracking = { created: 1_700_000_000.25, createdBy: 'ca1', modified: 1_700_000_001, modifiedBy: 'ca2 "phone"' }
const files = [
  { id: 'f9', fileName: 'a "b".txt', type: 'text/plain', size: 3, integrity: 'sha256-x' },
  { id: 'f1', fileName: 'c.txt', type: 'text/plain', size: 0 },
]
const bare: Event = { id: 'cjabcdefghijklmnopqrstuvw', streamIds: ['heart'], type: 'mass/kg', time: -3.25, tags: [], ...tracking }
const full: Event = {
  ...bare,
  streamIds: ['heart', 'body'],
  type: 'test/any',
  duration: null,
  content: { b: [1, null], a: 'ü\n', tags: [] },
  tags: ['b', 'a', '\ud800'],
  description: 'said "what"',
  attachments: files,
  clientData: { 'app:y': null, 'app:x': [1], ['__proto__']: { ',"tags":': 1 } },
  trashed: true,
  integrity: 'EVENT:0:sha256-x',
}
/** Members in an unusual order, as clients and archives send them. */
const shuffled = Object.fromEntries(Object.entries(full).reverse()) as unknown as Event
const events: Readonly<Record<string, Event>> = {
  bare,
  full,
  shuffled,
  lasting: { ...bare, duration: 60.5, content: 72.5, description: '' },
  empty: { ...bare, content: null, clientData: {}, attachments: [] },
}
const streams: Readonly<Record<string, Stream>> = {
  root: { id: 'heart', name: 'Heart', parentId: null, ...tracking },
  full: { ...tracking, childrenHidden: false, trashed: true, clientData: { z: 1, a: { deep: [] } }, parentId: 'body', name: '\ud800', id: 'pulse' },
}
const profiles: Readonly<Record<string, Profile>> = {
  public: { id: 'public', keys: { name: 'Ana', list: [1], ['__proto__']: 2 }, modified: 5.5 },
}
const items: Readonly<Record<string, Item>> = {
  ...named('event', events),
  ...named('stream', streams),
  ...named('profile', profiles),
}

function named(kind: Item['kind'], all: Readonly<Record<string, unknown>>): Record<string, Item> {
  return Object.fromEntries(Object.entries(all).map(([name, item]) => [`${kind} ${name}`, { kind, item } as Item]))
}

const access: Access = {
  id: 'ck1',
  type: 'shared',
  name: 'Shared',
  deviceName: 'phone',
  permissions: [{ streamId: 'heart', level: 'read' }],
  expires: 9,
  clientData: { z: 1, a: 2 },
  alias: 'r-abcdefgh',
  manager: 'ck2',
  ...tracking,
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const canonical = ({ kind, item }: Item): object => (kind === 'stream' ? canonicalStream(item) : item)

/** Encodings of an item, and of the edit that turns it into another. */
function encodingsOf(item: Item, other: Item): Record<string, unknown> {
  const recorder = createRecorder({ actor: '0123456789abcdef'.repeat(2) })
  const fields = itemToFields(item)
  const first = recorder.created(item)
  const { change, docState } = recorder.edited(item, other, { initialChange: () => first })
  return {
    fields: Object.entries(fields),
    item: JSON.stringify(canonical(fieldsToItem(item.kind, item.item.id, fields))),
    created: hex(first),
    edited: hex(change),
    docState: hex(docState),
  }
}

function encodings(): Record<string, unknown> {
  const byItem = Object.entries(items).map(([name, item]) => {
    const peers = Object.values(items).filter(({ kind }) => kind === item.kind)
    const other = peers[(peers.indexOf(item) + 1) % peers.length] ?? item
    return [name, encodingsOf(item, { ...other, item: { ...other.item, id: item.item.id } } as Item)] as const
  })
  const records = Object.entries(events).map(([name, event]) => {
    const record = eventToRecord(event)
    return [name, { record, parsed: JSON.stringify(recordToEvent(record)), hash: eventIntegrity(event, 'sha256') }] as const
  })
  const edited = editAccess(access, { ...access, name: 'Other', permissions: [], serial: 1, clientData: { a: 3 } }, 'actor-a')
  const joined = joinAccesses(edited, editAccess(access, { ...access, expires: 3, modified: 7, serial: 1 }, 'actor-b'), 'token')
  return {
    ...Object.fromEntries(byItem),
    records: Object.fromEntries(records),
    streams: Object.values(streams).map((stream) => JSON.stringify(canonicalStream(stream))),
    access: [edited, joined].map((one) => JSON.stringify(one)),
    accessHash: accessIntegrity({ ...access, token: 'token' }, 'sha256'),
  }
}

const published = JSON.parse(readFileSync(new URL('itemEncodings.json', import.meta.url), 'utf8')) as Record<string, unknown>

describe('the encodings of items', () => {
  it.each(Object.entries(encodings()))('are those of version 0.1.0: %s', (name, encoded) => {
    expect(JSON.parse(JSON.stringify(encoded))).toStrictEqual(published[name])
  })
})
