import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ordered, ORDERED_LENGTH, orderedToNumber } from '../../src/store/engine/keys.js'
import type { Event } from '../../src/store/model/event.js'
import {
  eventToRecord,
  recordEnd,
  recordId,
  recordIsOfAccount,
  recordIsRunning,
  recordIsTrashed,
  recordModified,
  recordStreamIds,
  recordTime,
  recordToEvent,
  recordType,
} from '../../src/store/model/eventRecord.js'
import { earliestPossibleStart, durationBucket, RUNNING } from '../../src/store/events/eventFilter.js'
import { runs } from '../support/oracles/runs.js'

const edges = [
  0,
  -0,
  Number.MIN_VALUE,
  -Number.MIN_VALUE,
  2 ** -1022,
  -(2 ** -1022),
  2 ** -1022 - Number.MIN_VALUE,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.MAX_SAFE_INTEGER,
  Number.EPSILON,
  1,
  -1,
  Infinity,
  -Infinity,
]
const bits = new DataView(new ArrayBuffer(8))

/** Returns the double whose bits are adjacent to those of another. */
function neighbour(n: number, step: bigint): number {
  bits.setFloat64(0, n)
  bits.setBigInt64(0, bits.getBigInt64(0) + step)
  const next = bits.getFloat64(0)
  return Number.isNaN(next) ? n : next
}

const double = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(...edges), fc.integer())
const pair = fc.oneof(
  fc.tuple(double, double),
  fc.tuple(double, fc.bigInt(-4n, 4n)).map(([n, step]): [number, number] => [n, neighbour(n, step)]),
)
const sign = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

