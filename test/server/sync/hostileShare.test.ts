/** A peer of a share that tries to read, write and delete data outside of the share. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Access } from '../../../src/store/model/access.js'
import type { Event } from '../../../src/store/model/event.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import type { ChangesEntry, Entry, ItemRef } from '../../../src/sync/wire/entry.js'
import { readItem } from '../../../src/sync/digest/readItem.js'
import type { Group } from '../../../src/sync/wire/message.js'
import type { Direction } from '../../../src/store/replication/peers.js'
import { Secret } from '../../../src/store/model/secret.js'
import { expectSound } from '../../support/store/check.js'
import { makeAccount, placesOf, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { begun, itemsOf, pairScripted, refusalsOf, type ScriptedPeer, type Talk } from '../../support/sync/scriptedPeer.js'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialise } from '../../../src/server/launch/init.js'

const SECRET = 'nobody-else-may-read-this'
const recorder = createRecorder({ actor: randomBytes(16).toString('hex') })
const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
let serial = 0
const newId = (): string => `c${String(++serial).padStart(24, 'h')}`

const madeEvent = (streamIds: string[], id = newId()): ChangesEntry => {
  const item: Event = { id, streamIds, type: 'note/txt', content: 'x', time: 1, tags: [], ...tracking }
  return { kind: 'event', id, changes: [recorder.created({ kind: 'event', item })] }
}
const madeStream = (id: string, parentId: string | null): ChangesEntry => {
  const item: Stream = { id, name: id, parentId, ...tracking }
  return { kind: 'stream', id, changes: [recorder.created({ kind: 'stream', item })] }
}

let home: string
let node: TestNode
let token: string
const ids: Record<string, string> = {}

async function api(method: string, params: unknown): Promise<Record<string, Record<string, unknown>>> {
  const { body } = await request(`${node.url}anna1/`, { token, body: [{ method, params }] })
  const [result] = body['results'] as Record<string, Record<string, unknown>>[]
  if (result === undefined || 'error' in result) throw new Error(JSON.stringify(result))
  return result
}
async function createEvent(name: string, params: Record<string, unknown>): Promise<void> {
  ids[name] = String((await api('events.create', { type: 'note/txt', content: SECRET, ...params }))['event']?.['id'])
}
/** Returns an edit of an event or a stream by a peer with all of its changes. */
async function editOf(peer: ScriptedPeer, ref: ItemRef & { kind: 'event' | 'stream' }, patch: object): Promise<ChangesEntry> {
  const [entry] = (await readItem(node.node.store, peer.account, ref)).filter((one) => 'changes' in one)
  const first = entry?.changes[0]
  if (first === undefined) throw new Error('nothing to edit')
  const method = ref.kind === 'event' ? 'events.getOne' : 'streams.get'
  const answer = await api(method, ref.kind === 'event' ? { id: ref.id } : {})
  const before =
    ref.kind === 'event'
      ? { kind: 'event' as const, item: answer['event'] as unknown as Event }
      : { kind: 'stream' as const, item: { id: ref.id, name: ref.id, parentId: null, ...tracking } as Stream }
  const after = { ...before, item: { ...before.item, ...patch } } as typeof before
  const { change } = recorder.edited(before, after, { initialChange: () => first })
  return { ...ref, changes: [...entry?.changes ?? [], change] }
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-hostile-'))
  await initialise(placesOf(home))
  node = await startTestNode({}, { home })
  token = await makeAccount(node, 'anna1')
  for (const [id, parentId] of [['work', null], ['project', 'work'], ['diary', null], ['dreams', 'diary']]) {
    await api('streams.create', { id, name: id, parentId })
  }
  await createEvent('shared', { streamIds: ['project'] })
  await createEvent('private', { streamIds: ['diary'] })
  await createEvent('gone', { streamIds: ['diary'] })
  await api('events.delete', { id: ids['gone'] })
  await api('events.delete', { id: ids['gone'] })
  await createEvent('series', { streamIds: ['diary'], type: 'series:mass/kg', content: undefined })
  const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1], [1, 2]] }
  await request(`${node.url}anna1/events/${ids['series']}/series`, { token, body: points })
})
afterAll(async () => {
  await node.stop()
  await expectSound(placesOf(home))
  await rm(home, { recursive: true })
})

