import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Event } from '../../../src/store/model/event.js'
import type { Stream } from '../../../src/store/model/stream.js'
import type { Item } from '../../../src/store/engine/changeRecorder.js'
import {
  fieldsToEvent,
  fieldsToItem,
  fieldsToProfile,
  fieldsToStream,
  isPosition,
  itemToFields,
  positionIn,
  type Fields,
} from '../../../src/sync/crdt/fields.js'
import { itemOf } from '../items.js'
import { runs } from '../../support/oracles/runs.js'

const tracking = { created: 1, createdBy: 'ca1', modified: 2.5, modifiedBy: 'ca2 phone' }
const event: Event = { id: 'e1', streamIds: ['heart'], type: 'mass/kg', time: -3.25, tags: [], ...tracking }
const stream: Stream = { id: 's1', name: 'Heart', parentId: null, ...tracking }

describe('the fields of an event', () => {
  it('are one key for each part that changes on its own', () => {
    const fields = itemToFields({
      kind: 'event',
      item: {
        ...event,
        content: { kg: 72.5 },
        streamIds: ['heart', 'body'],
        tags: ['b', 'a'],
        duration: null,
        description: '',
        attachments: [{ id: 'f9', fileName: 'a b.txt', type: 'text/plain', size: 3, integrity: 'sha256-x' }],
        clientData: { 'app:x': [1], 'app:y': null },
        trashed: true,
        integrity: 'EVENT:0:sha256-x',
      },
    })
    expect(fields).toEqual({
      body: '{"type":"mass/kg","content":{"kg":72.5}}',
      time: -3.25,
      duration: null,
      description: '',
      trashed: true,
      's:heart': 0,
      's:body': 1,
      't:b': 0,
      't:a': 1,
      'a:f9': '{"position":0,"fileName":"a b.txt","type":"text/plain","size":3,"integrity":"sha256-x"}',
      'c:app:x': '[1]',
      'c:app:y': 'null',
      ...tracking,
    })
  })

  it('distinguish absent from null', () => {
    const round = (item: Event): Event => fieldsToEvent('e1', itemToFields({ kind: 'event', item }))
    expect(round(event)).toStrictEqual(event)
    expect(round({ ...event, duration: null })).toStrictEqual({ ...event, duration: null })
    expect(round({ ...event, content: null })).toStrictEqual({ ...event, content: null })
  })

  it('preserve positions of members while the order allows it', () => {
    const positions = new Map([
      ['s:a', 0],
      ['s:b', 1],
      ['s:c', 2],
    ])
    const positionsOf = (...streamIds: string[]): Fields => {
      const fields = itemToFields({ kind: 'event', item: { ...event, streamIds } }, (key) => positions.get(key))
      return Object.fromEntries(Object.entries(fields).filter(([key]) => isPosition(key)))
    }
    expect(positionsOf('b', 'c')).toEqual({ 's:b': 1, 's:c': 2 })
    expect(positionsOf('a', 'c', 'x')).toEqual({ 's:a': 0, 's:c': 2, 's:x': 3 })
    expect(positionsOf('b', 'a')).toEqual({ 's:b': 1, 's:a': 2 })
    expect(positionsOf('x', 'c', 'a')).toEqual({ 's:x': 0, 's:c': 2, 's:a': 3 })
  })

  it('count a repeated member once, at its first position', () => {
    const { tags } = fieldsToEvent('e1', itemToFields({ kind: 'event', item: { ...event, tags: ['b', 'a', 'b'] } }))
    expect(tags).toEqual(['b', 'a'])
  })

  it('order members by position, then by id', () => {
    const fields = { ...itemToFields({ kind: 'event', item: event }), 't:b': 1, 't:c': 0, 't:a': 1 }
    expect(fieldsToEvent('e1', fields).tags).toEqual(['c', 'a', 'b'])
  })
})

describe('the fields of a stream', () => {
  it('are one key for each part that changes on its own', () => {
    const item = { ...stream, childrenHidden: false, clientData: { k: 'v' } }
    expect(itemToFields({ kind: 'stream', item })).toEqual({
      name: 'Heart',
      parentId: null,
      childrenHidden: false,
      'c:k': '"v"',
      ...tracking,
    })
  })
})

