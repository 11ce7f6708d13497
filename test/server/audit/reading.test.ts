/** Queries of audit records and the required permissions: docs/interface/audit.md#streams, docs/interface/audit.md#settings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditableMethods, filteredMethods } from '../../../src/server/audit/filter.js'
import { loadConfig } from '../../../src/server/config/config.js'
import { methods } from '../../../src/server/api/methods.js'
import type { Permission } from '../../../src/store/model/access.js'
import { grantAccess } from '../../support/people/access.js'
import { actionsOf, recordsOf, type AuditEvent } from '../../support/people/audit.js'
import { request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../support/http/methodTable.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())

type Json = Record<string, unknown>
const note = { streamIds: ['home'], type: 'note/txt', content: 'x' }

interface Setup extends Stage {
  token: string
  own: string
  get(path: string, token?: string): Promise<Answer>
}

/** Creates an account with recorded calls of its owner and of an app. */
async function setUp(more: Permission[] = []): Promise<Setup> {
  const stage = await newStage(node)
  await stage.arrange('streams.create', { id: 'home', name: 'home' })
  const { token, id } = await grantAccess(node, stage.username, [{ streamId: 'home', level: 'manage' }, ...more])
  const get = (path: string, by = token): Promise<Answer> => request(`${node.url}${stage.username}/${path}`, { token: by })
  await request(`${node.url}${stage.username}/events`, { token, body: note })
  await get('events')
  await get('events/cabcdefghijklmnopqrstuvwx')
  return { ...stage, token, own: `:_audit:access-${id}`, get }
}

const eventsOf = ({ body }: Answer): AuditEvent[] => body['events'] as AuditEvent[]
const queryPath = (streams: unknown): string => `events?limit=1000&streams=${encodeURIComponent(JSON.stringify(streams))}`
const statusOf = ({ status, body }: Answer): unknown => [status, (body['error'] as Json | undefined)?.['id']]