const pairPeer = (direction: Direction): Promise<ScriptedPeer> =>
  pairScripted(node, 'anna1', { is: 'share', streams: ['work'], direction, grantor: 'us' })
const access: Access = { id: 'stolen', type: 'app', name: 'x', permissions: [], ...tracking }

describe('a peer that may write into shared streams', () => {
  let peer: ScriptedPeer
  let talk: Talk
  beforeAll(async () => {
    peer = await pairPeer('both')
    talk = await begun(peer)
  })
  afterAll(() => talk.close())

  const writes: [string, () => Entry | Promise<Entry>][] = [
    ['an event in a private stream', () => madeEvent(['diary'])],
    ['an event in an unknown stream', () => madeEvent(['nowhere'])],
    ['an event in a shared and a private stream', () => madeEvent(['work', 'diary'])],
    ['a shared event moved out', () => editOf(peer, { kind: 'event', id: ids['shared'] ?? '' }, { streamIds: ['diary'] })],
    ['a shared event added to a private stream', () => editOf(peer, { kind: 'event', id: ids['shared'] ?? '' }, { streamIds: ['project', 'diary'] })],
    ['a private event moved in', () => editOf(peer, { kind: 'event', id: ids['private'] ?? '' }, { streamIds: ['work'] })],
    ['an event with the id of a private one', () => madeEvent(['work'], ids['private'])],
    ['no changes of a private event', () => ({ kind: 'event', id: ids['private'] ?? '', changes: [] })],
    ['no changes of a private stream', () => ({ kind: 'stream', id: 'diary', changes: [] })],
    ['a stream at the root', () => madeStream('outside', null)],
    ['a stream below a private one', () => madeStream('outside', 'dreams')],
    ['the shared stream moved', () => editOf(peer, { kind: 'stream', id: 'work' }, { parentId: 'diary' })],
    ['the deletion of a private event', () => ({ kind: 'event', id: ids['private'] ?? '', deleted: 5 })],
    ['the deletion of a private stream', () => ({ kind: 'stream', id: 'diary', deleted: 5, roots: ['00'.repeat(32)] })],
    ['the deletion of the shared stream', () => ({ kind: 'stream', id: 'work', deleted: 5, roots: ['00'.repeat(32)] })],
    ['a withdrawal', () => ({ kind: 'event', id: ids['shared'] ?? '', withdrawn: true })],
    ['a withdrawal of a stream', () => ({ kind: 'stream', id: 'work', withdrawn: true })],
    ['an access', () => ({ kind: 'access', id: access.id, access, token: new Secret('stolen-token') })],
    ['a profile', () => ({ kind: 'profile', id: 'private', modified: 1, registers: [{ key: 'a', text: '1', counter: 1, actor: 'x' }] })],
    ['points of a private series', () => ({ kind: 'series', id: ids['series'] ?? '', actor: 'x', after: 0, upTo: 5, segments: [] })],
  ]
  it.each(writes)('is refused as out of scope: %s', async (_, entry) => {
    const before = await itemsOf(peer)
    const one = await entry()
    expect(await talk.give({ entries: [one] })).toBe(1)
    const letter = one.kind === 'series' ? 'm' : one.kind.charAt(0)
    expect(Object.entries(await refusalsOf(peer)).find(([item]) => item.startsWith(letter + one.id) || item.endsWith(one.id))?.[1]).toBe('out-of-scope')
    expect(await itemsOf(peer)).toEqual(before)
  })

  it('may write within the share', async () => {
    const entry = madeEvent(['project'])
    expect(await talk.give({ entries: [madeStream('sub', 'project'), madeEvent(['sub']), entry] })).toBe(0)
    expect((await api('events.getOne', { id: entry.id }))['event']).toMatchObject({ streamIds: ['project'] })
  })

  it('cannot detect private items by offering them', async () => {
    const from = talk.heard.length
    const far = new Map([['x', 2 ** 50]])
    const state = new Uint8Array(16).fill(1)
    expect(await talk.give({
      offers: [
        { item: { kind: 'series', id: ids['series'] ?? '' }, versionVector: far },
        { item: { kind: 'event', id: ids['private'] ?? '' }, state },
        { item: { kind: 'event', id: '../../etc/passwd' }, state },
        { item: { kind: 'event', id: ':_system:email' }, state },
        { item: { kind: 'stream', id: ':_system:account' }, state },
      ],
    })).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const requests = talk.heard.slice(from).filter(({ type }) => type === 'request')
    expect(requests).toEqual([])
  })
})

