/** What comes into a share while a session goes on, other than by an edit of its own, with a peer that says when it has taken what. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import type { Event } from '../../../src/store/model/event.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import type { ChangesEntry, Entry, ItemRef } from '../../../src/sync/wire/entry.js'
import { parseChange } from '../../../src/sync/crdt/parseChange.js'
import type { Group, Message } from '../../../src/sync/wire/message.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { begun, pairScripted, type Talk } from '../../support/sync/scriptedPeer.js'

const recorder = createRecorder({ actor: randomBytes(16).toString('hex') })
const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }

let node: TestNode
let token: string
/** A node that the stream `work` is shared with. */
let guest: Talk
/** A node with the same account. */
let mirror: Talk

async function api(method: string, params: unknown): Promise<Record<string, Record<string, unknown>>> {
  const { body } = await request(`${node.url}anna1/`, { token, body: [{ method, params }] })
  const [result] = body['results'] as Record<string, Record<string, unknown>>[]
  if (result === undefined || 'error' in result) throw new Error(JSON.stringify(result))
  return result
}

const note = async (streamId: string): Promise<string> =>
  String((await api('events.create', { streamIds: [streamId], type: 'note/txt', content: 'x' }))['event']?.['id'])

const place = (id: string, parentId: string | null): Promise<unknown> => api('streams.update', { id, update: { parentId } })

let serial = 0
function madeEvent(...streamIds: string[]): ChangesEntry {
  const item: Event = { id: `c${String(++serial).padStart(24, 'r')}`, streamIds, type: 'note/txt', content: 'x', time: 1, tags: [], ...tracking }
  return { kind: 'event', id: item.id, changes: [recorder.created({ kind: 'event', item })] }
}
function madeStream(id: string, parentId: string | null, name = id): ChangesEntry {
  const item: Stream = { id, name, parentId, ...tracking }
  return { kind: 'stream', id, changes: [recorder.created({ kind: 'stream', item })] }
}

const isGroup = (message: Message): message is Group => message.type === 'group'
const groupsOf = ({ heard }: Talk): Group[] => heard.filter(isGroup)

let questions = 0
/** Takes what comes, until the node answers that there is no more; answers what has come since so many groups. */
async function takeAll(talk: Talk, since: number): Promise<Entry[]> {
  const question = ++questions
  let taken = groupsOf(talk).length
  await talk.say({ type: 'acknowledgement', groups: taken, refused: 0, refusals: [] }, { type: 'ask', question, deep: false })
  for (;;) {
    const next = await talk.hear(
      (message): message is Message => (message.type === 'state' && message.answers === question) || (isGroup(message) && groupsOf(talk).indexOf(message) >= taken),
    )
    if (next === undefined) throw new Error('the node has left')
    if (!isGroup(next)) return groupsOf(talk).slice(since).flatMap(({ entries }) => entries)
    taken = groupsOf(talk).length
    await talk.say({ type: 'acknowledgement', groups: taken, refused: 0, refusals: [] })
  }
}

const changed = (entries: readonly Entry[]): string[] => entries.filter((entry) => 'changes' in entry).map(({ id }) => id)

beforeAll(async () => {
  node = await startTestNode()
  token = await makeAccount(node, 'anna1')
  await api('streams.create', { id: 'work', name: 'work' })
  await api('streams.create', { id: 'trip', name: 'trip', parentId: 'work' })
  await api('streams.create', { id: 'photos', name: 'photos', parentId: 'trip' })
  await api('streams.create', { id: 'private', name: 'private' })
  guest = await begun(await pairScripted(node, 'anna1', { is: 'share', streams: ['work'], direction: 'both', grantor: 'us' }))
  mirror = await begun(await pairScripted(node, 'anna1'))
  await takeAll(guest, 0)
})
afterAll(async () => {
  await guest.close()
  await mirror.close()
  await node.stop()
})

/** A series with a point. */
async function series(streamId: string): Promise<string> {
  const id = String((await api('events.create', { streamIds: [streamId], type: 'series:mass/kg' }))['event']?.['id'])
  const body = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 71]] }
  expect((await request(`${node.url}anna1/events/${id}/series`, { token, body })).status).toBe(200)
  return id
}