describe('a query of audit streams', () => {
  it('finds records by access, by method, and all of them', async () => {
    const s = await setUp()
    expect(await actionsOf(s, [s.own])).toEqual(['events.create', 'events.get', 'events.getOne'])
    expect(await actionsOf(s, [':_audit:action-events.create'])).toEqual(['events.create'])
    expect(await actionsOf(s, [{ any: [s.own], all: [':_audit:action-events.get'] }])).toEqual(['events.get'])
    expect(await actionsOf(s, [{ any: [s.own], not: [':_audit:action-events.get'] }])).toEqual(['events.create', 'events.getOne'])
    const all = await recordsOf(s, [':_audit:'])
    expect(all.length).toBeGreaterThan(7)
    expect(all.map(({ time }) => time)).toEqual(all.map(({ time }) => time).sort((a, b) => a - b))
    for (const list of [':_audit:accesses', ':_audit:actions']) {
      expect((await recordsOf(s, [list])).slice(0, all.length)).toEqual(all)
    }
  })

  it.each<[Transport]>([['http'], ['batch']])('works over %s', async (transport) => {
    const s = await setUp()
    const params = { streams: [s.own], limit: 100 }
    const { body } = await callThrough(transport, s, s.token, 'events.get', params)
    expect((body['events'] as unknown[]).length).toBe(3)
  })

  it('accepts the filters of events.get', async () => {
    const s = await setUp()
    const [first, second, third] = await recordsOf(s, [s.own])
    const found = async (more: string): Promise<unknown[]> => (await recordsOf(s, [s.own], more)).map(({ id }) => id)
    expect(await found('&types=log/user-api-error')).toEqual([third?.id])
    expect(await found('&types=log/*')).toEqual([first?.id, second?.id, third?.id])
    expect(await found('&skip=1')).toEqual([second?.id, third?.id])
    expect(await found(`&content=${encodeURIComponent('[{"path":"action","eq":"events.get"}]')}`)).toEqual([second?.id])
    expect(await found('&state=trashed')).toEqual([])
    expect(await found('&state=all')).toHaveLength(3)
    expect(await found('&running=true')).toEqual([])
    expect(await found('&modifiedSince=9000000000')).toEqual([])
    expect(await found(`&modifiedSince=${(second?.time ?? 0) - 1}`)).toHaveLength(3)
    expect(await found(`&modifiedSince=${third?.time ?? 0}`)).toEqual([])
    expect(await found(`&fromTime=${third?.time ?? 0}&toTime=9000000000`)).toContain(third?.id)
    expect(await found(`&fromTime=0&toTime=${(first?.time ?? 0) - 0.001}`)).toEqual([])
    const newest = await s.get(`events?limit=2&streams=${s.own}`, s.owner)
    expect(eventsOf(newest).map(({ id }) => id)).toEqual([third?.id, second?.id])
  })

  it('merges the records with events of other streams by time', async () => {
    const s = await setUp()
    const records = await recordsOf(s, [s.own])
    for (let i = 0; i < 3; i++) await s.arrange('events.create', { ...note, time: (records[i]?.time ?? 0) + 0.0005 })
    for (const ascending of [true, false]) {
      const both = eventsOf(await s.get(`${queryPath(['home', s.own])}&sortAscending=${ascending}`, s.owner))
      expect(both).toHaveLength(7)
      const times = both.map(({ time }) => time)
      expect(times).toEqual([...times].sort((a, b) => (ascending ? a - b : b - a)))
      const some = queryPath(['home', s.own]).replace('limit=1000', 'limit=3&skip=2')
      expect(eventsOf(await s.get(`${some}&sortAscending=${ascending}`, s.owner))).toEqual(both.slice(2, 5))
    }
  })

  it('includes the previous call, each time', async () => {
    const s = await setUp()
    for (let i = 4; i < 8; i++) {
      await s.get('streams')
      expect(eventsOf(await s.get(queryPath([s.own]), s.owner))).toHaveLength(i)
    }
  })

  it('finds no records with * or without streams', async () => {
    const s = await setUp()
    for (const path of ['events?limit=1000', queryPath(['*'])]) {
      for (const token of [s.owner, s.token]) {
        expect(eventsOf(await s.get(path, token)).filter(({ id }) => id.startsWith(':_audit:'))).toEqual([])
      }
    }
  })

  it('refuses unknown audit streams and conditions over both stores', async () => {
    const s = await setUp()
    expect(statusOf(await s.get(queryPath([':_audit:nonsense']), s.owner))).toEqual([400, 'unknown-referenced-resource'])
    expect(statusOf(await s.get(queryPath([{ any: ['home'], all: [s.own] }]), s.owner))).toEqual([400, 'invalid-request-structure'])
    expect(eventsOf(await s.get(queryPath([':_audit:access-nobody', ':_audit:action-no.thing']), s.owner))).toEqual([])
  })
})

