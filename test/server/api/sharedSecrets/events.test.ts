/**
 * Shared secrets in the generic methods: listing, reading and deletion (docs/interface/shared-secrets.md#events).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { accessIdOf, itemsOf, createSecret, plain, redeem, type Item } from './support.js'

const ROOT = ':_shared-secrets:'
const clock = fakeClock()
let node: TestNode
let stage: Stage
/** Tokens of an app with manage on *, and of one without permissions. */
let app: string
let other: string
let own: string
let others: string
beforeAll(async () => {
  node = await startTestNode({}, { clock })
  stage = await newStage(node)
  app = await stage.app([{ streamId: '*', level: 'manage' }])
  other = await stage.app([])
  own = ROOT + (await accessIdOf(stage, app))
  others = ROOT + (await accessIdOf(stage, other))
})
afterAll(() => node.stop())

const idsOf = (items: Item[]): string[] => items.map(({ id }) => id)
const find = (token: string, query: Record<string, string>): Promise<Item[]> => itemsOf(stage, token, query)
const answer = (token: string, query: Record<string, string>): Promise<Answer> =>
  request(`${node.url}${stage.username}/events?${new URLSearchParams(query)}`, { token })
const streams = (token: string, query: Record<string, string>): Promise<Answer> =>
  request(`${node.url}${stage.username}/streams?${new URLSearchParams(query)}`, { token })
const forbidden = { status: 403, body: { error: { id: 'forbidden' } } }

describe('before the first secret', () => {
  it('queries return empty lists', async () => {
    for (const named of [ROOT, own]) expect(await find(app, { streams: named })).toEqual([])
    expect(await find(stage.owner, { streams: ROOT })).toEqual([])
    expect(await find(stage.owner, { streams: others })).toEqual([])
    for (const token of [app, stage.owner]) {
      expect(await streams(token, { parentId: ROOT })).toMatchObject({ status: 200, body: { streams: [] } })
    }
    expect(await streams(app, { parentId: own })).toMatchObject({ status: 200, body: { streams: [] } })
    expect(await streams(app, { id: own })).toMatchObject({ status: 200, body: { streams: [{ id: own }] } })
  })
})

