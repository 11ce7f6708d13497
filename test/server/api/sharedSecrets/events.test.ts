/**
 * Secrets through the generic methods: what lists them, what reads them, what deletes them
 * (docs/interface/shared-secrets.md#events).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { accessIdOf, itemsOf, make, plain, redeem, type Item } from './support.js'

const ROOT = ':_shared-secrets:'
const clock = fakeClock()
let node: TestNode
let stage: Stage
/** An app that reads all there is, and one that reads nothing. */
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

describe('before there is a secret', () => {
  it('an empty list is answered', async () => {
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
    consumed = (await make(stage, app)).id
    clock.pass(10)
    await stage.arrange('streams.create', { id: 'heart', name: 'heart' })
    event = ((await stage.arrange('events.create', { streamIds: ['heart'], type: 'note/txt', content: 'x' }))['event'] as { id: string }).id
    clock.pass(10)
    pending = (await make(stage, app, { title: 'another' })).id
    foreign = (await make(stage, other)).id
    const key = await make(stage, app)
    expect((await redeem(stage, key.key)).status).toBe(200)
    // The one made first is consumed; the last goes altogether.
    await callThrough('http', stage, app, 'events.delete', { id: key.id })
    await callThrough('http', stage, app, 'events.delete', { id: consumed })
  })

  it('never answers secrets that are not named', async () => {
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

  it('answers those of the own stream, ended ones from the trash', async () => {
    expect(idsOf(await find(app, { streams: own }))).toEqual([pending])
    expect(idsOf(await find(app, { streams: own, state: 'trashed' }))).toEqual([consumed])
    expect(idsOf(await find(app, { streams: own, state: 'all' }))).toEqual([pending, consumed])
    expect(idsOf(await find(app, { streams: own, state: 'all', sortAscending: 'true' }))).toEqual([consumed, pending])
    expect(idsOf(await find(app, { streams: ROOT }))).toEqual([pending])
    expect(await find(app, { streams: `${ROOT}!` })).toEqual([])
  })

  it('is quick to tell what it answered, and does not remember it', async () => {
    const query = { streams: own, limit: '5' }
    const before = idsOf(await find(app, query))
    const { id } = await make(stage, app)
    expect(idsOf(await find(app, query)).sort()).toEqual([id, ...before].sort())
    await callThrough('http', stage, app, 'events.delete', { id })
    expect(idsOf(await find(app, query))).toEqual(before)
    await callThrough('http', stage, app, 'events.delete', { id })
  })

  it('mixes them with other events, by time', async () => {
    const mixed = { streams: JSON.stringify([own, 'heart']), state: 'all' }
    expect(idsOf(await find(app, mixed))).toEqual([pending, event, consumed])
    expect(idsOf(await find(app, { ...mixed, sortAscending: 'true' }))).toEqual([consumed, event, pending])
    expect(idsOf(await find(app, { ...mixed, skip: '1', limit: '1' }))).toEqual([event])
    expect(idsOf(await find(app, { ...mixed, types: 'shared-secret/*' }))).toEqual([pending, consumed])
    expect(idsOf(await find(app, { ...mixed, types: 'note/txt' }))).toEqual([event])
    expect(idsOf(await find(app, { ...mixed, streams: JSON.stringify({ any: ['heart', ROOT], not: [own] }) }))).toEqual([event])
  })

  it('asks the window for the time in which they can be redeemed', async () => {
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

  it('shows those of others to the owner alone', async () => {
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

  it('shows nothing of others to those with a permission for their streams', async () => {
    const spy = await stage.app([{ streamId: others, level: 'manage' }, { streamId: ROOT, level: 'manage' }])
    expect(await answer(spy, { streams: others })).toMatchObject(forbidden)
    expect(await find(spy, { streams: ROOT, state: 'all' })).toEqual([])
    expect(await find(spy, { state: 'all' })).toEqual([])
    expect(await callThrough('http', stage, spy, 'events.getOne', { id: foreign })).toMatchObject(forbidden)
    expect(await callThrough('http', stage, spy, 'events.delete', { id: foreign })).toMatchObject(forbidden)
    expect(await streams(spy, { parentId: ROOT })).toMatchObject({ status: 200, body: { streams: [] } })
    expect(await streams(spy, { id: others })).toMatchObject(forbidden)
  })

  it('is told in the same way over a websocket and in a batch', async () => {
    for (const door of ['batch', 'socket'] as const) {
      const { body } = await callThrough(door, stage, app, 'events.get', { streams: [own], state: 'all' })
      expect(idsOf(body['events'] as Item[])).toEqual([pending, consumed])
    }
  })

  it('has one of them by its id', async () => {
    const { body } = await callThrough('http', stage, app, 'events.getOne', { id: pending })
    expect(body['event']).toMatchObject({ id: pending, content: { title: 'another', status: 'pending' } })
    const { body: whole } = await callThrough('http', stage, stage.owner, 'events.getOne', { id: consumed, includeHistory: true })
    expect(whole).toMatchObject({ event: { trashed: true }, history: [] })
  })

  it('lists the streams under their root', async () => {
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

  it('discards a pending secret and keeps it, then removes it', async () => {
    for (const token of [app, stage.owner]) {
      const { id, key } = await make(stage, app)
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

  it('is not for others, in whatever state', async () => {
    const { id, key } = await make(stage, other)
    expect(await remove(app, id)).toMatchObject(forbidden)
    expect((await redeem(stage, key)).status).toBe(200)
    expect(await remove(app, id)).toMatchObject(forbidden)
    expect(await callThrough('http', stage, other, 'events.getOne', { id })).toMatchObject({ status: 200 })
  })
})

describe('an event with the id of a secret', () => {
  it('cannot be made', async () => {
    const { id, key } = await make(stage, other)
    const asked = { id, streamIds: ['heart'], type: 'note/txt', content: JSON.stringify(plain) }
    expect(await callThrough('http', stage, stage.owner, 'events.create', asked)).toMatchObject({ status: 409 })
    expect((await redeem(stage, key)).status).toBe(200)
  })
})
