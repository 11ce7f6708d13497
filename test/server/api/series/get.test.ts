/** Reading points (docs/interface/series.md#reading). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { flat, newHolder, pointsOf, read, addPoints, values } from './support.js'

const NOW = 1_700_000_000
let node: TestNode
let stage: Stage
let id: string

beforeAll(async () => {
  node = await startTestNode({}, { clock: fakeClock(NOW) })
  stage = await newStage(node)
  id = await newHolder(stage)
  await addPoints(stage, id, values([0, 0], [1.5, 1], [2, 2], [2.000000001, 3], [10, 4]))
})
afterAll(() => node.stop())

describe('series.get', () => {
  it.each<[query: string, values: number[]]>([
    ['', [0, 1, 2, 3, 4]],
    ['?fromDeltaTime=1.5', [1, 2, 3, 4]],
    ['?fromDeltaTime=1.500000001', [2, 3, 4]],
    ['?toDeltaTime=2', [0, 1]],
    ['?toDeltaTime=2.000000001', [0, 1, 2]],
    ['?fromDeltaTime=0&toDeltaTime=11', [0, 1, 2, 3, 4]],
    ['?fromDeltaTime=2&toDeltaTime=2.0000000011', [2, 3]],
    ['?fromDeltaTime=2&toDeltaTime=2', []],
    ['?fromDeltaTime=-5&toDeltaTime=1', [0]],
    ['?fromDeltaTime=11', []],
    ['?toDeltaTime=-1', []],
    ['?fromDeltaTime=1e9', []],
    ['?fromDeltaTime=1e10', []],
  ])('returns the points of the window "%s"', async (query, expected) => {
    const { fields, points } = await pointsOf(stage, id, query)
    expect((points as number[][]).map(([, value]) => value)).toEqual(expected)
    expect(fields).toEqual(expected.length === 0 ? [] : ['deltaTime', 'value'])
  })

  it('excludes future points unless toDeltaTime includes them', async () => {
    const holder = await newHolder(stage, 'mass/kg', { time: NOW - 100 })
    await addPoints(stage, holder, values([99, 1], [100, 2], [100.5, 3], [5000, 4]))
    expect((await pointsOf(stage, holder)).points).toEqual([[99, 1], [100, 2]])
    expect((await pointsOf(stage, holder, '?toDeltaTime=101')).points).toEqual([[99, 1], [100, 2], [100.5, 3]])
    const future = await newHolder(stage, 'mass/kg', { time: NOW + 100 })
    await addPoints(stage, future, values([0, 1]))
    expect(await pointsOf(stage, future)).toEqual({ fields: [], points: [] })
    expect((await pointsOf(stage, future, '?toDeltaTime=1')).points).toEqual([[0, 1]])
  })

  it('returns neither fields nor points of a series without points', async () => {
    expect(await pointsOf(stage, await newHolder(stage))).toEqual({ fields: [], points: [] })
  })

  it.each(['fromDeltaTime=x', 'toDeltaTime=1s', 'fromDeltaTime=', 'fromDeltaTime=2&toDeltaTime=1', 'toDeltaTime=Infinity', 'fromDeltaTime=1&fromDeltaTime=2'])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await read(stage, id, `?${query}`)
      expect([status, body['error']]).toMatchObject([400, { id: 'invalid-parameters-format' }])
      expect(body['meta']).toBeDefined()
    },
  )

  it('requires read on one of the streams', async () => {
    await stage.arrange('streams.create', { id: 'second', name: 'second' })
    const holder = await newHolder(stage, 'mass/kg', { streamIds: ['s', 'second'] })
    await addPoints(stage, holder, values([1, 1]))
    const outcomeFor = async (streamId: string, level: 'read' | 'create-only' | 'contribute'): Promise<unknown> => {
      const { status, body } = await read(stage, holder, '', await stage.app([{ streamId, level }]))
      return [status, (body['error'] as { id: string } | undefined)?.id]
    }
    expect(await outcomeFor('s', 'read')).toEqual([200, undefined])
    expect(await outcomeFor('second', 'read')).toEqual([200, undefined])
    expect(await outcomeFor('second', 'contribute')).toEqual([200, undefined])
    expect(await outcomeFor('s', 'create-only')).toEqual([403, 'forbidden'])
    expect(await outcomeFor('other', 'read')).toEqual([403, 'forbidden'])
  })

  it('returns a long result in chunks, complete and in order', async () => {
    const holder = await newHolder(stage, 'position/wgs84')
    const points = Array.from({ length: 30_000 }, (_, i) => [i / 8, (i % 180) - 90 + 0.123456, i / 1000, i % 3 === 0 ? null : -i])
    await addPoints(stage, holder, flat(['deltaTime', 'latitude', 'longitude', 'altitude'], points))
    const { headers, body } = await read(stage, holder)
    expect(headers.get('transfer-encoding')).toBe('chunked')
    expect(body['points']).toEqual(points)
  })
})
