/** Calls of the published backup tool (pryv-account-backup): backup of an account, and restore with the clients of its releases. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Service } from 'pryv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Attached } from '../../support/http/multipart.js'
import { request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'
import { clientEventId, createAccount, logIn, type Client } from '../../support/http/pryvClient.js'

type Json = Record<string, unknown>
type Call = { method: string; params: Json }

interface Restoring extends Client {
  createEventWithFile(event: Json, path: string): Promise<Json>
  createEventWithFormData(event: Json, form: FormData): Promise<Json>
  addPointsToHFEvent(id: string, fields: string[], points: unknown[][]): Promise<Json>
}

interface Tree extends Json {
  id: string
  children: Tree[]
}

interface EventRead extends Json {
  id: string
  type: string
  time: number
  streamIds: string[]
  attachments?: Attached[]
}

/** The data that the tool writes to its folder. */
interface Backup {
  account: Json
  streams: Tree[]
  events: EventRead[]
  /** Bytes of attachments by `<event>_<file name>`. */
  files: Map<string, Buffer>
  /** Points by the id of their event. */
  series: Map<string, { fields: string[]; points: unknown[][] }>
}

const load = createRequire(import.meta.url)
const clients = ['pryv-2', 'pryv'] as const
const BYTES = Buffer.from([0, 255, 13, 10, 128])

let source: TestNode
let folder: string
let owner: Client
beforeAll(async () => {
  source = await startTestNode()
  folder = mkdtempSync(join(tmpdir(), 'coffer-backup-'))
  const service = serviceOf('pryv', source)
  await createAccount(service, 'origin')
  owner = await logIn(service, 'origin')
  await fill(owner as Restoring)
})
afterAll(async () => {
  await source.stop()
  rmSync(folder, { recursive: true })
})

const serviceOf = (client: (typeof clients)[number], node: TestNode): Service =>
  new (load(client) as { Service: new (url: string) => Service }).Service(`${node.url}service/info`)

async function callAll(client: Client, calls: Call[]): Promise<Json[]> {
  const results = await client.api(calls)
  for (const [at, result] of results.entries()) expect(result['error'], JSON.stringify(calls[at])).toBeUndefined()
  return results
}

async function fill(client: Restoring): Promise<void> {
  const stream = (id: string, more: Json = {}): Call => ({ method: 'streams.create', params: { id, name: id.toUpperCase(), ...more } })
  const event = (type: string, more: Json): Call => ({ method: 'events.create', params: { id: clientEventId(), type, streamIds: ['body'], ...more } })
  const results = await callAll(client, [
    stream('body', { clientData: { 'app:colour': 'red' } }),
    stream('weight', { parentId: 'body', childrenHidden: true }),
    stream('old', { parentId: 'body', trashed: true }),
    event('mass/kg', { time: 1_500_000_000.5, content: 72.4, streamIds: ['weight', 'body'], tags: ['t'], description: 'd', clientData: { a: { b: null } } }),
    event('note/txt', { time: -1000, duration: 60, content: 'ä' }),
    event('activity/plain', { time: 1_500_100_000, duration: null }),
    event('note/txt', { time: 1_500_200_000, content: 'gone', trashed: true }),
    { method: 'events.create', params: { type: 'series:mass/kg', streamIds: ['weight'], time: 1_500_300_000 } },
    { method: 'accesses.create', params: { name: 'diary', type: 'app', permissions: [{ streamId: 'body', level: 'manage' }] } },
    { method: 'accesses.create', params: { name: 'doctor', permissions: [{ streamId: 'weight', level: 'read' }], expireAfter: 1000 } },
    { method: 'account.update', params: { update: { language: 'fr' } } },
    { method: 'profile.updatePrivate', params: { update: { theme: 'dark' } } },
    { method: 'followedSlices.create', params: { name: 'Bob', url: 'https://bob.example/', accessToken: 'x' } },
  ])
  const series = results.find(({ event: made }) => (made as EventRead | undefined)?.type === 'series:mass/kg')?.['event'] as EventRead
  await client.addPointsToHFEvent(series.id, ['deltaTime', 'value'], [[0, 71.5], [60, 72]])
  const path = join(folder, 'photo one.png')
  writeFileSync(path, BYTES)
  await client.createEventWithFile({ id: clientEventId(), streamIds: ['body'], type: 'picture/attached', time: 1_500_400_000 }, path)
  const form = new FormData()
  for (const name of ['a.txt', 'b.txt']) form.append('file', new Blob([`text of ${name}`], { type: 'text/plain' }), name)
  await client.createEventWithFormData({ id: clientEventId(), streamIds: ['weight'], type: 'file/attached', time: 1_500_500_000 }, form)
}

