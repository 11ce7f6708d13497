import ajvDraft04 from 'ajv-draft-04'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInDirectory, readDirectory } from '../../../src/store/model/eventTypes/directory.js'
import { createEventTypes } from '../../../src/store/model/eventTypes/types.js'
import { runs } from '../../support/oracles/runs.js'

const directory = builtInDirectory()
const types = createEventTypes(directory)

/** An independent compilation of the same schemas, in their own dialect (draft-04). */
const draft04 = new ajvDraft04.default({ strict: false, strictNumbers: true, logger: false })
const independent = new Map(
  Object.entries(directory.types).map(([type, schema]) => [type, draft04.compile(structuredClone(schema))]),
)

/** Returns violations as `CODE path param`, sorted. */
function violationsOf(type: string, content: unknown): string[] {
  return (types.check(type, content) ?? []).map(({ code, path, param }) => `${code} ${path} ${param ?? ''}`).sort()
}

const permission = { streamId: 'diary', level: 'read' }
const words = { en: 'Words' }
const request = { title: words, description: words, consent: words, permissions: [permission] }
const secret = {
  keyHash: 'a1'.repeat(32),
  title: 'Handoff',
  status: 'pending',
  statusHistory: [{ status: 'pending', time: 1 }],
  onConsumed: { message: 'Done' },
}
const requestWith = (more: object) => ({ to: null, request: { ...request, ...more } })

