/** Items that enter and leave a share during a session through changes of other items, and copies that return; the peer is scripted. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import type { Event } from '../../../src/store/model/event.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { linksOf } from '../../../src/sync/crdt/links.js'
import { versionAfter } from '../../../src/sync/merge/share/shareDocument.js'
import type { ChangesEntry, Entry, ItemRef } from '../../../src/sync/wire/entry.js'
import { parseChange } from '../../../src/sync/crdt/parseChange.js'
import type { Group, Message } from '../../../src/sync/wire/message.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { begun, pairScripted, type Talk } from '../../support/sync/scriptedPeer.js'

const recorder = createRecorder({ actor: randomBytes(16).toString('hex') })
const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }

let node: TestNode
let token: string
/** The peer of the share of the stream `work`. */
let guest: Talk
/** A mirror of the account. */
let mirror: Talk

async function api(method: string, params: unknown): Promise<Record<string, Record<string, unknown>>> {
  const { body } = await request(`${node.url}anna1/`, { token, body: [{ method, params }] })
  const [result] = body['results'] as Record<string, Record<string, unknown>>[]
  if (result === undefined || 'error' in result) throw new Error(JSON.stringify(result))
  return result
}

const note = async (streamId: string): Promise<string> =>
  String((await api('events.create', { streamIds: [streamId], type: 'note/txt', content: 'x' }))['event']?.['id'])

const moveStream = (id: string, parentId: string | null): Promise<unknown> => api('streams.update', { id, update: { parentId } })

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
/** Acknowledges groups until the node has sent all; returns the entries since the group number `since`. */
async function receiveAll(talk: Talk, since: number): Promise<Entry[]> {
  const question = ++questions
  let taken = groupsOf(talk).length
  await talk.say({ type: 'acknowledgement', groups: taken, refused: 0, refusals: [] }, { type: 'ask', question, deep: false })
  for (;;) {
    const next = await talk.hear(
      (message): message is Message => (message.type === 'state' && message.answers === question) || (isGroup(message) && groupsOf(talk).indexOf(message) >= taken),
    )
    if (next === undefined) throw new Error('The node closed the session.')
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
  await receiveAll(guest, 0)
})
afterAll(async () => {
  await guest.close()
  await mirror.close()
  await node.stop()
})

/** Creates a series with a point; returns its id. */
async function series(streamId: string): Promise<string> {
  const id = String((await api('events.create', { streamIds: [streamId], type: 'series:mass/kg' }))['event']?.['id'])
  const body = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 71]] }
  expect((await request(`${node.url}anna1/events/${id}/series`, { token, body })).status).toBe(200)
  return id
}

/** Checks that the last entry of an item contains changes, not a withdrawal. */
const isPresent = (entries: readonly Entry[]) => (id: string): boolean => 'changes' in (entries.findLast((entry) => entry.id === id) ?? {})
const offered = (since: number): string[] => groupsOf(guest).slice(since).flatMap(({ offers }) => offers.map(({ item }) => item.id))

it('items that return before their withdrawal is acknowledged are sent again, with their points', async () => {
  const events = [await note('photos'), await series('photos')]
  await receiveAll(guest, 0)
  const since = groupsOf(guest).length
  await moveStream('trip', null)
  const isOut = (message: Message): message is Group => isGroup(message) && message.entries.some((entry) => 'withdrawn' in entry && entry.id === events[1])
  const out = await guest.hear((message): message is Group => isOut(message))
  await moveStream('trip', 'work')
  // Waits for the group with the entry of the stream.
  const position = guest.heard.indexOf(out as Group)
  const back = await guest.hear((message): message is Group => guest.heard.indexOf(message) > position && isGroup(message))
  const before = groupsOf(guest).indexOf(back as Group)
  const received = await receiveAll(guest, since)
  expect(['trip', 'photos', ...events].map(isPresent(received))).toEqual([true, true, true, true])
  expect(offered(before)).toContain(events[1])
})

