/** Valid calls, one or more for each method, which a fuzzer mutates. */
import { z } from 'zod'
import type { Method } from '../../src/server/call/method.js'
import { oddValue, pick, type Next } from './oddJson.js'

const EVENT = 'c000000000000000000000001'
const SERIES = 'c000000000000000000000003'
const POSITIONS = 'c000000000000000000000004'
/** No access has an id known in advance. */
const ACCESS = 'a00000000000000000000001'

/** Setup that the samples refer to: streams, one of them trashed, an event, and series. */
export const SETUP: readonly [method: string, params: unknown][] = [
  ['streams.create', { id: 'a', name: 'A' }],
  ['streams.create', { id: 'b', name: 'B', parentId: 'a' }],
  ['streams.create', { id: 'gone', name: 'Gone', trashed: true }],
  ['events.create', { id: EVENT, streamIds: ['a', 'b'], type: 'note/txt', content: 'x', time: 5, duration: 60 }],
  ['events.create', { id: SERIES, streamIds: ['a'], type: 'series:mass/kg', time: 5 }],
  ['events.create', { id: POSITIONS, streamIds: ['a'], type: 'series:position/wgs84', time: 5 }],
]

/** Parameters by method, in the form of a batch. Methods without samples get values by their schema. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  'events.create': [
    { streamIds: ['a'], type: 'note/txt', content: 'text' },
    {
      id: 'c000000000000000000000002',
      streamIds: ['a', 'b'],
      type: 'position/wgs84',
      content: { latitude: 1, longitude: 2 },
      time: 1000.5,
      duration: 60,
      tags: ['t', 'u'],
      description: 'text',
      clientData: { app: { a: [1] } },
      trashed: false,
    },
    { streamId: 'b', type: 'mass/kg', content: 5 },
    { streamIds: ['a'], type: 'test/free', content: { any: ['thing', { at: 'all' }] } },
    { streamIds: ['a'], type: 'series:mass/kg' },
    { streamIds: [':system:email'], type: 'email/string', content: 'x@example.org' },
  ],
  'events.update': [
    { id: EVENT, update: { content: 'other', time: 7 } },
    { id: EVENT, update: { streamIds: ['b'], tags: ['x'], duration: null, clientData: { app: null, k: 1 } } },
    { id: EVENT, update: { type: 'test/free', content: [1], description: 'd', trashed: true } },
    { id: ':_system:language', update: { content: 'fr' } },
  ],
  'events.get': [
    { fromTime: 0, toTime: 1e10, streams: ['a'], types: ['note/*'], limit: 5, skip: 0, sortAscending: true },
    { streams: [{ any: ['a'], all: ['b'], not: ['c'] }], state: 'all', modifiedSince: 0, includeDeletions: true },
    { content: [{ path: 'a.b', gte: 5 }], clientData: [{ path: 'app', exists: true }], running: true },
    { tags: ['t'], streams: JSON.stringify({ any: ['*'] }) },
  ],
  'events.getOne': [{ id: EVENT, includeHistory: true }],
  'events.delete': [{ id: EVENT }, { id: ':system:email' }],
  'streams.create': [
    { id: 'c', name: 'C', parentId: 'a', clientData: { k: { v: 1 } }, trashed: false, childrenHidden: true },
    { name: 'No id' },
    { id: 'Ünï cödé', name: 'Slug', children: [] },
  ],
  'streams.update': [
    { id: 'b', update: { name: 'BB', parentId: null, clientData: { k: null } } },
    { id: 'a', update: { parentId: 'b', trashed: true, childrenHidden: false } },
  ],
  'streams.delete': [{ id: 'b', mergeEventsWithParent: true }, { id: 'gone' }],
  'streams.get': [{ parentId: 'a', state: 'all', includeDeletionsSince: 0 }, { id: 'b' }],
  'accesses.create': [
    { name: 'x', permissions: [{ streamId: 'a', level: 'read' }], expireAfter: 60, clientData: { k: 1 } },
    {
      name: 'app',
      type: 'app',
      deviceName: 'd',
      token: 'chosen one',
      randomAlias: true,
      permissions: [
        { streamId: 'new', level: 'manage', defaultName: 'New' },
        { streamId: ':system:email', level: 'read' },
        { tag: 't', level: 'contribute' },
        { feature: 'selfRevoke', setting: 'forbidden' },
      ],
    },
  ],
  'accesses.update': [
    { id: ACCESS, update: { name: 'y', permissions: [{ streamId: '*', level: 'read' }], expires: null } },
    { id: `${ACCESS}:1`, update: { deviceName: null, expireAfter: 5, clientData: null } },
  ],
  'accesses.getOne': [{ id: `${ACCESS}:1`, includeHistory: true }],
  'accesses.get': [{ includeExpired: true, includeDeletions: true }],
  'accesses.delete': [{ id: ACCESS }],
  'accesses.checkApp': [
    {
      requestingAppId: 'app',
      requestedPermissions: [{ streamId: 'a', level: 'read', defaultName: 'A' }],
      deviceName: 'd',
      clientData: { k: 1 },
    },
  ],
  'series.add': [
    { id: SERIES, data: { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1.5], [1, '72.4'], [1e-9, 3]] } },
    { id: SERIES, data: { format: 'flatJSON', fields: ['value', 'timestamp'], points: [[1, 1000], [2, 2e9]] } },
    {
      id: POSITIONS,
      data: { format: 'flatJSON', fields: ['deltaTime', 'latitude', 'longitude', 'speed'], points: [[0, 1, 2, null], [3, 4, 5, 6]] },
    },
  ],
  'series.batch': [
    {
      data: {
        format: 'seriesBatch',
        data: [
          { eventId: SERIES, data: { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[7, 8]] } },
          { eventId: POSITIONS, data: { format: 'flatJSON', fields: ['deltaTime', 'latitude', 'longitude'], points: [[7, 8, 9]] } },
        ],
      },
    },
  ],
  'series.get': [{ id: SERIES, fromDeltaTime: 0, toDeltaTime: 10 }],
  'series.summary': [{ id: POSITIONS, fromDeltaTime: 0, toDeltaTime: 10, points: 3, fields: ['latitude'] }],
  'auth.login': [{ username: 'alice', password: 'wrong', appId: 'test-app' }],
  'auth.register': [
    { username: 'somebody', password: 'short', email: 'e@example.org', appId: 'test-app', language: 'fr' },
  ],
  'auth.delete': [{ username: 'nobody-here' }],
  callBatch: [
    [{ method: 'streams.get', params: {} }],
    [
      { method: 'events.create', params: { streamIds: ['a'], type: 'note/txt', content: 'x' } },
      { method: 'events.get', params: { limit: 1 } },
    ],
  ],
}

/** Returns parameters for a method. */
export const sampleOf = (method: Method, next: Next): unknown => structuredClone(pick(next, samplesOf(method, next)))

/** Returns all samples of a method's parameters, at least one. */
export function samplesOf(method: Method, next: Next): readonly unknown[] {
  return SAMPLES[method.id] ?? [describedBy(method, next)]
}

function describedBy(method: Method, next: Next): unknown {
  const schema = z.toJSONSchema(method.input, { unrepresentable: 'any' }) as Schema
  return { ...pathParameters(method), ...(asObject(described(schema, next)) ?? {}) }
}

function pathParameters(method: Method): Record<string, string> {
  return Object.fromEntries([...method.http.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, 'a']))
}

const asObject = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/** Returns a value that fits a schema, for the supported keywords. */
function described(schema: Schema, next: Next): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[next(schema.enum.length)]
  if (schema.anyOf !== undefined) return described(pick(next, schema.anyOf), next)
  if (schema.type === 'object') {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, one]) => [key, described(one, next)]))
  }
  if (schema.type === 'array') return schema.items === undefined ? [] : [described(schema.items, next)]
  if (schema.type === 'string') return 'text'
  if (schema.type === 'number' || schema.type === 'integer') return next(100)
  if (schema.type === 'boolean') return next(2) === 0
  return schema.type === 'null' ? null : oddValue(next)
}