describe('check', () => {
  const valid: [type: string, ...contents: unknown[]][] = [
    ['mass/kg', 0, -3.5, 1e300],
    ['money/chf', 1.23456],
    ['activity/plain', null, undefined],
    ['boolean/bool', true, false],
    ['picture/attached', null, undefined],
    ['note/txt', '', 'x'.repeat(4_194_304)],
    ['mood/rating', 0, 0.5, 1],
    ['position/wgs84', { latitude: 1, longitude: 2 }, { latitude: 1, longitude: 2, bearing: 3, note: 'mine' }],
    ['blood-pressure/mmhg-bpm', { systolic: 120, diastolic: 80 }],
    ['attributes/skin-type', 'Dark brown to black skin', 'White to light brown skin'],
    ['attributes/blood-type', 'oNegative', 'notSet'],
    ['url/http', 'https://example.com', 'http://x'],
    ['credentials/pryv-api-endpoint', 'https://token@ana.example.com/'],
    ['audiogram/data', { sensitivityPoints: [{ frequency: 1000, leftEarSensitivity: 20 }], start: 'a', end: 'b' }],
    ['calendar/ical-event', { dtstart: '20200101', sequence: 0, dateOnly: true }],
    [
      'clinical/fhir',
      { displayName: 'Pollen', clinicalType: 'allergyRecord' },
      { displayName: 'P', clinicalType: 'labResultRecord', fhir: { identifier: '1', resourceType: 'observation' } },
    ],
    ['contact/facebook', { id: '1', anything: {} }],
    ['encrypted/aes-256-gcm', { payload: 'AA==', keyRef: 'k', hint: { any: 1 } }, { payload: 'AA==' }],
    ['encrypted/ecies-aes-256-gcm', { payload: 'AA==', keyRef: 'k', hint: [1, null] }, { payload: 'AA==', hint: null }],
    ['encrypted/aes-text-base64', { payload: 'AA==', keyRef: 'k', hint: 'where' }, { payload: 'AA==', own: true }],
    ['message/email', { from: 'a', to: 'b', body: 'c', 'x-headers': {} }],
    ['message/facebook', { id: '1', message: 'm', to: { data: [{ name: 'Ana', id: '2' }] } }],
    ['message/chat-cmc', 'x', 'x'.repeat(10_240), { content: 'x' }, { content: 'x'.repeat(10_240), from: { username: 'ana', host: 'h' } }],
    ['music/basic', {}, { track: 1, title: 'x' }],
    ['music/soundcloud', { id: 1, title: 'x' }],
    ['sleep/analysis', {}, { analysis: 'inBed' }],
    ['ratio/generic', { value: 1, relativeTo: 2 }],
    ['notification/alert-cmc', { level: 'info', title: words, body: words, ackRequired: true }],
    ['notification/ack-cmc', { alertEventId: 'a', ackId: 'b' }],
    ['consent/request-cmc', requestWith({}), requestWith({ expiresAt: null }), requestWith({ expiresAt: 1.5, accessType: 'app' })],
    ['consent/request-cmc', requestWith({ permissions: [{ ...permission, mandatory: true }] })],
    ['consent/request-cmc', requestWith({ permissions: [{ ...permission, optIn: true, name: 'x', defaultName: 'y' }] })],
    ['consent/request-cmc', requestWith({ permissions: [{ feature: 'selfRevoke', setting: 'forbidden', mandatory: true }] })],
    ['consent/request-cmc', { ...requestWith({}), to: 'ana', capabilityRequested: true, requesterMeta: { appId: 'x' } }],
    ['consent/accept-cmc', {}, { capabilityUrl: 'u', grantedPermissions: [permission], features: null }],
    ['consent/accept-cmc', { grantedAccess: { apiEndpoint: 'x' }, from: { username: 'a', host: 'b' } }],
    ['consent/refuse-cmc', { capabilityUrl: 'u', reason: words, status: 'completed' }],
    ['consent/revoke-cmc', { accessId: 'a' }],
    ['consent/back-channel-cmc', { from: { username: 'a', host: 'b' }, apiEndpoint: 'x', appCode: 'c' }],
    ['consent/scope-request-cmc', { newPermissions: [permission], expires: 1, message: words }],
    ['consent/scope-update-cmc', { scopeRequestEventId: 'e', accept: true }, { previousPermissions: [{}] }],
    ['consent/invalidate-link-cmc', { capabilityId: 'c' }],
    ['shared-secret/item', secret, { ...secret, secret: 0, signature: { type: 'hmac-sha256' } }],
    ['shared-secret/item', { ...secret, onConsumed: { message: 'x', returnUrl: 'HTTPS://example.com' } }],
    ['log/user-api', { source: { name: 'http', ip: '::1' }, action: 'events.get', query: {}, recordCount: 0 }],
    ['log/user-api-error', { source: { name: 'http' }, action: 'events.get', id: 'forbidden', message: 'No' }],
  ]
  for (const [type, ...contents] of valid) {
    it(`${type} accepts ${JSON.stringify(contents).slice(0, 80)}`, () => {
      for (const content of contents) expect(types.check(type, content)).toBeUndefined()
    })
  }

  const missing = 'OBJECT_MISSING_REQUIRED_PROPERTY'
  const invalid: [type: string, content: unknown, ...violations: string[]][] = [
    ['mass/kg', undefined, 'INVALID_TYPE #/content content'],
    ['mass/kg', null, 'INVALID_TYPE #/content content'],
    ['mass/kg', '12', 'INVALID_TYPE #/content content'],
    ['mass/kg', [12], 'INVALID_TYPE #/content content'],
    ['pressure/db', '12', 'INVALID_TYPE #/content content'],
    ['mass/kg', Infinity, 'INVALID_TYPE #/content content'],
    ['activity/plain', 0, 'INVALID_TYPE #/content content'],
    ['boolean/bool', 'true', 'INVALID_TYPE #/content content'],
    ['file/attached', 'name', 'INVALID_TYPE #/content content'],
    ['note/txt', 1, 'INVALID_TYPE #/content content'],
    ['note/txt', 'x'.repeat(4_194_305), 'MAX_LENGTH #/content content'],
    ['note/webclip', { url: 'ftp://x' }, 'PATTERN #/content/url url'],
    ['note/webclip', { url: 'http://x', content: 1 }, 'INVALID_TYPE #/content/content content'],
    ['mood/rating', 1.1, 'MAXIMUM #/content content'],
    ['mood/rating', -0.1, 'MINIMUM #/content content'],
    ['url/http', 'example.com', 'PATTERN #/content content'],
    ['credentials/pryv-api-endpoint', 'https://ana.example.com/', 'PATTERN #/content content'],
    ['attributes/blood-type', 'zPositive', 'ENUM_MISMATCH #/content content'],
    ['position/wgs84', {}, `${missing} #/content/ latitude`, `${missing} #/content/ longitude`],
    ['position/wgs84', { latitude: '1', longitude: 2 }, 'INVALID_TYPE #/content/latitude latitude'],
    ['position/wgs84', 'here', 'INVALID_TYPE #/content content'],
    ['position/wgs84', undefined, 'INVALID_TYPE #/content content'],
    ['position/wgs84', [1, 2], 'INVALID_TYPE #/content content'],
    ['calendar/ical-event', { dtstart: 'a', sequence: -1 }, 'MINIMUM #/content/sequence sequence'],
    ['calendar/ical-event', { dtstart: 'a', sequence: 1.5 }, 'INVALID_TYPE #/content/sequence sequence'],
    ['contact/facebook', { id: 1 }, 'INVALID_TYPE #/content/id id'],
    ['contact/facebook', {}, `${missing} #/content/ id`],
    [
      'audiogram/data',
      { sensitivityPoints: [{ frequency: 1 }, {}], start: 'a' },
      `${missing} #/content/ end`,
      `${missing} #/content/sensitivityPoints/1/ frequency`,
    ],
    [
      'clinical/fhir',
      { displayName: 'x', clinicalType: 'xray', fhir: { identifier: '1' } },
      'ENUM_MISMATCH #/content/clinicalType clinicalType',
      `${missing} #/content/fhir/ resourceType`,
    ],
    ['encrypted/aes-256-gcm', { keyRef: 'k' }, `${missing} #/content/ payload`],
    ['encrypted/aes-256-gcm', { payload: 'AA==', keyRef: 7 }, 'INVALID_TYPE #/content/keyRef keyRef'],
    ['encrypted/aes-256-gcm', 'AA==', 'INVALID_TYPE #/content content'],
    ['encrypted/aes-256-gcm', null, 'INVALID_TYPE #/content content'],
    ['encrypted/ecies-aes-256-gcm', {}, `${missing} #/content/ payload`],
    ['encrypted/ecies-aes-256-gcm', { payload: null }, 'INVALID_TYPE #/content/payload payload'],
    ['encrypted/ecies-aes-256-gcm', { payload: 'AA==', keyRef: {} }, 'INVALID_TYPE #/content/keyRef keyRef'],
    ['encrypted/aes-text-base64', { hint: 'x' }, `${missing} #/content/ payload`],
    ['encrypted/aes-text-base64', { payload: 'x', keyRef: null }, 'INVALID_TYPE #/content/keyRef keyRef'],
    ['encrypted/aes-text-base64', { payload: 'x', hint: {} }, 'INVALID_TYPE #/content/hint hint'],
    ['message/chat-cmc', { content: '' }, 'MIN_LENGTH #/content/content content'],
    ['message/chat-cmc', { content: 'x'.repeat(10_241) }, 'MAX_LENGTH #/content/content content'],
    ['message/chat-cmc', 5, 'INVALID_TYPE #/content content'],
    ['message/chat-cmc', '', 'MIN_LENGTH #/content content'],
    ['message/chat-cmc', 'x'.repeat(10_241), 'MAX_LENGTH #/content content'],
    ['message/facebook', { id: '', message: '', to: { data: [{ id: '' }] } }, `${missing} #/content/to/data/0/ name`],
    ['music/soundcloud', { id: 1.5 }, 'INVALID_TYPE #/content/id id'],
    ['sleep/analysis', { analysis: 'dreaming' }, 'ENUM_MISMATCH #/content/analysis analysis'],
    ['notification/ack-cmc', { alertEventId: '', ackId: 'x' }, 'MIN_LENGTH #/content/alertEventId alertEventId'],
    ['consent/request-cmc', { to: null }, `${missing} #/content/ request`],
    ['consent/request-cmc', { request }, `${missing} #/content/ to`],
    ['consent/request-cmc', requestWith({ expiresAt: 'soon' }), 'INVALID_TYPE #/content/request/expiresAt expiresAt'],
    ['consent/request-cmc', requestWith({ permissions: [] }), 'ARRAY_LENGTH_SHORT #/content/request/permissions permissions'],
    [
      'consent/request-cmc',
      requestWith({ permissions: [permission, { streamId: 'x' }] }),
      'ONE_OF_MISSING #/content/request/permissions/1 1',
    ],
    [
      'consent/request-cmc',
      requestWith({ permissions: [{ ...permission, optIn: 'yes' }] }),
      'ONE_OF_MISSING #/content/request/permissions/0 0',
    ],
    [
      'consent/request-cmc',
      requestWith({ permissions: [{ ...permission, level: 'own' }] }),
      'ONE_OF_MISSING #/content/request/permissions/0 0',
    ],
    ['consent/request-cmc', requestWith({ accessType: 'personal' }), 'ENUM_MISMATCH #/content/request/accessType accessType'],
    [
      'consent/accept-cmc',
      { grantedPermissions: [] },
      'ARRAY_LENGTH_SHORT #/content/grantedPermissions grantedPermissions',
    ],
    ['consent/accept-cmc', { grantedAccess: {} }, `${missing} #/content/grantedAccess/ apiEndpoint`],
    ['consent/refuse-cmc', {}, `${missing} #/content/ capabilityUrl`],
    ['consent/revoke-cmc', {}, `${missing} #/content/ accessId`],
    ['consent/scope-request-cmc', {}, `${missing} #/content/ newPermissions`],
    ['consent/invalidate-link-cmc', { capabilityId: '' }, 'MIN_LENGTH #/content/capabilityId capabilityId'],
    ['shared-secret/item', { ...secret, keyHash: 'A1' }, 'PATTERN #/content/keyHash keyHash'],
    [
      'shared-secret/item',
      { ...secret, statusHistory: [] },
      'ARRAY_LENGTH_SHORT #/content/statusHistory statusHistory',
    ],
    ['log/user-api', { source: {}, action: 'x' }, `${missing} #/content/source/ name`],
    ['log/user-api-error', { source: { name: 'x' }, action: 'x', id: 'x' }, `${missing} #/content/ message`],
  ]
  for (const [type, content, ...violations] of invalid) {
    it(`${type} refuses ${JSON.stringify(content)?.slice(0, 80)}`, () => {
      expect(violationsOf(type, content)).toEqual([...violations].sort())
    })
  }

  it('states the expected value in message and params', () => {
    expect(types.check('position/wgs84', { latitude: '1' })).toEqual([
      {
        code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
        message: 'Missing required property: longitude',
        path: '#/content/',
        param: 'longitude',
        params: ['longitude'],
      },
      {
        code: 'INVALID_TYPE',
        message: 'Expected type number but found type string',
        path: '#/content/latitude',
        param: 'latitude',
        params: ['number', 'string'],
      },
    ])
    expect(types.check('mood/rating', 2)?.[0]?.params).toEqual([1])
    expect(types.check('sleep/analysis', { analysis: '' })?.[0]?.params).toEqual(['inBed', 'asleep', 'awake'])
  })

  it('agrees with an independent draft-04 validator on any content of any type', () => {
    const samples = [...valid.flatMap(([, ...contents]) => contents), ...invalid.map(([, content]) => content)]
    const content = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(...samples),
      fc.tuple(fc.constantFrom(...samples), fc.string(), fc.jsonValue()).map(([sample, key, value]) =>
        typeof sample === 'object' && sample !== null ? { ...sample, [key]: value } : value,
      ),
    )
    fc.assert(
      fc.property(fc.constantFrom(...independent), content, ([type, accepts], given) => {
        const items = types.check(type, given)
        expect(items === undefined).toBe(accepts(given ?? null))
        for (const { code, message, path } of items ?? []) {
          expect(code).toMatch(/^[A-Z_]+$/)
          expect(message).not.toBe('')
          expect(path).toMatch(/^#\/content(\/|$)/)
        }
        if (items) expect(items.length).toBeGreaterThan(0)
      }),
      { numRuns: runs(2500) },
    )
  })

  it('never throws, for any type and content', () => {
    const anything = fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true, maxDepth: 5 })
    const type = fc.oneof(fc.constantFrom(...Object.keys(directory.types)), fc.string())
    fc.assert(
      fc.property(type, anything, (name, content) => {
        const items = types.check(name, content)
        expect(items === undefined || items.length > 0).toBe(true)
      }),
      { numRuns: runs(1500) },
    )
  })

  it('handles hostile content', () => {
    let deep: unknown = null
    for (let level = 0; level < 200_000; level += 1) deep = level % 2 ? [deep] : { request: deep, to: deep }
    const cyclic: Record<string, unknown> = {}
    cyclic.request = cyclic
    const throwing = {
      get request() {
        throw new Error('no')
      },
    }
    for (const content of [deep, cyclic, throwing, JSON.parse('{"__proto__":{"to":1,"request":{}}}')]) {
      for (const type of Object.keys(directory.types)) types.check(type, content)
      expect(types.check('consent/request-cmc', content)?.length).toBeGreaterThan(0)
    }
    expect(violationsOf('contact/facebook', JSON.parse('{"__proto__":{"id":"1"}}'))).toEqual([`${missing} #/content/ id`])
    expect(violationsOf('contact/facebook', Object.create({ id: '1' }))).toEqual([`${missing} #/content/ id`])
  })

  it('lists the first violations of a very large content', () => {
    const sensitivityPoints = Array.from({ length: 100_000 }, () => 0)
    expect(types.check('audiogram/data', { sensitivityPoints, start: 'a', end: 'b' })).toHaveLength(1)
    const some = { sensitivityPoints: sensitivityPoints.slice(0, 1000), start: 'a', end: 'b' }
    expect(types.check('audiogram/data', some)).toHaveLength(100)
  })

  it('handles deep content of a schema that refers to itself', () => {
    const recursive = { type: 'object', properties: { child: { $ref: '#' } } }
    const own = createEventTypes(readDirectory({ version: '1', types: { 'tree/node': recursive } }))
    let deep: unknown = {}
    for (let level = 0; level < 200_000; level += 1) deep = { child: deep }
    expect(own.check('tree/node', { child: { child: {} } })).toBeUndefined()
    expect(own.check('tree/node', deep)?.[0]?.code).toBe('NOT_PASSED')
  })
})