it('an event moved into the share is sent with its points', async () => {
  const id = await series('private')
  await receiveAll(guest, 0)
  const since = groupsOf(guest).length
  await api('events.update', { id, update: { streamIds: ['trip'] } })
  expect(await receiveAll(guest, since)).toMatchObject([{ kind: 'event', id }])
  expect(offered(since)).toEqual([id])
})

/** Entries of the mirror, in this order. */
const orders: [string, () => ChangesEntry[]][] = [
  ['an event before its stream', () => [madeEvent('late'), madeStream('late', 'work')]],
  ['a stream before its parent', () => [madeStream('below', 'above'), madeEvent('below'), madeStream('above', 'trip')]],
  ['a stream before its parent, which enters the share later', () => [madeStream('under', 'over'), madeEvent('under'), madeStream('over', null)]],
]
it.each(orders)('the contents of a stream that enters the share are sent: %s', async (_, make) => {
  const entries = make()
  await receiveAll(guest, 0)
  const since = groupsOf(guest).length
  for (const entry of entries) expect(await mirror.give({ entries: [entry] })).toBe(0)
  if (entries.some(({ id }) => id === 'over')) await moveStream('over', 'trip')
  const received = await receiveAll(guest, since)
  expect(changed(received).sort()).toEqual(entries.map(({ id }) => id).sort())
})

it('events shown in the stream `recovered` enter and leave the share with it', async () => {
  const [lost, stream, event] = [madeEvent('nowhere'), madeStream('other', null), madeEvent('other')]
  expect(await mirror.give({ entries: [lost, stream, event] })).toBe(0)
  await moveStream('recovered', 'trip')
  await receiveAll(guest, 0)
  const since = groupsOf(guest).length
  const [root] = stream.changes.map((change) => parseChange(change).hash)
  expect(await mirror.give({ entries: [{ kind: 'stream', id: 'other', deleted: 5, roots: [root ?? ''] }] })).toBe(0)
  const entered = await receiveAll(guest, since)
  expect(changed(entered)).toEqual([event.id])
  // Any change triggers a check of recently sent items.
  await api('streams.create', { id: 'another', name: 'another' })
  await receiveAll(guest, since)
  expect(await mirror.give({ entries: [madeStream('other', null, 'again')] })).toBe(0)
  const withdrawn = (await receiveAll(guest, since)).slice(entered.length)
  expect(withdrawn).toEqual([{ kind: 'event', id: event.id, withdrawn: true }])
})

it('an earlier version that a peer returns beside the present one is replaced by that again', async () => {
  const early = await begun(await pairScripted(node, 'anna1', { is: 'share', streams: ['trip'], direction: 'both', grantor: 'us' }))
  const made = { streamIds: ['trip', 'private'], type: 'note/txt', content: 'earlier', tags: ['earlier'] }
  const id = String((await api('events.create', made))['event']?.['id'])
  const changesOf = (entries: readonly Entry[]): Uint8Array[] => entries.flatMap((entry) => (entry.id === id && 'changes' in entry ? entry.changes : []))
  const earlier = changesOf(await receiveAll(early, 0))
  await early.close()
  await api('events.update', { id, update: { content: 'present', tags: [] } })
  // This node of the peer receives the present version alone, and has the earlier one from another node.
  const late = await begun(await pairScripted(node, 'anna1', { is: 'share', streams: ['trip'], direction: 'both', grantor: 'us' }))
  const present = changesOf(await receiveAll(late, 0))
  const since = groupsOf(late).length
  const returned: Entry = { kind: 'event', id, changes: earlier }
  expect(await late.give({ entries: [returned] })).toBe(0)
  const answer = changesOf(await receiveAll(late, since))
  const { fields } = versionAfter([...linksOf([...earlier, ...present, ...answer]).values()])
  expect(fields['body']).toContain('present')
  expect(Object.keys(fields).filter((key) => key.startsWith('t:'))).toEqual([])
  // Nothing more is sent when the peer repeats it.
  const before = groupsOf(late).length
  expect(await late.give({ entries: [returned] })).toBe(0)
  expect(changesOf(await receiveAll(late, before))).toEqual([])
  await late.close()
})