/** Reads an account like the releases of the tool: all events at once, and by time ranges. */
async function backUp(): Promise<Backup> {
  const root = `${source.url}origin/`
  const get = async (resource: string, token = owner.token ?? ''): Promise<Json> => {
    const { status, body } = await request(root + resource, { token })
    expect([resource, status]).toEqual([resource, 200])
    return body
  }
  const { account } = await get('account')
  const { streams } = await get('streams?state=all')
  const accesses = (await get('accesses'))['accesses'] as { id: string; type: string; token: string }[]
  expect((await get('accesses?includeDeletions=true&includeExpired=true'))['accesses']).toHaveLength(accesses.length)
  expect((await get('followed-slices'))['followedSlices']).toMatchObject([{ name: 'Bob' }])
  expect(await get('profile/private')).toMatchObject({ profile: { theme: 'dark' } })
  await get('profile/public')
  const audited = encodeURIComponent(JSON.stringify([':_audit:accesses', ':_audit:actions']))
  expect((await get(`events?streams=${audited}&includeDeletions=true&state=all`))['events']).not.toEqual([])
  const range = 'fromTime=-2350373077&toTime=2350373077&state=all'
  const events = (await get(`events?${range}`))['events'] as EventRead[]
  const [earliest] = (await get(`events?limit=1&sortAscending=true&${range}`))['events'] as EventRead[]
  const [latest] = (await get(`events?limit=1&${range}`))['events'] as EventRead[]
  expect([earliest?.time, latest?.time]).toEqual([Math.min(...events.map(({ time }) => time)), Math.max(...events.map(({ time }) => time))])
  expect((await get(`events?fromTime=${earliest?.time}&toTime=${latest?.time}&state=all`))['events']).toEqual(events)
  expect((await get('events?modifiedSince=1&includeDeletions=true&state=all'))['events']).toHaveLength(events.length)
  for (const { id, type, token } of accesses) {
    if (type === 'app') await get('profile/app', token)
    await get(`accesses/${encodeURIComponent(id)}?includeHistory=true`)
    if (type !== 'shared') expect((await get('webhooks', token))['webhooks']).toEqual([])
  }
  const files = new Map<string, Buffer>()
  const series: Backup['series'] = new Map()
  for (const { id, type, attachments = [] } of events) {
    for (const file of attachments) {
      const response = await fetch(`${root}events/${id}/${file.id}?readToken=${file.readToken}`)
      expect(response.status).toBe(200)
      files.set(`${id}_${file.fileName}`, Buffer.from(await response.arrayBuffer()))
    }
    if (type.startsWith('series:')) series.set(id, (await get(`events/${id}/series`)) as unknown as { fields: string[]; points: unknown[][] })
  }
  return { account: account as Json, streams: streams as Tree[], events, files, series }
}

const without = (item: Json, ...names: string[]): Json => Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))
const tracking = ['modified', 'modifiedBy', 'created', 'createdBy']
const isOwn = (id: string): boolean => !id.startsWith(':') && !id.startsWith('.')