/** Whether an item was given last, and not taken back, of what was heard. */
const isThere = (entries: readonly Entry[]) => (id: string): boolean => 'changes' in (entries.findLast((entry) => entry.id === id) ?? {})
const offered = (since: number): string[] => groupsOf(guest).slice(since).flatMap(({ offers }) => offers.map(({ item }) => item.id))

it('what comes back before its withdrawal was taken is given anew, with its points', async () => {
  const events = [await note('photos'), await series('photos')]
  await takeAll(guest, 0)
  const since = groupsOf(guest).length
  await place('trip', null)
  const isOut = (message: Message): message is Group => isGroup(message) && message.entries.some((entry) => 'withdrawn' in entry && entry.id === events[1])
  const out = await guest.hear((message): message is Group => isOut(message))
  await place('trip', 'work')
  // The stream itself comes by its entry.
  const heard = guest.heard.indexOf(out as Group)
  const back = await guest.hear((message): message is Group => guest.heard.indexOf(message) > heard && isGroup(message))
  const before = groupsOf(guest).indexOf(back as Group)
  const given = await takeAll(guest, since)
  expect(['trip', 'photos', ...events].map(isThere(given))).toEqual([true, true, true, true])
  expect(offered(before)).toContain(events[1])
})

it('an event that is moved in comes with its points', async () => {
  const id = await series('private')
  await takeAll(guest, 0)
  const since = groupsOf(guest).length
  await api('events.update', { id, update: { streamIds: ['trip'] } })
  expect(await takeAll(guest, since)).toMatchObject([{ kind: 'event', id }])
  expect(offered(since)).toEqual([id])
})

/** What another node of the account gives, in this order. */
const orders: [string, () => ChangesEntry[]][] = [
  ['an event before the stream that it lies in', () => [madeEvent('late'), madeStream('late', 'work')]],
  ['a stream before the one above it', () => [madeStream('below', 'above'), madeEvent('below'), madeStream('above', 'trip')]],
  ['a stream before the one above it, which is moved in later', () => [madeStream('under', 'over'), madeEvent('under'), madeStream('over', null)]],
]
it.each(orders)('what a stream brings along is given: %s', async (_, make) => {
  const entries = make()
  await takeAll(guest, 0)
  const since = groupsOf(guest).length
  for (const entry of entries) expect(await mirror.give({ entries: [entry] })).toBe(0)
  if (entries.some(({ id }) => id === 'over')) await place('over', 'trip')
  const given = await takeAll(guest, since)
  expect(changed(given).sort()).toEqual(entries.map(({ id }) => id).sort())
})

it('what the stream `recovered` shows for a stream that is gone comes and goes with it', async () => {
  const [lost, stream, event] = [madeEvent('nowhere'), madeStream('other', null), madeEvent('other')]
  expect(await mirror.give({ entries: [lost, stream, event] })).toBe(0)
  await place('recovered', 'trip')
  await takeAll(guest, 0)
  const since = groupsOf(guest).length
  const [root] = stream.changes.map((change) => parseChange(change).hash)
  expect(await mirror.give({ entries: [{ kind: 'stream', id: 'other', deleted: 5, roots: [root ?? ''] }] })).toBe(0)
  const came = await takeAll(guest, since)
  expect(changed(came)).toEqual([event.id])
  // What was given lately is looked at whatever happens.
  await api('streams.create', { id: 'another', name: 'another' })
  await takeAll(guest, since)
  expect(await mirror.give({ entries: [madeStream('other', null, 'again')] })).toBe(0)
  const went = (await takeAll(guest, since)).slice(came.length)
  expect(went).toEqual([{ kind: 'event', id: event.id, withdrawn: true }])
})

