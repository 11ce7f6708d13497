/** Walks every field of the table of events through all of its uses: a use that lacks a field fails here. */
import { describe, expect, it } from 'vitest'
import { alterableEventFields, eventFieldNames, eventFields, eventTexts } from '../../../../src/store/model/events/fields.js'
import type { Event } from '../../../../src/store/model/event.js'
import { eventToRecord, recordToEvent } from '../../../../src/store/model/eventRecord.js'
import { eventIntegrity } from '../../../../src/store/model/integrity.js'
import type { Profile } from '../../../../src/store/model/profile.js'
import { profileFields } from '../../../../src/store/model/profiles/fields.js'
import type { Stream } from '../../../../src/store/model/stream.js'
import { canonicalStream, streamFieldNames, streamFields } from '../../../../src/store/model/streams/fields.js'
import { streamIn } from '../../../../src/store/check/streams.js'
import { createRecorder, materialise } from '../../../../src/sync/crdt/document.js'
import { fieldsToItem } from '../../../../src/sync/crdt/fields.js'
import { readEvent, readProfile, readRemains, readStream } from '../../../../src/server/accountTransfer/shapes.js'
import { EventUpdate, EventView, NewEvent } from '../../../../src/server/api/events/schema.js'
import { NewStream, StreamUpdate, StreamView } from '../../../../src/server/api/streams/schema.js'
import { changesBetween } from '../../../../src/cli/commands/events/versions/versions.js'
import { changesTo, differences } from '../../../../src/cli/commands/events/import/compare.js'
import { fieldsOf, eventFields as options } from '../../../../src/cli/commands/events/fields.js'
import type { Item } from '../../../../src/store/engine/changeRecorder.js'

const ANY = { check: () => undefined, seriesType: () => undefined }
const tracked = { created: 5, createdBy: 'ca1', modified: 7, modifiedBy: 'ca2' }
const texts = Object.fromEntries(eventTexts.map((name) => [name, `text of ${name}`]))

/** An event with a value in every field. */
const whole = {
  id: 'cjabcdefghijklmnopqrstuvw',
  streamIds: ['heart', 'body'],
  type: 'note/txt',
  time: 1.5,
  duration: 60,
  content: 'content',
  tags: ['b', 'a'],
  attachments: [{ id: 'f1', fileName: 'a.txt', type: 'text/plain', size: 3 }],
  clientData: { app: { a: [1] } },
  trashed: true,
  ...tracked,
  ...texts,
} as unknown as Event
const event: Event = { ...whole, integrity: eventIntegrity(whole, 'sha256') }

const stream: Stream = { id: 'heart', name: 'Heart', parentId: 'body', clientData: { a: 1 }, trashed: true, childrenHidden: false, ...tracked }
const profile: Profile = { id: 'public', keys: { a: [1], b: null }, modified: 7 }

/** Merges the edits that two nodes make of an item, and returns the item of the merged document. */
function merged(before: Item, ours: Item, theirs: Item): object {
  const [a, b] = ['a', 'b'].map((digit) => createRecorder({ actor: digit.repeat(32) }))
  const first = a!.created(before)
  const edits = [a!.edited(before, ours, { initialChange: () => first }), b!.edited(before, theirs, { initialChange: () => first })]
  const { fields } = materialise([first, ...edits.map(({ change }) => change)])
  return fieldsToItem(before.kind, before.item.id, fields).item
}

const without = (item: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))

