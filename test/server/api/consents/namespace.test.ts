/**
 * The streams of consents and messages, and what says of an access that it is of such: docs/interface/consents.md#streams,
 * docs/interface/consents.md#who-may-write.
 */
import { describe, expect, it } from 'vitest'
import { replaceEvent } from '../../../../src/store/events/events.js'
import type { Event } from '../../../../src/store/model/event.js'
import { withIntegrity } from '../../../../src/server/api/shared/integrity.js'
import { grantAccess } from '../../../support/people/access.js'
import { callThrough, newStage, type Door, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { APP, inside, invite, newRequester } from './agreeing.js'
import { accountOf } from './support.js'

const at = withNode()
const doors: Door[] = ['http', 'batch', 'socket']
const ROOT = ':_cmc:'
const APPS = ':_cmc:apps'

interface Answered {
  status: number
  id?: string
  data?: unknown
}

async function answered(door: Door, stage: Stage, method: string, params: unknown, token = stage.owner): Promise<Answered> {
  const { status, body } = await callThrough(door, stage, token, method, params)
  const error = body['error'] as { id: string; data?: { id?: string } } | undefined
  return { status, ...(error === undefined ? {} : { id: error.id, data: error.data?.id }) }
}
const refused = (data: string): Answered => ({ status: 400, id: 'invalid-operation', data })

/** Puts an event into other streams, as no client can. */
async function place(stage: Stage, event: Event | undefined, streamIds: string[]): Promise<void> {
  const { recorder } = stage.node.node.store
  if (event === undefined) throw new Error('no event')
  await (await accountOf(stage)).write((t) => replaceEvent(t, recorder, event, withIntegrity(stage.node, { ...event, streamIds })))
}

interface Tree {
  id: string
  clientData?: unknown
  children: Tree[]
}
const flat = (streams: Tree[]): string[] => streams.flatMap(({ id, children }) => [id, ...flat(children)])

describe.each(doors)('the streams of messages (%s)', (door) => {
  const get = async (stage: Stage, method: string, params: unknown, token = stage.owner): Promise<Record<string, unknown>> =>
    (await callThrough(door, stage, token, method, params)).body

  it('are there from the beginning, and those of the node are shown to nobody', async () => {
    const stage = await newRequester(at())
    await invite(stage)
    const all = (await get(stage, 'streams.get', { state: 'all' }))['streams'] as Tree[]
    const shown = flat(all).filter((id) => id.startsWith(ROOT))
    expect(shown.sort()).toEqual([ROOT, APPS, APP, `${APP}:s1`, ':_cmc:inbox'])
    const root = all.find(({ id }) => id === ROOT)
    for (const stream of [root, ...(root?.children.filter(({ id }) => id !== APP) ?? [])]) {
      expect(stream?.clientData).toEqual({ cmc: { kind: 'reserved-parent', autoProvisioned: true } })
    }
    const account = await accountOf(stage)
    const internal = [...account.tree.all()].map(({ id }) => id).filter((id) => id.startsWith(':_cmc:_internal'))
    expect(internal).toHaveLength(4)
    for (const id of internal) expect((await get(stage, 'streams.get', { parentId: id }))['streams'] ?? []).toEqual([])
    const offers = internal.find((id) => id.includes(':offer:')) ?? ''
    for (const streams of [[offers], [{ any: [offers, APP] }], ['*']]) {
      const { events } = await get(stage, 'events.get', { streams })
      expect(((events ?? []) as { streamIds: string[] }[]).flatMap(({ streamIds }) => streamIds).filter((id) => internal.includes(id))).toEqual([])
    }
    const { events } = await get(stage, 'events.get', { types: ['consent/request-cmc'] })
    expect(events).toHaveLength(1)
    // An offer that lies elsewhere as well is hidden all the same.
    const offered = (await inside(stage, offers))[0]
    expect(await answered(door, stage, 'events.getOne', { id: offered?.id })).toMatchObject({ status: 404, id: 'unknown-resource' })
    await place(stage, offered, [APP, offers])
    expect(await answered(door, stage, 'events.getOne', { id: offered?.id })).toMatchObject({ status: 404, id: 'unknown-resource' })
    expect((await answered(door, stage, 'events.create', { streamIds: [offers, APP], type: 'note/txt', content: 'x' })).status).toBe(403)
  })

  it('are not made by clients where the node makes them', async () => {
    const stage = await newStage(at())
    const app = await stage.app([{ streamId: '*', level: 'manage' }])
    const made = (id: string, parentId: string | null, token = stage.owner): Promise<Answered> =>
      answered(door, stage, 'streams.create', { id, name: id.split(':').at(-1) || id, parentId }, token)
    for (const token of [stage.owner, app]) {
      for (const [id, parentId] of [
        [ROOT, null],
        [':_cmc:inbox', ROOT],
        [APPS, ROOT],
        [':_cmc:_internal', ROOT],
        [':_cmc:_internal:foo', ':_cmc:_internal'],
        [`${APP}:chats`, APP],
        [`${APP}:collectors`, APP],
        [`${APP}:study-a:chats`, `${APP}:study-a`],
        [`${APP}:study-a:chats:ana--x`, `${APP}:study-a:chats`],
      ] as const) {
        expect([id, await made(id, parentId, token)]).toEqual([id, refused('cmc-reserved-stream')])
      }
    }
    expect([await made(APP, APPS), await made(`${APP}:study-a`, APP), await made(`${APP}:chats-style-data`, APP, app)]).toEqual([{ status: 201 }, { status: 201 }, { status: 201 }])
    for (const id of [ROOT, ':_cmc:inbox', ':_cmc:_internal', APPS, `${APP}:chats`, `${APP}:study-a:collectors`]) {
      expect([id, await answered(door, stage, 'streams.delete', { id })]).toEqual([id, refused('cmc-reserved-stream-undeletable')])
    }
    expect((await answered(door, stage, 'streams.update', { id: ':_cmc:inbox', update: { name: 'Mine' } })).data).toBe('cmc-reserved-stream')
    expect((await answered(door, stage, 'streams.delete', { id: `${APP}:chats-style-data` })).status).toBe(200)
  })

  it('are made for the apps that accesses name', async () => {
    const stage = await newStage(at())
    const permissions = (...ids: string[]): object[] => ids.map((streamId) => ({ streamId, level: 'contribute' }))
    expect((await get(stage, 'events.get', { streams: [':_cmc:inbox'] }))['events']).toEqual([])
    const before = (await accountOf(stage)).tree.has(APP)
    const made = await get(stage, 'accesses.create', { name: 'one', permissions: permissions(APP, ':_cmc:inbox', 'diary') })
    const access = made['access'] as { id: string; token: string }
    expect([before, typeof access.token]).toEqual([false, 'string'])
    expect((await accountOf(stage)).tree.get(APP)).toMatchObject({ parentId: APPS, clientData: { cmc: { kind: 'app-scope-root', autoProvisioned: true } } })
    expect(await answered(door, stage, 'streams.create', { id: APP, name: 'Study', parentId: APPS })).toMatchObject({ status: 409, id: 'item-already-exists' })
    expect((await answered(door, stage, 'accesses.create', { name: 'two', permissions: permissions(APP) })).status).toBe(201)
    expect((await answered(door, stage, 'accesses.create', { name: 'three', permissions: permissions(':_cmc:apps:deep:s1:chats:ana--x') })).status).toBe(201)
    expect((await answered(door, stage, 'accesses.update', { id: access.id, update: { permissions: permissions(':_cmc:apps:later') } })).status).toBe(200)
    const { tree } = await accountOf(stage)
    expect([':_cmc:apps:deep', ':_cmc:apps:deep:s1', ':_cmc:apps:later'].map((id) => tree.has(id))).toEqual([true, false, true])
    expect(await answered(door, stage, 'accesses.create', { name: 'bad', permissions: [{ streamId: 'BadStreamId', level: 'read', defaultName: 'Bad' }] })).toMatchObject({ status: 400, id: 'invalid-request-structure' })
    const named = [{ streamId: ':_cmc:apps:named', level: 'manage', defaultName: 'Named' }, { streamId: ':_cmc:inbox', level: 'read', defaultName: 'Inbox' }]
    expect((await answered(door, stage, 'accesses.create', { type: 'app', name: 'named', permissions: named })).status).toBe(201)
    expect((await accountOf(stage)).tree.has(':_cmc:apps:named')).toBe(true)
  })

  it('say nothing of accesses that clients may say', async () => {
    const stage = await newStage(at())
    const permissions = [{ streamId: 'diary', level: 'read' }]
    const app = await stage.app([{ streamId: 'diary', level: 'manage' }])
    const { id } = await grantAccess(at(), stage.username, [])
    for (const token of [stage.owner, app]) {
      for (const cmc of [{ role: 'counterparty' }, {}, 'text']) {
        const params = { name: 'x', permissions, clientData: { cmc } }
        expect(await answered(door, stage, 'accesses.create', params, token)).toEqual(refused('cmc-clientdata-cmc-forbidden'))
      }
    }
    expect(await answered(door, stage, 'accesses.update', { id, update: { clientData: { cmc: {} } } })).toEqual(refused('cmc-clientdata-cmc-forbidden'))
    expect((await answered(door, stage, 'accesses.create', { name: 'x', permissions, clientData: { other: {} } })).status).toBe(201)
  })
})