describe('codes of custom schemas', () => {
  const rows: [schema: object, content: unknown, violation: string][] = [
    [{ type: 'number', maximum: 1, exclusiveMaximum: true }, 1, 'MAXIMUM_EXCLUSIVE #/content content'],
    [{ type: 'number', minimum: 1, exclusiveMinimum: true }, 1, 'MINIMUM_EXCLUSIVE #/content content'],
    [{ type: 'number', minimum: 1, exclusiveMinimum: false }, 0, 'MINIMUM #/content content'],
    [{ type: 'number', multipleOf: 2 }, 3, 'MULTIPLE_OF #/content content'],
    [{ type: 'array', maxItems: 1 }, [1, 2], 'ARRAY_LENGTH_LONG #/content content'],
    [{ type: 'array', uniqueItems: true }, [1, 1], 'ARRAY_UNIQUE #/content content'],
    [{ type: 'string', format: 'email' }, 'nobody', 'FORMAT #/content content'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, null, 'ANY_OF_MISSING #/content content'],
    [{ oneOf: [{ type: 'string' }, { minLength: 1 }] }, 'x', 'ONE_OF_MISSING #/content content'],
    [{ not: { type: 'string' } }, 'x', 'NOT_PASSED #/content content'],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, 'OBJECT_ADDITIONAL_PROPERTIES #/content b'],
    [{ additionalProperties: { type: 'string' } }, { 'a/b~c': 1 }, 'INVALID_TYPE #/content/a~1b~0c a/b~c'],
    [
      { id: 'https://x/', $schema: 'http://json-schema.org/draft-04/schema#', type: 'string' },
      1,
      'INVALID_TYPE #/content content',
    ],
    [{ $async: true, type: 'string', minLength: 1 }, '', 'MIN_LENGTH #/content content'],
  ]
  for (const [schema, content, violation] of rows) {
    it(`${JSON.stringify(schema)} refuses ${JSON.stringify(content)} with ${violation.split(' ')[0]}`, () => {
      const own = createEventTypes(readDirectory({ types: { 'own/type': schema } }))
      const items = own.check('own/type', content) ?? []
      expect(items.map(({ code, path, param }) => `${code} ${path} ${param ?? ''}`)).toEqual([violation])
    })
  }
})