describe('events.get', () => {
  let pending: string
  let consumed: string
  let foreign: string
  let event: string
  beforeAll(async () => {
    consumed = (await createSecret(stage, app)).id
    clock.pass(10)
    await stage.arrange('streams.create', { id: 'heart', name: 'heart' })
    event = ((await stage.arrange('events.create', { streamIds: ['heart'], type: 'note/txt', content: 'x' }))['event'] as { id: string }).id
    clock.pass(10)
    pending = (await createSecret(stage, app, { title: 'another' })).id
    foreign = (await createSecret(stage, other)).id
    const key = await createSecret(stage, app)
    expect((await redeem(stage, key.key)).status).toBe(200)
    // Discards the first secret, and removes the last one permanently.
    await callThrough('http', stage, app, 'events.delete', { id: key.id })
    await callThrough('http', stage, app, 'events.delete', { id: consumed })
  })

  it('never returns secrets without their streams in the query', async () => {
    for (const token of [app, stage.owner]) {
      const all = [
        await find(token, { state: 'all', limit: '1000' }),
        await find(token, { state: 'all', streams: '*' }),
        await find(token, { state: 'all', types: 'shared-secret/item' }),
        await find(token, { state: 'all', streams: JSON.stringify({ any: ['*'], not: ['heart'] }) }),
        await find(token, { state: 'all', fromTime: '0', toTime: String(clock.now() + 100) }),
        await find(token, { modifiedSince: '0', state: 'all' }),
      ].flat()
      expect(all.filter(({ type }) => type === 'shared-secret/item')).toEqual([])
    }
  })

  it('returns secrets of the own stream, with ended ones as trashed', async () => {
    expect(idsOf(await find(app, { streams: own }))).toEqual([pending])
    expect(idsOf(await find(app, { streams: own, state: 'trashed' }))).toEqual([consumed])
    expect(idsOf(await find(app, { streams: own, state: 'all' }))).toEqual([pending, consumed])
    expect(idsOf(await find(app, { streams: own, state: 'all', sortAscending: 'true' }))).toEqual([consumed, pending])
    expect(idsOf(await find(app, { streams: ROOT }))).toEqual([pending])
    expect(await find(app, { streams: `${ROOT}!` })).toEqual([])
  })

  it('returns current secrets in a repeated query', async () => {
    const query = { streams: own, limit: '5' }
    const before = idsOf(await find(app, query))
    const { id } = await createSecret(stage, app)
    expect(idsOf(await find(app, query)).sort()).toEqual([id, ...before].sort())
    await callThrough('http', stage, app, 'events.delete', { id })
    expect(idsOf(await find(app, query))).toEqual(before)
    await callThrough('http', stage, app, 'events.delete', { id })
  })

  it('returns secrets among other events, by time', async () => {
    const mixed = { streams: JSON.stringify([own, 'heart']), state: 'all' }
    expect(idsOf(await find(app, mixed))).toEqual([pending, event, consumed])
    expect(idsOf(await find(app, { ...mixed, sortAscending: 'true' }))).toEqual([consumed, event, pending])
    expect(idsOf(await find(app, { ...mixed, skip: '1', limit: '1' }))).toEqual([event])
    expect(idsOf(await find(app, { ...mixed, types: 'shared-secret/*' }))).toEqual([pending, consumed])
    expect(idsOf(await find(app, { ...mixed, types: 'note/txt' }))).toEqual([event])
    expect(idsOf(await find(app, { ...mixed, streams: JSON.stringify({ any: ['heart', ROOT], not: [own] }) }))).toEqual([event])
  })

  it('finds secrets by the time in which they can be redeemed', async () => {
    const at = clock.now()
    const window = (from: number, to: number): Promise<Item[]> =>
      find(app, { streams: own, state: 'all', fromTime: String(from), toTime: String(to) })
    expect(idsOf(await window(at + 45, at + 100))).toEqual([pending])
    expect(idsOf(await window(at - 15, at - 5))).toEqual([consumed])
    expect(await window(at + 61, at + 100)).toEqual([])
    expect(await find(app, { streams: own, running: 'true', state: 'all' })).toEqual([])
    expect(idsOf(await find(app, { streams: own, state: 'all', modifiedSince: String(at - 1) }))).toEqual([pending, consumed])
    expect(await find(app, { streams: own, state: 'all', modifiedSince: String(at) })).toEqual([])
  })

  it('returns secrets of other accesses only to the owner', async () => {
    for (const named of [others, JSON.stringify({ any: [others] }), JSON.stringify([own, others])]) {
      expect(await answer(app, { streams: named, state: 'all' })).toMatchObject(forbidden)
    }
    for (const named of [ROOT, JSON.stringify({ any: [ROOT] }), JSON.stringify([ROOT, 'heart'])]) {
      expect(idsOf(await find(app, { streams: named, state: 'all' }))).not.toContain(foreign)
    }
    expect(idsOf(await find(stage.owner, { streams: ROOT, state: 'all' })).sort()).toEqual([pending, foreign, consumed].sort())
    expect(idsOf(await find(stage.owner, { streams: others }))).toEqual([foreign])
    expect(idsOf(await find(stage.owner, { streams: JSON.stringify({ any: [ROOT], not: [own] }) }))).toEqual([foreign])
  })

  it('returns no secrets of other accesses to an app with a permission on their streams', async () => {
    const spy = await stage.app([{ streamId: others, level: 'manage' }, { streamId: ROOT, level: 'manage' }])
    expect(await answer(spy, { streams: others })).toMatchObject(forbidden)
    expect(await find(spy, { streams: ROOT, state: 'all' })).toEqual([])
    expect(await find(spy, { state: 'all' })).toEqual([])
    expect(await callThrough('http', stage, spy, 'events.getOne', { id: foreign })).toMatchObject(forbidden)
    expect(await callThrough('http', stage, spy, 'events.delete', { id: foreign })).toMatchObject(forbidden)
    expect(await streams(spy, { parentId: ROOT })).toMatchObject({ status: 200, body: { streams: [] } })
    expect(await streams(spy, { id: others })).toMatchObject(forbidden)
  })

  it('returns the same over a websocket and in a batch', async () => {
    for (const transport of ['batch', 'socket'] as const) {
      const { body } = await callThrough(transport, stage, app, 'events.get', { streams: [own], state: 'all' })
      expect(idsOf(body['events'] as Item[])).toEqual([pending, consumed])
    }
  })

  it('is consistent with events.getOne', async () => {
    const { body } = await callThrough('http', stage, app, 'events.getOne', { id: pending })
    expect(body['event']).toMatchObject({ id: pending, content: { title: 'another', status: 'pending' } })
    const { body: detail } = await callThrough('http', stage, stage.owner, 'events.getOne', { id: consumed, includeHistory: true })
    expect(detail).toMatchObject({ event: { trashed: true }, history: [] })
  })

  it('is consistent with streams.get, which lists the streams below their root', async () => {
    const clientData = { sharedSecrets: { kind: 'reserved', autoProvisioned: true } }
    const listed = async (token: string): Promise<unknown> => (await streams(token, { parentId: ROOT })).body['streams']
    const ofOwn = { id: own, parentId: ROOT, name: `Shared secrets of ${own.slice(ROOT.length)}`, clientData, children: [] }
    expect(await listed(app)).toMatchObject([ofOwn])
    expect((await listed(stage.owner)) as { id: string }[]).toHaveLength(2)
    expect(await listed(stage.owner)).toEqual(expect.arrayContaining([expect.objectContaining(ofOwn)]))
    expect(await streams(stage.owner, { id: ROOT })).toMatchObject({
      body: { streams: [{ id: ROOT, name: 'Shared secrets', parentId: null, clientData, children: [{}, {}] }] },
    })
    expect(JSON.stringify((await streams(app, {})).body)).not.toContain('_shared-secrets')
    expect(await streams(stage.owner, { id: `${ROOT}nobody` })).toMatchObject({ status: 400 })
  })
})

