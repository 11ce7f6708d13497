/** Writing points: accepted and refused values, and their stored form (docs/interface/series.md#writing). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FailureId } from '../../../../src/store/model/failure.js'
import type { Permission } from '../../../../src/store/model/access.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { add, flat, newHolder, pointsOf, addPoints, values } from './support.js'

let node: TestNode
let stage: Stage

beforeAll(async () => {
  node = await startTestNode()
  stage = await newStage(node)
})
afterAll(() => node.stop())

interface AcceptedRow {
  it: string
  type?: string
  write: unknown[]
  fields?: string[]
  gives: unknown[]
}

const wgs84 = ['latitude', 'longitude']
const long = 'é'.repeat(700)

const accepted: AcceptedRow[] = [
  { it: 'numbers', write: [values([0, 1], [1.5, 2.25], [10, -3e-7])], gives: [[0, 1], [1.5, 2.25], [10, -3e-7]] },
  { it: 'numbers as texts', write: [values(['0.5', '12.25'], ['2', '0'])], gives: [[0.5, 12.25], [2, 0]] },
  { it: 'points in any order', write: [values([3, 3], [1, 1], [2, 2])], gives: [[1, 1], [2, 2], [3, 3]] },
  { it: 'several points of one time, of which it stores the last', write: [values([1, 1], [1, 2], [0, 0], [1, 3])], gives: [[0, 0], [1, 3]] },
  { it: 'a point that replaces one of the same time', write: [values([1, 1], [2, 2]), values([2, 9])], gives: [[1, 1], [2, 9]] },
  {
    it: 'times with a resolution of nanoseconds',
    write: [values([0.123456789, 1], [0.1234567891, 2], ['1.0000000004', 3], [-0, 4])],
    gives: [[0, 4], [0.123456789, 2], [1, 3]],
  },
  {
    it: 'absolute timestamps instead of times relative to the event',
    write: [flat(['value', 'timestamp'], [[1, 1000], [2, 1000.123456789], [3, '1010.5']])],
    gives: [[0, 1], [0.123456789, 2], [10.5, 3]],
  },
  { it: 'fields in any order', write: [flat(['value', 'deltaTime'], [[5, 1]])], gives: [[1, 5]] },
  { it: 'no points', write: [values([1, 1]), values()], gives: [[1, 1]] },
  {
    it: 'points of several numbers',
    type: 'ratio/generic',
    write: [flat(['deltaTime', 'relativeTo', 'value'], [[0, 100, 1], [1, 200, 2]])],
    fields: ['value', 'relativeTo'],
    gives: [[0, 1, 100], [1, 2, 200]],
  },
  { it: 'texts', type: 'note/txt', write: [values([0, long], [1, ''], [2, '"\\\n\u2028 😀'])], gives: [[0, long], [1, ''], [2, '"\\\n\u2028 😀']] },
  {
    it: 'values of all types as texts for a text type',
    type: 'note/txt',
    write: [values([0, 1.5], [1, true], [2, { a: [1] }])],
    gives: [[0, '1.5'], [1, 'true'], [2, '{"a":[1]}']],
  },
  {
    it: 'booleans, also as texts',
    type: 'boolean/bool',
    write: [values([0, true], [1, false], [2, 'true'], [3, 'false'])],
    gives: [[0, true], [1, false], [2, true], [3, false]],
  },
  { it: 'any value for a type without content, stored as null', type: 'activity/plain', write: [values([0, null], [1, 'x'])], gives: [[0, null], [1, null]] },
  { it: 'any value for files, stored as null', type: 'picture/attached', write: [values([0, 'x.jpg'])], gives: [[0, null]] },
  {
    it: 'null and missing columns for optional fields',
    type: 'position/wgs84',
    write: [
      flat(['deltaTime', ...wgs84, 'altitude'], [[0, 46.5, 6.6, null], [1, 46.6, 6.7, 400]]),
      flat(['deltaTime', 'speed', ...wgs84], [[2, 3.5, 46.7, 6.8]]),
      flat(['deltaTime', ...wgs84], [[3, 46.8, -6.9]]),
    ],
    fields: [...wgs84, 'altitude', 'speed'],
    gives: [[0, 46.5, 6.6, null, null], [1, 46.6, 6.7, 400, null], [2, 46.7, 6.8, null, 3.5], [3, 46.8, -6.9, null, null]],
  },
  {
    it: 'fields of inner objects by dotted names',
    type: 'message/facebook',
    write: [flat(['deltaTime', 'message', 'from.name', 'id', 'from.id'], [[0, 'm', 'n', 'i', 'f'], [1, 'm', null, 'i', null]])],
    fields: ['id', 'message', 'from.name', 'from.id'],
    gives: [[0, 'i', 'm', 'n', 'f'], [1, 'i', 'm', null, null]],
  },
  { it: 'integers', type: 'music/basic', write: [flat(['deltaTime', 'track'], [[0, 3]])], fields: ['track'], gives: [[0, 3]] },
]

describe('series.add accepts', () => {
  for (const { it: title, type, write, fields = ['value'], gives } of accepted) {
    it(title, async () => {
      const id = await newHolder(stage, type)
      for (const body of write) await addPoints(stage, id, body)
      expect(await pointsOf(stage, id)).toEqual({ fields: ['deltaTime', ...fields], points: gives })
    })
  }

  it('100 numbers of one field without change', async () => {
    const id = await newHolder(stage)
    const points = Array.from({ length: 100 }, (_, i): [number, number] => [i / 3, Math.sin(i) * 10 ** (i % 20 - 10)])
    const rounded = points.map(([time, value]) => [Math.round(time * 1e9) / 1e9, value])
    await addPoints(stage, id, values(...points))
    expect(await pointsOf(stage, id)).toEqual({ fields: ['deltaTime', 'value'], points: rounded })
  })

  // More points than the node reads in one step and encodes before the transaction.
  const many = Array.from({ length: 70_000 }, (_, i): [number, string | null] => [i, i % 3 === 0 ? null : `v${i % 50}`])
  const shuffled = many.map((_, i): [number, string | null] => many[(i * 39_999) % many.length] ?? [0, null])
  const orders: [it: string, sent: typeof many][] = [['in order', many], ['in any order', shuffled]]
  it.each(orders)('many points %s', async (_, sent) => {
    const id = await newHolder(stage, 'position/wgs84')
    const rows = sent.map(([time, text]) => [time, time / 8, -1, text === null ? null : time])
    await addPoints(stage, id, flat(['deltaTime', ...wgs84, 'altitude'], rows))
    const expected = many.map(([time, text]) => [time, time / 8, -1, text === null ? null : time])
    const returned = await pointsOf(stage, id)
    expect(returned.fields).toEqual(['deltaTime', ...wgs84, 'altitude'])
    expect(JSON.stringify(returned.points)).toBe(JSON.stringify(expected))
    const texts = await newHolder(stage, 'note/txt')
    await addPoints(stage, texts, values(...sent.map(([time, text]): [number, string] => [time, text ?? ''])))
    expect(JSON.stringify((await pointsOf(stage, texts)).points)).toBe(JSON.stringify(many.map(([time, text]) => [time, text ?? ''])))
  })

  it('current timestamps without rounding errors', async () => {
    const id = await newHolder(stage, 'mass/kg', { time: 1595000000.12 })
    await addPoints(stage, id, flat(['timestamp', 'value'], [[1595000000.12, 1], [1595000000.5, 2], [1595000001.123456, 3]]))
    expect(await pointsOf(stage, id)).toMatchObject({ points: [[0, 1], [0.38, 2], [1.003456, 3]] })
  })

  it('timestamps relative to the current time of the event', async () => {
    const id = await newHolder(stage)
    await addPoints(stage, id, flat(['timestamp', 'value'], [[1010, 1]]))
    await stage.arrange('events.update', { id, update: { time: 500 } })
    await addPoints(stage, id, flat(['timestamp', 'value'], [[1010, 2]]))
    expect(await pointsOf(stage, id)).toMatchObject({ points: [[10, 1], [510, 2]] })
  })
})

const row = (point: number, field?: string): object => (field === undefined ? { point } : { point, field })

/** Refused bodies for a series of `position/wgs84`, with the error data. */
const refused: [it: string, body: unknown, data?: unknown][] = [
  ['a list', []],
  ['a text', '"x"'],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['another format', { ...flat(['deltaTime', ...wgs84], []), format: 'flatjson' }],
  ['no format', { fields: ['deltaTime', ...wgs84], points: [] }],
  ['no fields', { format: 'flatJSON', points: [] }],
  ['fields that are not a list', { format: 'flatJSON', fields: 'deltaTime', points: [] }],
  ['a field that is not a string', { format: 'flatJSON', fields: ['deltaTime', ...wgs84, 7], points: [] }],
  ['no points', { format: 'flatJSON', fields: ['deltaTime', ...wgs84] }],
  ['points that are not a list', { format: 'flatJSON', fields: ['deltaTime', ...wgs84], points: {} }],
  ['no time', flat(wgs84, []), { field: 'deltaTime' }],
  ['a missing field', flat(['deltaTime', 'latitude'], [[0, 1]]), { field: 'longitude' }],
  ['an unknown field', flat(['deltaTime', ...wgs84, 'depth'], []), { field: 'depth' }],
  ['a field named like an inherited property', flat(['deltaTime', ...wgs84, 'constructor'], []), { field: 'constructor' }],
  ['deltaTime twice', flat(['deltaTime', ...wgs84, 'deltaTime'], []), { field: 'deltaTime' }],
  ['deltaTime and timestamp together', flat(['deltaTime', ...wgs84, 'timestamp'], []), { field: 'timestamp' }],
  ['a field twice', flat(['deltaTime', ...wgs84, 'latitude'], []), { field: 'latitude' }],
  ['a row that is not a list', flat(['deltaTime', ...wgs84], [[0, 1, 2], { deltaTime: 1 }]), row(1)],
  ['a short row', flat(['deltaTime', ...wgs84], [[0, 1]]), row(0)],
  ['a long row', flat(['deltaTime', ...wgs84], [[0, 1, 2, 3]]), row(0)],
  ['a negative time', flat(['deltaTime', ...wgs84], [[0, 1, 2], [-1, 1, 2]]), row(1, 'deltaTime')],
  ['a negative time as a text', flat(['deltaTime', ...wgs84], [['-1', 1, 2]]), row(0, 'deltaTime')],
  ['a time that is not a number', flat(['deltaTime', ...wgs84], [['1s', 1, 2]]), row(0, 'deltaTime')],
  ['a time of null', flat(['deltaTime', ...wgs84], [[null, 1, 2]]), row(0, 'deltaTime')],
  ['a timestamp before the event', flat(['timestamp', ...wgs84], [[999, 1, 2]]), row(0, 'timestamp')],
  ['a text for a number', flat(['deltaTime', ...wgs84], [[0, 'x', 2]]), row(0, 'latitude')],
  ['a number as a text with a sign', flat(['deltaTime', ...wgs84], [[0, '-1', 2]]), row(0, 'latitude')],
  ['a number as a text with an exponent', flat(['deltaTime', ...wgs84], [[0, '1e3', 2]]), row(0, 'latitude')],
  ['a number as a text beyond the range of numbers', flat(['deltaTime', ...wgs84], [[0, '9'.repeat(400), 2]]), row(0, 'latitude')],
  ['a boolean for a number', flat(['deltaTime', ...wgs84], [[0, true, 2]]), row(0, 'latitude')],
  ['an object for a number', flat(['deltaTime', ...wgs84], [[0, {}, 2]]), row(0, 'latitude')],
  ['null for a required field', flat(['deltaTime', ...wgs84], [[0, null, 2]]), row(0, 'latitude')],
  ['a text for an optional number', flat(['deltaTime', ...wgs84, 'speed'], [[0, 1, 2, 'x']]), row(0, 'speed')],
]

