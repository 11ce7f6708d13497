/** The published client `pryv`, unchanged: a series as apps write and read it (clients.md, "Calls"). */
import type { Event } from 'pryv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.js'
import { createAccount, logIn, serviceOf, type Client } from '../support/pryvClient.js'

let node: TestNode
let client: Client
let id: string

beforeAll(async () => {
  node = await startTestNode()
  const service = serviceOf(node)
  await createAccount(service, 'series-app')
  client = await logIn(service, 'series-app')
  const [, made] = await client.api([
    { method: 'streams.create', params: { id: 'position', name: 'Position' } },
    { method: 'events.create', params: { streamIds: ['position'], type: 'series:position/wgs84', time: 1000 } },
  ])
  const { content, id: given } = made?.['event'] as Event
  expect(content).toMatchObject({
    elementType: 'position/wgs84',
    fields: ['deltaTime', 'latitude', 'longitude', 'altitude', 'horizontalAccuracy', 'verticalAccuracy', 'speed', 'bearing'],
    required: ['deltaTime', 'latitude', 'longitude'],
  })
  id = String(given)
})
afterAll(() => node.stop())

it('points are written by post, and read by get', async () => {
  const fields = ['deltaTime', 'latitude', 'longitude']
  const points = [[0, 46.5, 6.6], [1.5, 46.6, 6.7]]
  const body = { format: 'flatJSON', fields, points }
  expect(await client.post(`events/${id}/series`, body)).toMatchObject({ status: 'ok', meta: {} })
  expect(await client.get(`events/${id}/series`)).toMatchObject(body)
  expect(await client.get(`events/${id}/series`, { fromDeltaTime: 1 })).toMatchObject({ fields, points: [[1.5, 46.6, 6.7]] })
})

it('points of several series are written by one post', async () => {
  const data = { format: 'flatJSON', fields: ['timestamp', 'longitude', 'latitude'], points: [[1002, 7, 47]] }
  expect(await client.post('series/batch', { format: 'seriesBatch', data: [{ eventId: id, data }] })).toMatchObject({ status: 'ok' })
  expect(await client.get(`events/${id}/series`, { fromDeltaTime: 2 })).toMatchObject({ points: [[2, 47, 7]] })
})

it('a refusal is told as the interface tells it', async () => {
  const refusal = await client.post(`events/${id}/series`, { format: 'flatJSON', fields: [], points: [] }).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ error: { id: 'invalid-request-structure' } })
})