describe('seriesType', () => {
  const rows: [type: string, fields: string | undefined, required?: string][] = [
    ['series:mass/kg', 'deltaTime value', 'deltaTime value'],
    ['series:boolean/bool', 'deltaTime value', 'deltaTime value'],
    ['series:note/txt', 'deltaTime value', 'deltaTime value'],
    ['series:activity/plain', 'deltaTime value', 'deltaTime value'],
    [
      'series:position/wgs84',
      'deltaTime latitude longitude altitude horizontalAccuracy verticalAccuracy speed bearing',
      'deltaTime latitude longitude',
    ],
    ['series:ratio/generic', 'deltaTime value relativeTo', 'deltaTime value relativeTo'],
    ['series:blood-pressure/mmhg-bpm', 'deltaTime systolic diastolic rate', 'deltaTime systolic diastolic'],
    ['series:sleep/analysis', 'deltaTime analysis', 'deltaTime'],
    ['series:test/test', undefined],
    ['series:__proto__', undefined],
    ['series:', undefined],
    ['series:series:mass/kg', undefined],
    ['mass/kg', undefined],
  ]
  for (const [type, fields, required] of rows) {
    it(`${type} has ${fields ?? 'no columns'}`, () => {
      expect(types.seriesType(type)).toEqual(
        fields && {
          elementType: type.slice('series:'.length),
          fields: fields.split(' '),
          required: required?.split(' '),
        },
      )
    })
  }

  it('puts required columns first and has no columns for free or listed content', () => {
    const own = createEventTypes(
      readDirectory({
        types: {
          'own/mixed': { type: 'object', properties: { b: {}, a: {} }, required: ['a'] },
          'own/list': { type: 'array' },
          'own/free': {},
        },
      }),
    )
    expect(own.seriesType('series:own/mixed')?.fields).toEqual(['deltaTime', 'a', 'b'])
    expect(own.seriesType('series:own/list')).toBeUndefined()
    expect(own.seriesType('series:own/free')).toBeUndefined()
  })
})
