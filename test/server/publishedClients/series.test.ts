/** Series written and read with unchanged releases of the published client `pryv` (clients.md, "Calls"). */
import type { Event } from 'pryv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { bodyOf, createAccount, logIn, releases, serviceOf, type Client } from '../../support/http/pryvClient.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

describe.each(releases)('$name', (release) => {
  let client: Client
  let id: string
  beforeAll(async () => {
    const username = release.isEarlier ? 'earlier' : 'current'
    await createAccount(serviceOf(node), username)
    client = await logIn(serviceOf(node, release), username)
    const [, made] = await client.api([
      { method: 'streams.create', params: { id: 'position', name: 'Position' } },
      { method: 'events.create', params: { streamIds: ['position'], type: 'series:position/wgs84', time: 1000 } },
    ])
    const { content, id: eventId } = made?.['event'] as Event
    expect(content).toMatchObject({
      elementType: 'position/wgs84',
      fields: ['deltaTime', 'latitude', 'longitude', 'altitude', 'horizontalAccuracy', 'verticalAccuracy', 'speed', 'bearing'],
      required: ['deltaTime', 'latitude', 'longitude'],
    })
    id = String(eventId)
  })

  it('writes points with post, and reads them with get', async () => {
    const fields = ['deltaTime', 'latitude', 'longitude']
    const points = [[0, 46.5, 6.6], [1.5, 46.6, 6.7]]
    const body = { format: 'flatJSON', fields, points }
    expect(await client.post(`events/${id}/series`, body)).toMatchObject({ status: 'ok', meta: {} })
    expect(await client.get(`events/${id}/series`)).toMatchObject(body)
    expect(await client.get(`events/${id}/series`, { fromDeltaTime: 1 })).toMatchObject({ fields, points: [[1.5, 46.6, 6.7]] })
  })

  it('writes points of several series with one post', async () => {
    const data = { format: 'flatJSON', fields: ['timestamp', 'longitude', 'latitude'], points: [[1002, 7, 47]] }
    expect(await client.post('series/batch', { format: 'seriesBatch', data: [{ eventId: id, data }] })).toMatchObject({ status: 'ok' })
    expect(await client.get(`events/${id}/series`, { fromDeltaTime: 2 })).toMatchObject({ points: [[2, 47, 7]] })
  })

  it('writes many points of each series of a batch in its result handlers', async () => {
    const points = Array.from({ length: 20_000 }, (_, at) => [at, Math.sin(at / 1000)])
    const answers: unknown[] = []
    const handleResult = async (result: Record<string, unknown>): Promise<void> => {
      const { id: eventId } = result['event'] as { id: string }
      answers.push(await client.addPointsToHFEvent(eventId, ['deltaTime', 'value'], points))
    }
    const series = { method: 'events.create', params: { streamIds: ['position'], type: 'series:frequency/bpm', time: 1000 }, handleResult }
    const [first] = await client.api([series, series])
    expect(answers).toMatchObject([{ status: 'ok' }, { status: 'ok' }])
    expect(await client.get(`events/${(first?.['event'] as Event).id}/series`)).toMatchObject({ fields: ['deltaTime', 'value'], points })
  })

  it('receives the failures of refused points', async () => {
    const refusal = await bodyOf(client.post(`events/${id}/series`, { format: 'flatJSON', fields: [], points: [] }))
    expect(refusal).toMatchObject({ error: { id: 'invalid-request-structure' } })
    expect(await bodyOf(client.post('events/nothing/series', { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1]] }))).toMatchObject({
      error: { id: 'unknown-resource' },
    })
  })
})