it('items outside of the share are withdrawn again only from a peer that sends their known changes', async () => {
  const id = await note('trip')
  await api('streams.create', { id: 'old', name: 'old', parentId: 'trip' })
  const all = await receiveAll(guest, 0)
  const copies = [id, 'old'].map((copied) => all.find((entry) => entry.id === copied) as Entry)
  await api('events.update', { id, update: { streamIds: ['private'] } })
  await moveStream('old', 'private')
  await receiveAll(guest, 0)
  const since = groupsOf(guest).length
  expect(await guest.give({ entries: [madeStream('private', 'trip', 'other'), madeStream('old', 'trip', 'other'), { ...madeEvent('trip'), id }] })).toBe(3)
  expect(await receiveAll(guest, since)).toEqual([])
  expect(await guest.give({ entries: copies })).toBe(2)
  await guest.hear((message): message is Group => isGroup(message) && groupsOf(guest).indexOf(message) >= since)
  expect(await receiveAll(guest, since)).toEqual(copies.map(({ kind, id: one }) => ({ kind, id: one, withdrawn: true })))
})

it('items outside of the share are withdrawn again only from a receive-only peer that advertises their known changes', async () => {
  const reader = await begun(await pairScripted(node, 'anna1', { is: 'share', streams: ['trip'], direction: 'send', grantor: 'us' }))
  const events = [await note('trip'), await note('trip')]
  for (const id of ['out', 'dead']) await api('streams.create', { id, name: id, parentId: 'trip' })
  const all = await receiveAll(reader, 0)
  const copies = ['out', 'dead', ...events].map((copied) => all.find((entry) => entry.id === copied) as ChangesEntry)
  const rootsOf = ({ changes }: ChangesEntry): string[] => changes.map(parseChange).filter(({ deps }) => deps.length === 0).map(({ hash }) => hash)
  for (const id of events) await api('events.update', { id, update: { streamIds: ['private'] } })
  for (const id of ['out', 'dead']) await moveStream(id, 'private')
  await receiveAll(reader, 0)
  // One event and one stream are deleted after their withdrawal.
  for (const times of [1, 2]) {
    await api('events.delete', { id: events[1] })
    await api(times === 1 ? 'streams.update' : 'streams.delete', { id: 'dead', ...(times === 1 ? { update: { trashed: true } } : {}) })
  }
  const state = new Uint8Array(16).fill(1)
  const since = groupsOf(reader).length
  const mismatched = [...copies.slice(0, 3).map(({ kind, id }) => ({ kind, id })), { kind: 'stream', id: 'private' }, { kind: 'stream', id: 'trip' }] as ItemRef[]
  expect(await reader.give({ offers: mismatched.map((item) => ({ item, state, roots: ['00'.repeat(32)] })) })).toBe(0)
  expect(await reader.give({ offers: copies.map(({ kind, id }) => ({ item: { kind, id }, state })) })).toBe(0)
  expect(await receiveAll(reader, since)).toEqual([])
  expect(await reader.give({ offers: copies.map((copy) => ({ item: { kind: copy.kind, id: copy.id }, state, roots: rootsOf(copy) })) })).toBe(0)
  await reader.hear((message): message is Group => isGroup(message) && groupsOf(reader).indexOf(message) >= since)
  expect(await receiveAll(reader, since)).toEqual(copies.map(({ kind, id }) => ({ kind, id, withdrawn: true })))
  await reader.close()
})

it('an offered series that is already complete through another peer is recorded as shared', async () => {
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
  // Other peers of the account have it as well.
  const before = counted(id)
  const more = new Map([...reaches].map(([actor, time]) => [actor, time + 1]))
  await giver.give({ offers: [{ item: { kind: 'series', id }, versionVector: more }, { item: { kind: 'series', id: other }, versionVector: reaches }] })
  expect([counted(id), counted(other)]).toEqual([before, 0])
  await giver.give({ offers: [{ item: { kind: 'series', id }, versionVector: reaches }] })
  expect(counted(id)).toBe(before + 1)
  await giver.close()
})