describe('an app', () => {
  it('reads only the records of its own access', async () => {
    const s = await setUp()
    const own = ['events.create', 'events.get', 'events.getOne']
    const actions = async (streams: unknown): Promise<unknown[]> =>
      (await recordsOf(s, streams, '', s.token)).map(({ content }) => content['action'])
    expect(await actions([s.own])).toEqual(own)
    expect(await actions([':_audit:'])).toEqual([...own, 'events.get'])
    expect(await actions([{ any: [s.own], all: [':_audit:action-events.getOne'] }])).toEqual(['events.getOne'])
    for (const other of [':_audit:accesses', ':_audit:actions', ':_audit:action-events.get', ':_audit:access-invalid']) {
      expect(statusOf(await s.get(queryPath([other])))).toEqual([403, 'forbidden'])
    }
  })

  it('reads single records of its own access only', async () => {
    const s = await setUp()
    const [mine] = await recordsOf(s, [s.own])
    const [other] = await recordsOf(s, [':_audit:action-streams.create'])
    expect((await s.get(`events/${mine?.id ?? ''}`)).body['event']).toEqual(mine)
    expect(statusOf(await s.get(`events/${other?.id ?? ''}`))).toEqual([403, 'forbidden'])
    expect((await s.get(`events/${other?.id ?? ''}?includeHistory=true`, s.owner)).body).toMatchObject({ event: other, history: [] })
    for (const id of [':_audit:', ':_audit:x', `:_audit:c${'0'.repeat(24)}`, `${mine?.id ?? ''}x`]) {
      expect(statusOf(await s.get(`events/${encodeURIComponent(id)}`, s.owner))).toEqual([404, 'unknown-resource'])
    }
  })

  it('with the feature selfAudit forbidden reads no records', async () => {
    const s = await setUp([{ feature: 'selfAudit', setting: 'forbidden' }])
    for (const stream of [s.own, ':_audit:']) expect(statusOf(await s.get(queryPath([stream])))).toEqual([403, 'forbidden'])
    expect(JSON.stringify((await s.get('streams')).body)).not.toContain('_audit')
    expect(JSON.stringify((await s.get('access-info')).body)).not.toContain('_audit')
    expect((await recordsOf(s, [s.own])).length).toBeGreaterThan(3)
  })
})

describe('audit streams', () => {
  const idsOf = ({ body }: Answer): string[] => (body['streams'] as { id: string }[]).map(({ id }) => id)

  it('are listed to the owner: one for each access and each recorded method', async () => {
    const s = await setUp()
    await request(`${node.url}${s.username}/streams`, { token: 'cunknownunknown' })
    expect(idsOf(await s.get('streams', s.owner))[0]).toBe(':_audit:')
    expect(idsOf(await s.get('streams?parentId=:_audit:', s.owner))).toEqual([':_audit:accesses', ':_audit:actions'])
    const accesses = idsOf(await s.get('streams?parentId=:_audit:accesses', s.owner))
    expect(accesses).toEqual(expect.arrayContaining([s.own, ':_audit:access-invalid']))
    // The owner's session, the app, and calls with an unknown token.
    expect(accesses).toHaveLength(3)
    const actions = idsOf(await s.get('streams?parentId=:_audit:actions', s.owner))
    expect(actions).toEqual(['events.create', 'events.get', 'events.getOne', 'streams.create', 'streams.get'].map((id) => `:_audit:action-${id}`))
    expect((await s.get('streams?id=:_audit:', s.owner)).body['streams']).toMatchObject([
      { id: ':_audit:', children: [{ id: ':_audit:accesses', parentId: ':_audit:' }, { id: ':_audit:actions' }] },
    ])
    expect(statusOf(await s.get('streams?id=:_audit:access-nobody', s.owner))).toEqual([400, 'unknown-referenced-resource'])
  })

  it('are refused to an app, except that of its own access', async () => {
    const s = await setUp()
    for (const list of [':_audit:', ':_audit:accesses', ':_audit:actions']) {
      expect(statusOf(await s.get(`streams?parentId=${list}`))).toEqual([403, 'forbidden'])
      expect(statusOf(await s.get(`streams?id=${list}`))).toEqual([403, 'forbidden'])
    }
    expect((await s.get(`streams?id=${s.own}`)).body['streams']).toMatchObject([{ id: s.own, children: [] }])
    expect((await s.get(`streams?parentId=${s.own}`)).body['streams']).toEqual([])
  })

  it('are listed to an app with a permission for all of them', async () => {
    const s = await setUp([{ streamId: ':_audit:', level: 'read' }])
    expect(idsOf(await s.get('streams'))).toEqual(['home', ':_audit:', s.own])
    expect(idsOf(await s.get('streams?parentId=:_audit:accesses'))).toHaveLength(2)
    expect(eventsOf(await s.get(queryPath([':_audit:']))).length).toBeGreaterThan(5)
  })

  it.each<[Transport]>([['http'], ['form'], ['batch']])('refuse writes (%s)', async (transport) => {
    const s = await setUp()
    const [record] = await recordsOf(s, [s.own])
    const refused: [method: string, params: Json][] = [
      ['events.create', { ...note, streamIds: [s.own] }],
      ['events.create', { ...note, id: `:_audit:c${'0'.repeat(24)}` }],
      ['events.update', { id: record?.id ?? '', update: { content: 'y' } }],
      ['events.delete', { id: record?.id ?? '' }],
      ['streams.create', { id: ':_audit:access-x', name: 'x', parentId: ':_audit:accesses' }],
      ['streams.create', { id: ':_audit:access-x', name: 'x' }],
      ['streams.update', { id: s.own, update: { name: 'x' } }],
      ['streams.delete', { id: s.own }],
    ]
    for (const [method, params] of refused) {
      const { status } = await callThrough(transport, s, s.owner, method, params)
      expect({ method, params, isRefused: status >= 400 && status !== 500 }).toEqual({ method, params, isRefused: true })
    }
    expect((await recordsOf(s, [s.own]))[0]).toEqual(record)
  })
})