describe('each field of an event', () => {
  it('has a value in this test', () => expect(Object.keys(event).sort()).toEqual([...eventFieldNames].sort()))

  it('is in the stored record, also in a large one', () => {
    expect(recordToEvent(eventToRecord(event))).toStrictEqual(event)
    const large = { ...event, clientData: { app: 'x'.repeat(300_000) } }
    expect(JSON.parse(eventToRecord(recordToEvent(eventToRecord(large))))).toStrictEqual({ ...large, streamId: 'heart' })
  })

  it('survives a merge of concurrent edits', () => {
    const edited = { ...event, modified: 8 }
    const item = (of: Event): Item => ({ kind: 'event', item: of })
    const joined = merged(item(event), item(edited), item({ ...event, time: 2.5 }))
    expect(joined).toStrictEqual({ ...without(event, 'integrity'), time: 2.5, modified: 8 })
  })

  it('is in earlier versions', () => {
    const recorder = createRecorder({ actor: 'a'.repeat(32) })
    const item = (of: Event): Item => ({ kind: 'event', item: of })
    const first = recorder.created(item(event))
    const { change } = recorder.edited(item(event), item({ ...event, time: 2, modified: 8 }), { initialChange: () => first })
    const versions = recorder.versionsOf(event.id, [first, change], { count: 10, size: 10_000 })
    expect(versions.map((version) => version.event)).toStrictEqual([without(event, 'integrity')])
  })

  it.each(Object.entries(event).filter(([name]) => name !== 'id' && name !== 'integrity'))('is replicated to another node when it changes: %s', (name, value) => {
    const isText = eventTexts.some((one) => one === name)
    const next = typeof value === 'number' ? value + 1 : isText ? `${String(value)} changed` : name === 'type' ? 'note/md' : name === 'clientData' ? { app: 2 } : value
    const after = { ...event, [name]: next } as Event
    const item = (of: Event): Item => ({ kind: 'event', item: of })
    expect(merged(item(event), item(after), item({ ...event, modified: 9 }))).toMatchObject(name === 'modified' ? {} : { [name]: next })
  })

  it('is covered by the integrity hash, or declared as not covered', () => {
    for (const [name, { isHashed }] of Object.entries(eventFields)) {
      if (name === 'streamId') continue
      const other = name === 'streamIds' ? ['other'] : name === 'trashed' ? undefined : name === 'duration' ? 61 : 'other'
      expect(eventIntegrity({ ...event, [name]: other }, 'sha256') !== event.integrity, name).toBe(isHashed)
    }
  })

  it('is exported and imported, in a live event, a version and a deletion', () => {
    const line: unknown = JSON.parse(eventToRecord(event))
    expect(readEvent(line, ANY)).toStrictEqual({ item: { event, digests: new Map() } })
    const remains = { ...whole, deleted: 9 }
    const deletion = { ...remains, integrity: eventIntegrity(remains, 'sha256') }
    expect(readRemains(deletion)).toStrictEqual({ item: deletion })
  })

  it('is a parameter of create and update, or is protected', () => {
    const created = NewEvent.parse(without(event, 'attachments'))
    expect(created).toStrictEqual(without(event, 'attachments'))
    expect(EventUpdate.parse(event)).toStrictEqual(event)
    expect(EventView.parse({ ...event, streamId: 'heart' })).toStrictEqual({ ...event, streamId: 'heart' })
    const isAlterable = (name: string): boolean => alterableEventFields.some((one) => one === name)
    for (const [name, { update }] of Object.entries(eventFields)) {
      if (name !== 'streamId') expect(isAlterable(name), name).toBe(update !== 'protected')
    }
  })

  it('is compared by the history and import commands', () => {
    for (const name of alterableEventFields) {
      const other = { ...without(event, name), ...(name === 'type' ? { type: 'note/md' } : {}) }
      expect(changesBetween(event as never, other).map(({ field }) => field), name).toEqual([name])
      const differing = differences({ event: event as never, isWhole: true }, other)
      expect(differing, name).toEqual([name])
      expect(changesTo(event as never, other, differing), name).toEqual({ [name]: event[name] })
    }
  })

  it('has a command option if it is a text', () => {
    const none = Object.fromEntries(Object.entries(options).map(([name, { read }]) => [name, read(undefined)]))
    for (const name of eventTexts) expect(fieldsOf({ ...none, [name]: 'x' } as never, undefined)).toEqual({ [name]: 'x' })
  })
})

describe('each field of a stream', () => {
  it('has a value in this test', () => {
    expect(Object.keys(stream).sort()).toEqual([...streamFieldNames].sort())
    expect(Object.keys(streamFields).sort()).toEqual(['children', ...streamFieldNames].sort())
  })

  it('is in the record, checked in the store, exported and imported', () => {
    const mixed = Object.fromEntries(Object.entries(stream).reverse()) as unknown as Stream
    expect(Object.keys(canonicalStream(mixed))).toEqual(streamFieldNames)
    expect(streamIn(JSON.stringify(stream))).toStrictEqual(stream)
    expect(readStream(JSON.parse(JSON.stringify(stream)), ANY)).toStrictEqual({ item: stream })
  })

  it('survives a merge of concurrent edits', () => {
    const item = (of: Stream): Item => ({ kind: 'stream', item: of })
    const joined = merged(item(stream), item({ ...stream, modified: 8 }), item({ ...stream, name: 'Pulse' }))
    expect(joined).toStrictEqual({ ...stream, name: 'Pulse', modified: 8 })
  })

  it('is a parameter of create and update, or is protected', () => {
    expect(NewStream.parse(stream)).toStrictEqual(stream)
    expect(StreamUpdate.parse(stream)).toStrictEqual(stream)
    expect(StreamView.parse({ ...stream, children: [] })).toStrictEqual({ ...stream, children: [] })
  })
})

describe('each field of a profile set', () => {
  it('survives a merge, an export and an import', () => {
    expect(Object.keys(profile)).toEqual(Object.keys(profileFields))
    const item = (of: Profile): Item => ({ kind: 'profile', item: of })
    const joined = merged(item(profile), item({ ...profile, modified: 8 }), item({ ...profile, keys: { ...profile.keys, c: 1 } }))
    expect(joined).toStrictEqual({ ...profile, keys: { ...profile.keys, c: 1 }, modified: 8 })
    expect(readProfile(profile, ANY)).toStrictEqual({ item: profile })
  })
})