it('what left the share is taken back again from a peer that shows that it still has it, and from no other', async () => {
  const id = await note('trip')
  await api('streams.create', { id: 'old', name: 'old', parentId: 'trip' })
  const all = await takeAll(guest, 0)
  const copies = [id, 'old'].map((wanted) => all.find((entry) => entry.id === wanted) as Entry)
  await api('events.update', { id, update: { streamIds: ['private'] } })
  await place('old', 'private')
  await takeAll(guest, 0)
  const since = groupsOf(guest).length
  expect(await guest.give({ entries: [madeStream('private', 'trip', 'other'), madeStream('old', 'trip', 'other'), { ...madeEvent('trip'), id }] })).toBe(3)
  expect(await takeAll(guest, since)).toEqual([])
  expect(await guest.give({ entries: copies })).toBe(2)
  await guest.hear((message): message is Group => isGroup(message) && groupsOf(guest).indexOf(message) >= since)
  expect(await takeAll(guest, since)).toEqual(copies.map(({ kind, id: one }) => ({ kind, id: one, withdrawn: true })))
})

it('what left the share is taken back again from a peer that gives nothing and shows that it still has it, and from no other', async () => {
  const reader = await begun(await pairScripted(node, 'anna1', { is: 'share', streams: ['trip'], direction: 'send', grantor: 'us' }))
  const events = [await note('trip'), await note('trip')]
  for (const id of ['out', 'dead']) await api('streams.create', { id, name: id, parentId: 'trip' })
  const all = await takeAll(reader, 0)
  const copies = ['out', 'dead', ...events].map((wanted) => all.find((entry) => entry.id === wanted) as ChangesEntry)
  const rootsOf = ({ changes }: ChangesEntry): string[] => changes.map(parseChange).filter(({ deps }) => deps.length === 0).map(({ hash }) => hash)
  for (const id of events) await api('events.update', { id, update: { streamIds: ['private'] } })
  for (const id of ['out', 'dead']) await place(id, 'private')
  await takeAll(reader, 0)
  // One event and one stream were deleted after they had left.
  for (const times of [1, 2]) {
    await api('events.delete', { id: events[1] })
    await api(times === 1 ? 'streams.update' : 'streams.delete', { id: 'dead', ...(times === 1 ? { update: { trashed: true } } : {}) })
  }
  const state = new Uint8Array(16).fill(1)
  const since = groupsOf(reader).length
  const unlike = [...copies.slice(0, 3).map(({ kind, id }) => ({ kind, id })), { kind: 'stream', id: 'private' }, { kind: 'stream', id: 'trip' }] as ItemRef[]
  expect(await reader.give({ offers: unlike.map((item) => ({ item, state, roots: ['00'.repeat(32)] })) })).toBe(0)
  expect(await reader.give({ offers: copies.map(({ kind, id }) => ({ item: { kind, id }, state })) })).toBe(0)
  expect(await takeAll(reader, since)).toEqual([])
  expect(await reader.give({ offers: copies.map((copy) => ({ item: { kind: copy.kind, id: copy.id }, state, roots: rootsOf(copy) })) })).toBe(0)
  await reader.hear((message): message is Group => isGroup(message) && groupsOf(reader).indexOf(message) >= since)
  expect(await takeAll(reader, since)).toEqual(copies.map(({ kind, id }) => ({ kind, id, withdrawn: true })))
  await reader.close()
})

it('what is offered and is here as a whole already, by another node, counts to the share', async () => {
  const giver = await begun(await pairScripted(node, 'anna1', { is: 'share', streams: ['trip'], direction: 'receive', grantor: 'us' }))
  const [id, other] = [await series('trip'), await series('private')]
  const counted = (of: string): number => {
    const keys = Array.from({ length: 40 }, (_, peer) => accountKeys.shared('1', peer, `m${of}`))
    return keys.filter((key) => node.node.store.db.get(key) !== undefined).length
  }
  const range = accountKeys.seriesVersions('1', id)
  const reaches = new Map<string, number>()
  for await (const [key, time] of each(node.node.store.db.entries(under(range)))) reaches.set(key.slice(range.length), Number(time))
  expect(reaches.size).toBe(1)
  // The other peers of the account have it.
  const before = counted(id)
  const more = new Map([...reaches].map(([actor, time]) => [actor, time + 1]))
  await giver.give({ offers: [{ item: { kind: 'series', id }, reaches: more }, { item: { kind: 'series', id: other }, reaches }] })
  expect([counted(id), counted(other)]).toEqual([before, 0])
  await giver.give({ offers: [{ item: { kind: 'series', id }, reaches }] })
  expect(counted(id)).toBe(before + 1)
  await giver.close()
})