describe('ordered numbers', () => {
  it('are sorted as the numbers', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        expect([a, b, Buffer.compare(Buffer.from(ordered(a)), Buffer.from(ordered(b)))]).toEqual([a, b, sign(a, b)])
        expect(ordered(a) < ordered(b)).toBe(a < b)
      }),
      { numRuns: runs(2500) },
    )
  })

  it('are decoded at any position', () => {
    fc.assert(
      fc.property(double, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (n, before, after) => {
        expect(ordered(n)).toHaveLength(ORDERED_LENGTH)
        expect(ordered(n)).toMatch(/^[-0-9A-Za-z_]{11}$/)
        // -0 is 0.
        expect(orderedToNumber(before + ordered(n) + after, before.length)).toBe(n === 0 ? 0 : n)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('duration buckets', () => {
  const finite = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 1e9, -1e9, 1.7e9))
  const duration = fc.oneof(
    fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true }),
    fc.tuple(fc.integer({ min: -40, max: 1023 }), fc.bigInt(-500n, 500n)).map(([n, step]) => neighbour(2 ** n, step)),
  )

  it('contain no period that began before the computed start', () => {
    fc.assert(
      fc.property(finite, duration, fc.oneof(fc.constant(0n), fc.bigInt(-2n, 0n)), (time, length, step) => {
        const end = time + length
        // The latest times of the period, to the last digit.
        const moment = Number.isFinite(end) ? neighbour(end, end < 0 ? -step : step) : Number.MAX_VALUE
        if (!(end >= moment)) return
        expect(earliestPossibleStart(durationBucket(length), moment)).toBeLessThanOrEqual(time)
      }),
      { numRuns: runs(2500) },
    )
  })

  it('separate running periods, which may begin at any time', () => {
    expect(durationBucket(null)).toBe(RUNNING)
    for (const moment of edges.filter(Number.isFinite)) expect(earliestPossibleStart(RUNNING, moment)).toBe(-Infinity)
  })

  it('limit the start to twice the longest period', () => {
    for (const n of [-3, 0, 5, 17, 30]) {
      const moment = 1.6e9
      expect(earliestPossibleStart(durationBucket(2 ** n), moment)).toBeGreaterThan(moment - 2 * 2 ** n - 1e-3)
    }
  })
})

/** Texts that resemble parts of a record. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '"type":"x/y"',
    '","type":"x/y","time":7',
    '"],"streamId":"z","type":"x/y","time":1,"duration":null',
    '"streamIds":["z"]',
    '{"trashed":true,"id":"z"',
    ',"duration":null,',
    ',"modified":1,"modifiedBy":"z"',
    ',"modified":',
    '\\","modified":5,',
    '\\',
    '\\"',
    '"',
    '\u2028"\\u0022',
    '\ud800',
  ),
)
const cuid = fc.stringMatching(/^(c[a-z0-9-]{24}|[a-z][a-z0-9]{23})$/)
const streamId = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.~-]{1,12}$/),
  fc.constantFrom(':_cmc:inbox', ':_cmc:apps:x:y', ':_shared-secrets:x', 'type', 'streamIds', 'time', 'trashed'),
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    hostile,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(hostile, tie('value'), { maxKeys: 3 }),
  ),
})).value
const time = fc.double({ noNaN: true, noDefaultInfinity: true })
const author = fc.tuple(cuid, fc.option(hostile)).map(([id, caller]) => (caller === null ? id : `${id} ${caller}`))

const event: fc.Arbitrary<Event> = fc.record(
  {
    id: fc.oneof(cuid, fc.constantFrom(':_system:language', ':system:email', ':_cmc:x')),
    streamIds: fc.uniqueArray(streamId, { minLength: 1, maxLength: 4 }),
    type: fc.stringMatching(/^(series:)?[a-z0-9-]{1,9}\/[a-z0-9-]{1,9}$/),
    time,
    duration: fc.oneof(fc.constant(null), fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true })),
    content: json.filter((value) => value !== null),
    tags: fc.array(hostile, { maxLength: 3 }),
    description: hostile,
    attachments: fc.array(
      fc.record({ id: cuid, fileName: hostile, type: hostile, size: fc.nat(), integrity: hostile }),
      { minLength: 1, maxLength: 2 },
    ),
    clientData: fc.dictionary(hostile, json, { maxKeys: 3 }),
    trashed: fc.constant(true as const),
    created: time,
    createdBy: author,
    modified: time,
    modifiedBy: author,
    integrity: fc.base64String().map((text) => `EVENT:0:sha256-${text}`),
  },
  { requiredKeys: ['id', 'streamIds', 'type', 'time', 'tags', 'created', 'createdBy', 'modified', 'modifiedBy'] },
)

describe('records of events', () => {
  it('are the JSON of the event with its first stream', () => {
    fc.assert(
      fc.property(event, (drawn) => {
        const record = eventToRecord(drawn)
        const expected = JSON.parse(JSON.stringify({ ...drawn, streamId: drawn.streamIds[0] })) as unknown
        expect(JSON.parse(record)).toEqual(expected)
        expect(recordToEvent(record)).toEqual(JSON.parse(JSON.stringify(drawn)))
        expect(eventToRecord(recordToEvent(record))).toBe(record)
      }),
      { numRuns: runs(500) },
    )
  })

  it('are read by their head as by parsing them', () => {
    fc.assert(
      fc.property(event, (drawn) => {
        const record = eventToRecord(drawn)
        const parsed = JSON.parse(record) as Event
        expect(recordId(record)).toBe(parsed.id)
        expect(recordStreamIds(record)).toEqual(parsed.streamIds)
        expect(recordType(record)).toBe(parsed.type)
        expect(recordTime(record)).toBe(parsed.time)
        expect(recordIsTrashed(record)).toBe(parsed.trashed === true)
        expect(recordIsRunning(record)).toBe(parsed.duration === null)
        const end = parsed.duration === null ? Infinity : parsed.time + (parsed.duration ?? 0)
        expect(recordEnd(record)).toBe(end)
        expect(recordModified(record)).toBe(parsed.modified)
        expect(recordIsOfAccount(record)).toBe(/^:_?system:/.test(parsed.id) && parsed.trashed !== true)
      }),
      { numRuns: runs(1500) },
    )
  })
})
