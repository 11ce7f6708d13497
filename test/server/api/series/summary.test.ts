/** Summaries of series (docs/interface/series.md#summaries). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { addPoints, flat, newHolder, values } from './support.js'

const NOW = 1_700_000_000
let node: TestNode
let stage: Stage
let id: string

beforeAll(async () => {
  node = await startTestNode({}, { clock: fakeClock(NOW) })
  stage = await newStage(node)
  id = await newHolder(stage)
  await addPoints(stage, id, values([0, 1], [1, 2], [2, 6], [90, 4], [100, 5]))
})
afterAll(() => node.stop())

const summarize = (holder: string, query = '', token: string | null = stage.owner): Promise<Answer> =>
  request(`${node.url}${stage.username}/events/${holder}/series/summary${query}`, token === null ? {} : { token })

async function summaryOf(holder: string, query = ''): Promise<unknown> {
  const { status, body } = await summarize(holder, query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body['summary']
}

const errorOf = ({ status, body }: Answer): unknown => [status, (body['error'] as { id: string } | undefined)?.id]

describe('series.summary', () => {
  it('returns the totals of buckets, without those that have no points', async () => {
    expect(await summaryOf(id, '?points=2')).toEqual({
      ...{ fromDeltaTime: 0, toDeltaTime: NOW + 0.001 - 1000, count: 5, fields: ['value'] },
      buckets: { from: [0, 90], to: [2, 100], count: [3, 2] },
      values: { value: { count: [3, 2], min: [1, 4], max: [6, 5], mean: [3, 4.5] } },
    })
    expect(await summaryOf(id)).toMatchObject({ buckets: { from: [0, 1, 2, 90, 100], count: [1, 1, 1, 1, 1] } })
  })

  it.each<[query: string, from: number[], to: number[]]>([
    ['?fromDeltaTime=1&toDeltaTime=90&points=1', [1], [2]],
    ['?fromDeltaTime=1&toDeltaTime=91&points=1', [1], [90]],
    ['?fromDeltaTime=2.5&points=1', [90], [100]],
    ['?fromDeltaTime=3&toDeltaTime=4', [], []],
    ['?fromDeltaTime=1e9', [], []],
    ['?toDeltaTime=-1', [], []],
  ])('has the window of series.get: %s', async (query, from, to) => {
    expect(await summaryOf(id, query)).toMatchObject({ buckets: { from, to } })
  })

  it('summarizes the numeric fields with numbers, or the requested ones', async () => {
    const holder = await newHolder(stage, 'position/wgs84')
    await addPoints(stage, holder, flat(['deltaTime', 'latitude', 'longitude', 'altitude'], [[0, 1, 2, null], [1, 3, 4, 7]]))
    expect(await summaryOf(holder, '?points=1')).toMatchObject({
      fields: ['latitude', 'longitude', 'altitude'],
      values: { latitude: { count: [2], mean: [2] }, longitude: { mean: [3] }, altitude: { count: [1], min: [7], mean: [7] } },
    })
    expect(await summaryOf(holder, '?points=1&fields[]=speed&fields[]=latitude')).toMatchObject({
      fields: ['speed', 'latitude'],
      values: { speed: { count: [0], min: [null], max: [null], mean: [null] }, latitude: { max: [3] } },
    })
  })

  it('counts the points of a series of texts', async () => {
    const holder = await newHolder(stage, 'note/txt')
    await addPoints(stage, holder, values([0, 'a'], [1, 'b']))
    expect(await summaryOf(holder, '?points=1')).toMatchObject({ count: 2, fields: [], buckets: { count: [2] }, values: {} })
    expect(await summaryOf(await newHolder(stage))).toMatchObject({ count: 0, fields: [], buckets: { from: [], to: [], count: [] } })
  })

  it('has finite means of the greatest doubles', async () => {
    const holder = await newHolder(stage)
    await addPoints(stage, holder, values([0, 1.5e308], [1, 1.7e308]))
    expect(await summaryOf(holder, '?points=1')).toMatchObject({ values: { value: { mean: [1.6e308] } } })
  })

  it.each(['points=0', 'points=4001', 'points=1.5', 'points=x', 'fields=none', 'fields=deltaTime', 'fields[]=', 'fromDeltaTime=2&toDeltaTime=1'])(
    'refuses ?%s',
    async (query) => {
      expect(errorOf(await summarize(id, `?${query}`))).toEqual([400, 'invalid-parameters-format'])
    },
  )

  it('requires read on a stream of the event', async () => {
    await stage.arrange('streams.create', { id: 'other', name: 'other' })
    const token = (streamId: string, level: 'read' | 'create-only'): Promise<string> => stage.app([{ streamId, level }])
    expect(errorOf(await summarize(id, '', await token('s', 'read')))).toEqual([200, undefined])
    expect(errorOf(await summarize(id, '', await token('s', 'create-only')))).toEqual([403, 'forbidden'])
    expect(errorOf(await summarize(id, '', await token('other', 'read')))).toEqual([403, 'forbidden'])
    expect(errorOf(await summarize(id, '', null))).toEqual([401, 'missing-header'])
    expect(errorOf(await summarize('none'))).toEqual([404, 'unknown-resource'])
    const { event } = await stage.arrange('events.create', { streamIds: ['s'], type: 'mass/kg', content: 1 })
    expect(errorOf(await summarize((event as { id: string }).id))).toEqual([400, 'invalid-operation'])
  })

  it('can be called in a batch', async () => {
    const { body } = await callThrough('batch', stage, stage.owner, 'series.summary', { id, points: 1 })
    expect(body).toMatchObject({ summary: { count: 5 } })
  })
})