describe('a peer that may read shared streams', () => {
  const refs = (): ItemRef[] => [
    { kind: 'event', id: ids['private'] ?? '' },
    { kind: 'event', id: ids['gone'] ?? '' },
    { kind: 'series', id: ids['series'] ?? '' },
    { kind: 'stream', id: 'diary' },
    { kind: 'stream', id: 'dreams' },
    { kind: 'profile', id: 'private' },
    { kind: 'access', id: 'any' },
    { kind: 'event', id: ':_system:email' },
    { kind: 'stream', id: ':_system:account' },
  ]
  const contentOf = (group: Group | undefined): string =>
    JSON.stringify([group?.entries.map((entry) => ('changes' in entry ? entry.changes.map((bytes) => Buffer.from(bytes).toString('latin1')) : entry)), group?.offers])

  it.each<Direction>(['send', 'both', 'receive'])('receives only shared data: %s', async (direction) => {
    const peer = await pairPeer(direction)
    const talk = await begun(peer)
    // Entries of the peer about private items do not share them.
    if (direction !== 'send') {
      await talk.give({ entries: refs().flatMap(({ kind, id }): Entry[] => (kind === 'event' || kind === 'stream' ? [{ kind, id, changes: [] }, { kind, id, deleted: 1, ...(kind === 'stream' ? { roots: [] } : {}) }] : [])) })
    }
    for (const reaches of [undefined, new Map([['x', 1]])]) {
      const answer = await talk.ask(refs(), reaches)
      expect(answer?.offers).toEqual([])
      expect(answer?.entries.filter((entry) => !('deleted' in entry))).toEqual([])
      expect(contentOf(answer)).not.toContain(SECRET)
    }
    const shared = await talk.ask([{ kind: 'event', id: ids['shared'] ?? '' }])
    expect(contentOf(shared).includes(SECRET)).toBe(direction !== 'receive')
    await talk.close()
    expect(talk.heard.filter(({ type }) => type === 'group').map((group) => contentOf(group as Group)).join()).not.toContain(ids['private'])
  })

  it('does not receive data that is no longer shared', async () => {
    await createEvent('moved', { streamIds: ['project'], content: 'shown' })
    const peer = await pairPeer('send')
    const first = await begun(peer)
    await first.ask([{ kind: 'event', id: ids['moved'] ?? '' }])
    // Sent and recorded as such, but its withdrawal is never acknowledged.
    await api('events.update', { id: ids['moved'], update: { streamIds: ['diary'], content: SECRET } })
    expect(contentOf(await first.ask([{ kind: 'event', id: ids['moved'] ?? '' }]))).not.toContain(SECRET)
    await first.close()
    const again = await begun(peer)
    expect(contentOf(await again.ask([{ kind: 'event', id: ids['moved'] ?? '' }]))).not.toContain(SECRET)
    await again.close()
  })

  it('does not receive the bytes of private files', async () => {
    const peer = await pairPeer('both')
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
    form.append('file', new Blob([SECRET]), 'secret.txt')
    const made = await fetch(`${node.url}anna1/events`, { method: 'POST', headers: { authorization: token }, body: form })
    expect(made.status).toBe(201)
    const digest = (await import('node:crypto')).createHash('sha256').update(SECRET).digest('hex')
    const talk = await begun(peer)
    await talk.say({ type: 'file-request', digest, offset: 0, length: 100 })
    const answer = await talk.hear((message) => message.type === 'file-lack' || message.type === 'file-part')
    expect(answer?.type).toBe('file-lack')
    await talk.close()
  })
})