/** Creates the items of a backup; throws if a call fails. */
async function restore(client: Restoring, backup: Backup, filesOfEach: 'first' | 'all'): Promise<void> {
  const streams: Call[] = []
  const collect = (trees: Tree[]): void => {
    for (const tree of trees.filter(({ id }) => isOwn(id))) {
      streams.push({ method: 'streams.create', params: without(tree, 'children', ...tracking) })
      collect(tree.children)
    }
  }
  collect(backup.streams)
  await callAll(client, streams)
  await callAll(client, [{ method: 'account.get', params: {} }])
  const { language, email } = backup.account
  await callAll(client, [{ method: 'account.update', params: { update: { language } } }])
  await callAll(client, [{ method: 'account.update', params: { update: { email } } }])
  const events = backup.events.map((event) => without(event, 'streamId', ...tracking) as EventRead).filter(({ streamIds }) => streamIds.some(isOwn))
  const isSeries = ({ type }: EventRead): boolean => type.startsWith('series:')
  const withFiles = events.filter(({ attachments = [] }) => attachments.length > 0)
  const plain = events.filter((event) => !isSeries(event) && !withFiles.includes(event))
  await callAll(client, plain.map((params) => ({ method: 'events.create', params })))
  for (const { attachments = [], ...event } of withFiles) {
    const bytesOf = (name: string): Buffer => backup.files.get(`${event.id}_${name}`) ?? Buffer.alloc(0)
    const [first] = attachments
    if (attachments.length === 1 || filesOfEach === 'first') {
      const path = join(folder, first?.fileName ?? '')
      writeFileSync(path, bytesOf(first?.fileName ?? ''))
      expect(await client.createEventWithFile(event, path)).toHaveProperty('event')
    } else {
      const form = new FormData()
      for (const { fileName, type } of attachments) form.append('file', new Blob([new Uint8Array(bytesOf(fileName))], { type }), fileName)
      expect(await client.createEventWithFormData(event, form)).toHaveProperty('event')
    }
  }
  const holders = events.filter(isSeries)
  const made = await callAll(client, holders.map((event) => ({ method: 'events.create', params: without(event, 'id', 'attachments') })))
  for (const [at, { id }] of holders.entries()) {
    const { fields = [], points = [] } = backup.series.get(id) ?? {}
    expect(await client.addPointsToHFEvent((made[at]?.['event'] as EventRead).id, fields, points)).toMatchObject({ status: 'ok' })
  }
}

describe.each(clients)('a backup restored with %s', (name) => {
  let target: TestNode
  let client: Restoring
  let backup: Backup
  beforeAll(async () => {
    target = await startTestNode()
    await createAccount(serviceOf('pryv', target), 'copy1')
    client = (await logIn(serviceOf(name, target), 'copy1')) as Restoring
    backup = await backUp()
    // Releases of the tool with the earlier client restore only the first file of an event.
    await restore(client, structuredClone(backup), name === 'pryv-2' ? 'first' : 'all')
  })
  afterAll(() => target.stop())

  const get = (path: string): Promise<Answer> => request(`${target.url}copy1/${path}`, { token: client.token ?? '' })

  it('contains the streams, including trashed ones', async () => {
    const own = (trees: unknown): unknown[] =>
      (trees as Tree[]).filter(({ id }) => isOwn(id)).map((tree) => ({ ...without(tree, ...tracking), children: own(tree.children) }))
    const { body } = await get('streams?state=all')
    expect(own(backup.streams)).toHaveLength(1)
    expect(own(body['streams'])).toEqual(own(backup.streams))
  })

  it('contains the events, including trashed ones, their files, and the language', async () => {
    const read = async (): Promise<EventRead[]> => {
      const { body } = await get('events?fromTime=-2350373077&toTime=2350373077&state=all')
      return (body['events'] as EventRead[]).filter(({ streamIds }) => streamIds.some(isOwn))
    }
    const expected = backup.events.filter(({ streamIds }) => streamIds.some(isOwn))
    const filesOf = ({ attachments = [] }: EventRead): unknown[] => attachments.map(({ fileName, type, size }) => ({ fileName, type, size }))
    const comparable = (event: EventRead): Json => ({ ...without(event, 'attachments', 'integrity', ...(event.type.startsWith('series:') ? ['id'] : []), ...tracking) })
    // The duration of a series follows its points with a delay.
    await expect.poll(async () => (await read()).map(comparable), { timeout: 20_000 }).toEqual(expected.map(comparable))
    const restored = await read()
    expect(expected).toHaveLength(7)
    for (const [at, event] of restored.entries()) {
      const expectedFiles = filesOf(expected[at] as EventRead)
      expect(filesOf(event)).toEqual(name === 'pryv-2' ? expectedFiles.slice(0, 1) : expectedFiles)
      for (const file of event.attachments ?? []) {
        const response = await fetch(`${target.url}copy1/events/${event.id}/${file.id}?readToken=${file.readToken}`)
        expect(Buffer.from(await response.arrayBuffer())).toEqual(backup.files.get(`${event.id}_${file.fileName}`))
      }
    }
    expect((await get('account')).body).toMatchObject({ account: { language: 'fr', email: 'origin@example.org' } })
  })

  it('contains the points of the series', async () => {
    const { body } = await get('events?types=series:mass/kg&limit=10')
    const [holder] = body['events'] as EventRead[]
    const [points] = backup.series.values()
    expect(points?.points).toEqual([[0, 71.5], [60, 72]])
    expect((await get(`events/${holder?.id}/series`)).body).toMatchObject({ fields: points?.fields, points: points?.points })
  })
})