describe('the audit settings', () => {
  it('cover every method of an account', () => {
    const served = methods.filter(({ scope }) => scope !== 'platform').map(({ id }) => id)
    const unknown = served.filter((id) => !auditableMethods.includes(id))
    expect(unknown).toEqual(['events.preview', 'service.info'])
  })

  const some = ['events.create', 'events.get']
  it.each<[string, string[], string[], string[]]>([
    ['all', ['all'], [], some],
    ['all but one', ['all'], ['events.get'], ['events.create']],
    ['all but a group', ['all'], ['events.all'], []],
    ['one', ['events.get'], [], ['events.get']],
    ['none', [], [], []],
    ['a group', ['events.all'], [], some],
    ['a group but one', ['events.all'], ['events.create'], ['events.get']],
    ['one, with another excluded', ['events.get'], ['events.create'], ['events.get']],
    ['one whose group is excluded', ['events.get'], ['events.all'], []],
  ])('select %s', async (_, include, exclude, expected) => {
    expect(some.filter((id) => filteredMethods({ include, exclude }).has(id))).toEqual(expected)
  })

  it('refuse unknown methods when the configuration is loaded', () => {
    const file = `${node.places.home}/none.toml`
    const load = (key: string, value: unknown) => () => loadConfig({ file, flags: { [key]: value } })
    for (const list of ['include', 'exclude']) {
      const key = `audit.storage.filter.methods.${list}`
      expect(load(key, ['events.gett'])).toThrow(/a list of method ids/)
      expect(load(key, ['nothing.all'])).toThrow(/a list of method ids/)
      expect(load(key, ['events.all', 'all', 'callBatch'])).not.toThrow()
    }
  })

  it('exclude methods, or disable recording', async () => {
    for (const [settings, expected] of [
      [{ 'audit.storage.filter.methods.exclude': ['events.get', 'streams.all'] }, ['events.create', 'getAccessInfo']],
      [{ 'audit.active': false }, []],
    ] as const) {
      const other = await startTestNode(settings)
      try {
        const s = await newStage(other)
        await s.arrange('streams.create', { id: 'home', name: 'home' })
        await s.arrange('events.create', note)
        await s.arrange('events.get', {})
        await s.arrange('getAccessInfo', {})
        expect(await actionsOf(s, [':_audit:'])).toEqual(expected)
        const app = await grantAccess(other, s.username, [{ streamId: '*', level: 'read' }])
        const { body } = await request(`${other.url}${s.username}/access-info`, { token: app.token })
        expect(JSON.stringify(body['permissions']).includes('_audit')).toBe(expected.length > 0)
        const roots = await request(`${other.url}${s.username}/streams`, { token: s.owner })
        expect(JSON.stringify(roots.body).includes('_audit')).toBe(expected.length > 0)
      } finally {
        await other.stop()
      }
    }
  })
})
