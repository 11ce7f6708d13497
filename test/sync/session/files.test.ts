/** Transfer of attached files between stores on disk: costs, sync state, damaged and lost files. */
import { hash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { afterEach, expect, it } from 'vitest'
import { countWanted } from '../../../src/store/engine/wantedCount.js'
import { addEvent, findEvent, removeEvent } from '../../../src/store/events/events.js'
import type { Event } from '../../../src/store/model/event.js'
import { putPeer, type Scope } from '../../../src/store/replication/peers.js'
import type { SessionStatus } from '../../../src/sync/session/types.js'
import { inSync, waitForState } from './sessionPair.js'
import { pair, realNode, withStream, type Pairing, type RealNode } from './realNodes.js'

const nodes: RealNode[] = []
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop()
})

async function newNode(name: string, ...streams: string[]): Promise<RealNode> {
  const node = await realNode(name)
  nodes.push(node)
  for (const stream of streams) await withStream(node, stream)
  return node
}

let created = 0

/** Attaches new files to new events of a stream, one each; returns their digests. */
async function attach(node: RealNode, count: number, size = 10_000, stream = 'photos'): Promise<string[]> {
  const files = Array.from({ length: count }, () => {
    created += 1
    const bytes = randomBytes(size)
    return { bytes, digest: hash('sha256', bytes), id: String(created).padStart(24, '0') }
  })
  const event = (id: string): Event => ({
    ...{ id: `c${id}`, streamIds: [stream], type: 'picture/attached', time: 1, tags: [] },
    attachments: [{ id: `f${id}`, fileName: 'a', type: 'image/png', size }],
    ...{ created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' },
  })
  const { store, account } = node
  for (let at = 0; at < count; at += 500) {
    const some = files.slice(at, at + 500)
    await account.write((t) => {
      for (const { digest, id } of some) addEvent(t, store.recorder, event(id), new Map([[`f${id}`, digest]]))
    })
    await store.blobs.placeAll(account.prefix, some)
  }
  return files.map(({ digest }) => digest)
}

const pathAt = ({ store, account }: RealNode, digest: string): string => store.blobs.pathOf(account.prefix, digest)
const lacking = (node: RealNode, digests: readonly string[]): string[] => digests.filter((digest) => !existsSync(pathAt(node, digest)))

/** Stores the record of a peer, as pairing does. */
const recordPeer = ({ account }: RealNode, { peers }: Pairing, at: 0 | 1): Promise<void> => account.write((t) => putPeer(t, peers[at]))

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

it('costs the same for each file, independent of their number', async () => {
  const costs: number[] = []
  for (const count of [60, 600]) {
    const [a, b] = [await newNode('a', 'photos'), await newNode('b')]
    const digests = await attach(a, count, 100)
    let lookUps = 0
    const { blobs, db } = b.store
    const { isPresent } = blobs
    blobs.isPresent = (...of) => ((lookUps += 1), isPresent(...of))
    for (const name of ['keys', 'entries'] as const) {
      const scan = db[name].bind(db) as (...of: unknown[]) => never
      db[name] = (...of: unknown[]) => ((lookUps += 1), scan(...of))
    }
    const sessions = await pair(a, b).connect()
    await inSync(sessions)
    expect(lacking(b, digests)).toEqual([])
    costs.push(lookUps / count)
    await sessions.end()
  }
  const [few = 0, many = Infinity] = costs
  expect(many).toBeLessThan(few * 1.5)
})

it('keeps both sides behind while files are missing, over lost connections', async () => {
  const [a, b] = [await newNode('a', 'photos'), await newNode('b')]
  const digests = [...(await attach(a, 300)), ...(await attach(a, 3, 400_000)), ...(await attach(a, 1, 0))]
  const pairing = pair(a, b)
  const early: SessionStatus[] = []
  async function openSessions(): ReturnType<Pairing['connect']> {
    const sessions = await pairing.connect()
    for (const side of [sessions.a, sessions.b]) {
      side.onStatus((status) => {
        if (status.state === 'in-sync' && lacking(b, digests).length > 0) early.push(status)
      })
    }
    return sessions
  }
  for (const least of [50, 150]) {
    const sessions = await openSessions()
    while (digests.length - lacking(b, digests).length < least) await new Promise((resolve) => setTimeout(resolve, 5))
    const { filesPendingCount, filesPending } = sessions.b.status()
    expect(filesPendingCount).toBe(b.account.wanted.count)
    expect(filesPending).toBeLessThanOrEqual(b.account.wanted.bytes)
    sessions.cut()
    await sessions.b.ended
    await sessions.a.ended
    await b.store.settled()
    // The count that another process would compute when it opens the account.
    const { count, bytes } = await countWanted(b.store.db, b.account.prefix)
    expect(b.account.wanted).toMatchObject({ count, bytes })
    expect(count).toBeGreaterThan(0)
  }
  const last = await openSessions()
  await inSync(last)
  expect(early).toEqual([])
  expect(lacking(b, digests)).toEqual([])
  expect(last.b.status()).toMatchObject({ filesPending: 0, filesPendingCount: 0, filesMissing: 0 })
  expect(b.account.wanted).toMatchObject({ count: 0, bytes: 0 })
  await last.end()
})

it('forgets files at once when their events are deleted before they arrive', async () => {
  const [a, b] = [await newNode('a', 'photos'), await newNode('b')]
  const [digest = ''] = await attach(a, 1)
  await rm(pathAt(a, digest))
  const sessions = await pair(a, b).connect()
  await waitForState(sessions.b, 'behind')
  expect(sessions.b.status()).toMatchObject({ filesMissing: 1, filesMissingBytes: 10_000 })
  const id = `c${String(created).padStart(24, '0')}`
  await a.account.write((t) => {
    const event = findEvent(t, t.account, id)
    if (event !== undefined) removeEvent(t, a.store.recorder, event, 2, 'keep-nothing', (kept) => kept)
  })
  await Promise.all([waitForState(sessions.a, 'in-sync'), waitForState(sessions.b, 'in-sync')])
  expect(b.account.wanted.count).toBe(0)
  await sessions.end()
})

it.each([
  ['small', 10_000, 5000],
  ['large', 400_000, 399_999],
])('does not send a %s damaged file, reports it, and receives it again from a node that has it', async (_, size, at) => {
  const [a, b, c] = [await newNode('a', 'photos'), await newNode('b'), await newNode('c')]
  const [digest = ''] = await attach(a, 1, size)
  const [ab, ac] = [pair(a, b), pair(a, c)]
  const first = await ac.connect()
  await inSync(first)
  await first.end()
  await recordPeer(a, ac, 0)
  flip(pathAt(a, digest), at)
  const sessions = await ab.connect()
  await Promise.all([waitForState(sessions.a, 'behind'), waitForState(sessions.b, 'behind')])
  expect(lacking(b, [digest])).toEqual([digest])
  expect(a.store.blobs.damaged()).toMatchObject([{ account: a.account.prefix, digest }])
  expect(a.store.blobs.isPresent(a.account.prefix, digest)).toBe(false)
  expect(sessions.a.status()).toMatchObject({ filesMissing: 1 })
  // The third node has it.
  const other = await ac.connect()
  await inSync(other)
  expect(hash('sha256', readFileSync(pathAt(a, digest)))).toBe(digest)
  expect(a.store.blobs.damaged()).toEqual([])
  await Promise.all([waitForState(sessions.a, 'in-sync', 20_000), waitForState(sessions.b, 'in-sync', 20_000)])
  expect(hash('sha256', readFileSync(pathAt(b, digest)))).toBe(digest)
  await Promise.all([sessions.end(), other.end()])
})

it('requests from a guest only shared files, and is in sync without others', async () => {
  const share = (direction: 'send' | 'receive', grantor: 'us' | 'them'): Scope => ({ is: 'share', streams: ['photos'], direction, grantor })
  const [a, b, c] = [await newNode('a', 'photos', 'diary'), await newNode('b'), await newNode('c')]
  const [shared = ''] = await attach(a, 1)
  const [unshared = ''] = await attach(a, 1, 10_000, 'diary')
  await rm(pathAt(a, unshared))
  // A mirror that waits for the private file, and shares with a guest.
  const mirror = await pair(a, c).connect()
  await waitForState(mirror.b, 'behind')
  await mirror.end()
  const requested: string[] = []
  const { pathOf } = b.store.blobs
  b.store.blobs.pathOf = (account, digest) => (requested.push(digest), pathOf(account, digest))
  const sessions = await pair(c, b, [share('send', 'us'), share('receive', 'them')]).connect()
  await inSync(sessions)
  expect(c.account.wanted.count).toBe(1)
  expect(sessions.a.status()).toMatchObject({ filesPending: 0, filesPendingCount: 0, filesMissing: 0 })
  expect(lacking(b, [shared])).toEqual([])
  expect(requested).not.toContain(unshared)
  await sessions.end()
})
