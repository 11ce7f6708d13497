/**
 * The streams of consents and messages, and the reserved client data of their accesses: docs/interface/consents.md#streams,
 * docs/interface/consents.md#who-may-write.
 */
import { describe, expect, it } from 'vitest'
import { replaceEvent } from '../../../../src/store/events/events.js'
import type { Event } from '../../../../src/store/model/event.js'
import { withIntegrity } from '../../../../src/server/api/shared/integrity.js'
import { grantAccess } from '../../../support/people/access.js'
import { callThrough, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { APP, internalEvents, invite, newRequester } from './consentFlow.js'
import { accountOf } from './support.js'

const at = withNode()
const transports: Transport[] = ['http', 'batch', 'socket']
const ROOT = ':_cmc:'
const APPS = ':_cmc:apps'

interface CallResult {
  status: number
  id?: string
  data?: unknown
}

async function resultOf(transport: Transport, stage: Stage, method: string, params: unknown, token = stage.owner): Promise<CallResult> {
  const { status, body } = await callThrough(transport, stage, token, method, params)
  const error = body['error'] as { id: string; data?: { id?: string } } | undefined
  return { status, ...(error === undefined ? {} : { id: error.id, data: error.data?.id }) }
}
const refused = (data: string): CallResult => ({ status: 400, id: 'invalid-operation', data })

/** Moves an event to other streams, which no client can do. */
async function moveEvent(stage: Stage, event: Event | undefined, streamIds: string[]): Promise<void> {
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

describe.each(transports)('the streams of messages (%s)', (transport) => {
  const get = async (stage: Stage, method: string, params: unknown, token = stage.owner): Promise<Record<string, unknown>> =>
    (await callThrough(transport, stage, token, method, params)).body

  it('exist in a new account, and internal ones are hidden', async () => {
    const stage = await newRequester(at())
    await invite(stage)
    const all = (await get(stage, 'streams.get', { state: 'all' }))['streams'] as Tree[]
    const visible = flat(all).filter((id) => id.startsWith(ROOT))
    expect(visible.sort()).toEqual([ROOT, APPS, APP, `${APP}:s1`, ':_cmc:inbox'])
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
    // An offer that is also in another stream is hidden as well.
    const offered = (await internalEvents(stage, offers))[0]
    expect(await resultOf(transport, stage, 'events.getOne', { id: offered?.id })).toMatchObject({ status: 404, id: 'unknown-resource' })
    await moveEvent(stage, offered, [APP, offers])
    expect(await resultOf(transport, stage, 'events.getOne', { id: offered?.id })).toMatchObject({ status: 404, id: 'unknown-resource' })
    expect((await resultOf(transport, stage, 'events.create', { streamIds: [offers, APP], type: 'note/txt', content: 'x' })).status).toBe(403)
  })

  it('cannot be created or deleted by clients if they are reserved', async () => {
    const stage = await newStage(at())
    const app = await stage.app([{ streamId: '*', level: 'manage' }])
    const createStream = (id: string, parentId: string | null, token = stage.owner): Promise<CallResult> =>
      resultOf(transport, stage, 'streams.create', { id, name: id.split(':').at(-1) || id, parentId }, token)
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
        expect([id, await createStream(id, parentId, token)]).toEqual([id, refused('cmc-reserved-stream')])
      }
    }
    expect([await createStream(APP, APPS), await createStream(`${APP}:study-a`, APP), await createStream(`${APP}:chats-style-data`, APP, app)]).toEqual([{ status: 201 }, { status: 201 }, { status: 201 }])
    for (const id of [ROOT, ':_cmc:inbox', ':_cmc:_internal', APPS, `${APP}:chats`, `${APP}:study-a:collectors`]) {
      expect([id, await resultOf(transport, stage, 'streams.delete', { id })]).toEqual([id, refused('cmc-reserved-stream-undeletable')])
    }
    expect((await resultOf(transport, stage, 'streams.update', { id: ':_cmc:inbox', update: { name: 'Mine' } })).data).toBe('cmc-reserved-stream')
    expect((await resultOf(transport, stage, 'streams.delete', { id: `${APP}:chats-style-data` })).status).toBe(200)
  })

  it('are created for apps named in the permissions of accesses', async () => {
    const stage = await newStage(at())
    const permissions = (...ids: string[]): object[] => ids.map((streamId) => ({ streamId, level: 'contribute' }))
    expect((await get(stage, 'events.get', { streams: [':_cmc:inbox'] }))['events']).toEqual([])
    const before = (await accountOf(stage)).tree.has(APP)
    const created = await get(stage, 'accesses.create', { name: 'one', permissions: permissions(APP, ':_cmc:inbox', 'diary') })
    const access = created['access'] as { id: string; token: string }
    expect([before, typeof access.token]).toEqual([false, 'string'])
    expect((await accountOf(stage)).tree.get(APP)).toMatchObject({ parentId: APPS, clientData: { cmc: { kind: 'app-scope-root', autoProvisioned: true } } })
    expect(await resultOf(transport, stage, 'streams.create', { id: APP, name: 'Study', parentId: APPS })).toMatchObject({ status: 409, id: 'item-already-exists' })
    expect((await resultOf(transport, stage, 'accesses.create', { name: 'two', permissions: permissions(APP) })).status).toBe(201)
    expect((await resultOf(transport, stage, 'accesses.create', { name: 'three', permissions: permissions(':_cmc:apps:deep:s1:chats:ana--x') })).status).toBe(201)
    expect((await resultOf(transport, stage, 'accesses.update', { id: access.id, update: { permissions: permissions(':_cmc:apps:later') } })).status).toBe(200)
    const { tree } = await accountOf(stage)
    expect([':_cmc:apps:deep', ':_cmc:apps:deep:s1', ':_cmc:apps:later'].map((id) => tree.has(id))).toEqual([true, false, true])
    expect(await resultOf(transport, stage, 'accesses.create', { name: 'bad', permissions: [{ streamId: 'BadStreamId', level: 'read', defaultName: 'Bad' }] })).toMatchObject({ status: 400, id: 'invalid-request-structure' })
    const named = [{ streamId: ':_cmc:apps:named', level: 'manage', defaultName: 'Named' }, { streamId: ':_cmc:inbox', level: 'read', defaultName: 'Inbox' }]
    expect((await resultOf(transport, stage, 'accesses.create', { type: 'app', name: 'named', permissions: named })).status).toBe(201)
    expect((await accountOf(stage)).tree.has(':_cmc:apps:named')).toBe(true)
  })

  it('have accesses whose client data key cmc clients cannot set', async () => {
    const stage = await newStage(at())
    const permissions = [{ streamId: 'diary', level: 'read' }]
    const app = await stage.app([{ streamId: 'diary', level: 'manage' }])
    const { id } = await grantAccess(at(), stage.username, [])
    for (const token of [stage.owner, app]) {
      for (const cmc of [{ role: 'counterparty' }, {}, 'text']) {
        const params = { name: 'x', permissions, clientData: { cmc } }
        expect(await resultOf(transport, stage, 'accesses.create', params, token)).toEqual(refused('cmc-clientdata-cmc-forbidden'))
      }
    }
    expect(await resultOf(transport, stage, 'accesses.update', { id, update: { clientData: { cmc: {} } } })).toEqual(refused('cmc-clientdata-cmc-forbidden'))
    expect((await resultOf(transport, stage, 'accesses.create', { name: 'x', permissions, clientData: { other: {} } })).status).toBe(201)
  })
})