describe('events.delete', () => {
  const remove = (token: string, id: string): Promise<{ status: number; body: Record<string, unknown> }> =>
    callThrough('http', stage, token, 'events.delete', { id })

  it('discards and trashes a pending secret, then removes it', async () => {
    for (const token of [app, stage.owner]) {
      const { id, key } = await createSecret(stage, app)
      const { status, body } = await remove(token, id)
      expect(status).toBe(200)
      expect(body['event']).toMatchObject({ id, trashed: true, content: { status: 'discarded', statusHistory: [{}, { info: 'deleted' }] } })
      expect(JSON.stringify(body)).not.toContain('deep')
      expect((await redeem(stage, key)).status).toBe(403)
      expect(await remove(token, id)).toMatchObject({ status: 200, body: { eventDeletion: { id } } })
      expect((await redeem(stage, key)).status).toBe(404)
      expect((await remove(token, id)).status).toBe(404)
      expect((await callThrough('http', stage, token, 'events.getOne', { id })).status).toBe(404)
    }
  })

  it('refuses other accesses, in every state of the secret', async () => {
    const { id, key } = await createSecret(stage, other)
    expect(await remove(app, id)).toMatchObject(forbidden)
    expect((await redeem(stage, key)).status).toBe(200)
    expect(await remove(app, id)).toMatchObject(forbidden)
    expect(await callThrough('http', stage, other, 'events.getOne', { id })).toMatchObject({ status: 200 })
  })
})

describe('an event with the id of a secret', () => {
  it('cannot be created', async () => {
    const { id, key } = await createSecret(stage, other)
    const newEvent = { id, streamIds: ['heart'], type: 'note/txt', content: JSON.stringify(plain) }
    expect(await callThrough('http', stage, stage.owner, 'events.create', newEvent)).toMatchObject({ status: 409 })
    expect((await redeem(stage, key)).status).toBe(200)
  })
})