describe('series.add refuses', () => {
  it.each(refused)('%s', async (_, body, data) => {
    const id = await newHolder(stage, 'position/wgs84')
    const answer = await add(stage, id, body)
    expect(answer.body['error']).toMatchObject({ id: 'invalid-request-structure', ...(data === undefined ? {} : { data }) })
    expect(answer.status).toBe(400)
    expect(answer.body['meta']).toBeDefined()
    expect(await pointsOf(stage, id)).toEqual({ fields: [], points: [] })
  })

  it.each<[type: string, field: string, cell: unknown]>([
    ['boolean/bool', 'value', 1],
    ['boolean/bool', 'value', 'yes'],
    ['boolean/bool', 'value', null],
    ['note/txt', 'value', null],
    ['music/basic', 'track', 1.5],
    ['message/facebook', 'from', {}],
    ['audiogram/data', 'sensitivityPoints', []],
  ])('in a series of %s a %s of %o', async (type, field, cell) => {
    const id = await newHolder(stage, type)
    const { status, body } = await add(stage, id, flat(['deltaTime', field], [[0, cell]]))
    expect([status, body['error']]).toMatchObject([400, { id: 'invalid-request-structure' }])
  })

  it('a request with one invalid point after many valid ones', async () => {
    const id = await newHolder(stage)
    const points = Array.from({ length: 70_000 }, (_, i): [number, unknown] => [i, i === 69_000 ? 'x' : i])
    const { status, body } = await add(stage, id, values(...points))
    expect([status, body['error']]).toMatchObject([400, { id: 'invalid-request-structure', data: row(69_000, 'value') }])
    expect(await pointsOf(stage, id)).toMatchObject({ points: [] })
  })

  it('a number beyond the range of numbers', async () => {
    const id = await newHolder(stage)
    for (const number of ['1e999', '9'.repeat(400)]) {
      const { status, body } = await add(stage, id, `{"format":"flatJSON","fields":["deltaTime","value"],"points":[[0,${number}]]}`)
      expect([status, body['error']]).toMatchObject([400, { id: 'invalid-request-structure' }])
    }
  })
})