describe('the fields of a profile set', () => {
  it('are one for each of its keys', () => {
    const item = { id: 'public', keys: { name: 'Ana', 's:x': {}, time: [1] }, modified: 2.5 }
    const fields = itemToFields({ kind: 'profile', item })
    expect(fields).toEqual({ 'p:name': '"Ana"', 'p:s:x': '{}', 'p:time': '[1]', modified: 2.5 })
    expect(fieldsToProfile('public', fields)).toEqual(item)
  })

  it('are refused when damaged', () => {
    const damaged = expect.objectContaining({ id: 'corrupted-data' }) as Error
    expect(() => fieldsToProfile('public', { 'p:a': '1' })).toThrow(damaged)
    expect(() => fieldsToProfile('public', { 'p:a': '{', modified: 1 })).toThrow(damaged)
  })
})

describe('fields and items', () => {
  const back = ({ kind, item: { id } }: Item, fields: Fields): unknown => fieldsToItem(kind, id, fields).item
  const anyItem = fc.oneof(itemOf('e1'), itemOf('s1'), itemOf('public'))

  it('convert to each other without loss', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        // Unlike expect, assert handles client data with a key named constructor.
        assert.deepStrictEqual(back(item, itemToFields(item)), item.item)
      }),
      { numRuns: runs(500) },
    )
  })

  it('contain no text that UTF-8 cannot encode', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        for (const [key, value] of Object.entries(itemToFields(item))) {
          expect(Buffer.from(key).toString()).toBe(key)
          if (typeof value === 'string') expect(Buffer.from(value).toString()).toBe(value)
        }
      }),
      { numRuns: runs(150) },
    )
  })
})

describe('damaged fields', () => {
  const ofEvent = itemToFields({ kind: 'event', item: event })
  const ofStream = itemToFields({ kind: 'stream', item: stream })

  it.each<[string, Fields]>([
    ['no type', { ...ofEvent, body: '{}' }],
    ['a body that is not JSON', { ...ofEvent, body: '{' }],
    ['a body that is not an object', { ...ofEvent, body: '[1]' }],
    ['a type that would break out of the record', { ...ofEvent, body: '{"type":"a/b\\","x":"y"}' }],
    ['a stream id that would break out of the record', { ...ofEvent, 's:a"': 0 }],
    ['a stream id that would break out of its key', { ...ofEvent, 's:a/b': 0 }],
    ['a stream id with half a surrogate pair', { ...ofEvent, 's:\0"\\ud800"': 0 }],
    ['a position that is no number', { ...ofEvent, 's:a': 'x' }],
    ['a position out of bounds', { ...ofEvent, 't:a': 2 ** 31 }],
    ['a negative position', { ...ofEvent, 't:a': -1 }],
    ['a time that is no number', { ...ofEvent, time: null }],
    ['a time that is not finite', { ...ofEvent, time: Number.POSITIVE_INFINITY }],
    ['a duration that is no number', { ...ofEvent, duration: 'long' }],
    ['a description that is no text', { ...ofEvent, description: null }],
    ['an escape of what needs none', { ...ofEvent, 't:\0"a"': 0 }],
    ['an escape that is none', { ...ofEvent, description: '\0x' }],
    ['client data that are no JSON', { ...ofEvent, 'c:x': 'undefined' }],
    ['an attachment without a name', { ...ofEvent, 'a:f': '{"position":0,"type":"a/b","size":1}' }],
    ['an attachment without a place', { ...ofEvent, 'a:f': '{"fileName":"a","type":"a/b","size":1}' }],
    ['nobody who created it', { ...ofEvent, createdBy: 4 }],
  ])('are refused: %s', (_, fields) => {
    expect(() => fieldsToEvent('e1', fields)).toThrow(expect.objectContaining({ id: 'corrupted-data' }))
  })

  it.each<[string, Fields]>([
    ['no name', { parentId: null }],
    ['no parent', { name: 'x' }],
    ['a parent id that would break out of its key', { ...ofStream, parentId: 'a/b' }],
    ['an invalid flag', { ...ofStream, childrenHidden: 1 }],
  ])('are refused: %s', (_, fields) => {
    expect(() => fieldsToStream('s1', fields)).toThrow(expect.objectContaining({ id: 'corrupted-data' }))
  })

  it('have no position', () => {
    expect(positionIn('s:a', 1.5)).toBeUndefined()
    expect(positionIn('a:f', 'x')).toBeUndefined()
    expect(positionIn('time', 1)).toBeUndefined()
  })
})