describe('series.add', () => {
  const contribute: Permission[] = [{ streamId: 's', level: 'contribute' }]
  const levels: [it: string, permissions: Permission[], gives: 200 | FailureId][] = [
    ['allows contribute', contribute, 200],
    ['allows create-only', [{ streamId: 's', level: 'create-only' }], 200],
    ['allows manage', [{ streamId: '*', level: 'manage' }], 200],
    ['allows contribute on the second stream of the event', [{ streamId: 'second', level: 'contribute' }], 200],
    ['allows create-only on the second stream with read on the first', [{ streamId: 's', level: 'read' }, { streamId: 'second', level: 'create-only' }], 200],
    ['refuses read', [{ streamId: '*', level: 'read' }], 'forbidden'],
    ['refuses permissions on other streams', [{ streamId: 'other', level: 'manage' }], 'forbidden'],
    ['refuses when a stream of the event has level none', [{ streamId: '*', level: 'manage' }, { streamId: 's', level: 'none' }], 'forbidden'],
    ['allows contribute on a tag', [{ tag: 'shared', level: 'contribute' }], 200],
  ]
  it.each(levels)('%s', async (_, permissions, gives) => {
    const one = await newStage(node)
    await one.arrange('streams.create', { id: 'second', name: 'second' })
    await one.arrange('streams.create', { id: 's', name: 's' })
    const id = await newHolder(one, 'mass/kg', { streamIds: ['s', 'second'], tags: ['shared'] })
    const { status, body } = await add(one, id, values([1, 1]), await one.app(permissions))
    if (gives === 200) expect([status, body]).toMatchObject([200, { status: 'ok' }])
    else expect([status, body['error']]).toMatchObject([403, { id: gives }])
    expect((await pointsOf(one, id)).points).toEqual(gives === 200 ? [[1, 1]] : [])
  })
})
