/** The bytes of attached files between stores on disk: what they cost, when nodes are in sync, what is damaged or lost. */
import { hash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { afterEach, expect, it } from 'vitest'
import { countWanted } from '../../../src/store/engine/wantedCount.js'
import { addEvent, findEvent, removeEvent } from '../../../src/store/events/events.js'
import type { Event } from '../../../src/store/model/event.js'
import { putPeer, type Scope } from '../../../src/store/replication/peers.js'
import type { SessionStatus } from '../../../src/sync/session/types.js'
import { inSync, shows } from './meet.js'
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

let made = 0

/** Attaches new files to new events of a stream, one each; answers their digests. */
async function attach(node: RealNode, count: number, size = 10_000, stream = 'photos'): Promise<string[]> {
  const files = Array.from({ length: count }, () => {
    made += 1
    const bytes = randomBytes(size)
    return { bytes, digest: hash('sha256', bytes), id: String(made).padStart(24, '0') }
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

/** Has a node know its peer by a record, as pairing does. */
const recordPeer = ({ account }: RealNode, { peers }: Pairing, at: 0 | 1): Promise<void> => account.write((t) => putPeer(t, peers[at]))

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

it('costs the same for each file, however many are waited for', async () => {
  const costs: number[] = []
  for (const count of [100, 1500]) {
    const [a, b] = [await newNode('a', 'photos'), await newNode('b')]
    const digests = await attach(a, count, 100)
    let looks = 0
    const { blobs, db } = b.store
    const { isPresent } = blobs
    blobs.isPresent = (...of) => ((looks += 1), isPresent(...of))
    for (const name of ['keys', 'entries'] as const) {
      const scan = db[name].bind(db) as (...of: unknown[]) => never
      db[name] = (...of: unknown[]) => ((looks += 1), scan(...of))
    }
    const meeting = await pair(a, b).connect()
    await inSync(meeting)
    expect(lacking(b, digests)).toEqual([])
    costs.push(looks / count)
    await meeting.end()
  }
  const [few = 0, many = Infinity] = costs
  expect(many).toBeLessThan(few * 1.5)
})

it('keeps both sides from being in sync as long as bytes are missing, over lost connections', async () => {
  const [a, b] = [await newNode('a', 'photos'), await newNode('b')]
  const digests = [...(await attach(a, 600)), ...(await attach(a, 3, 400_000)), ...(await attach(a, 1, 0))]
  const pairing = pair(a, b)
  const early: SessionStatus[] = []
  async function meet(): ReturnType<Pairing['connect']> {
    const meeting = await pairing.connect()
    for (const side of [meeting.a, meeting.b]) {
      side.onStatus((status) => {
        if (status.state === 'in-sync' && lacking(b, digests).length > 0) early.push(status)
      })
    }
    return meeting
  }
  for (const least of [50, 300]) {
    const meeting = await meet()
    while (digests.length - lacking(b, digests).length < least) await new Promise((resolve) => setTimeout(resolve, 5))
    const { filesPendingCount, filesPending } = meeting.b.status()
    expect(filesPendingCount).toBe(b.account.wanted.count)
    expect(filesPending).toBeLessThanOrEqual(b.account.wanted.bytes)
    meeting.cut()
    await meeting.b.ended
    await meeting.a.ended
    await b.store.settled()
    // The count that another process would make when it opens the account.
    const { count, bytes } = await countWanted(b.store.db, b.account.prefix)
    expect(b.account.wanted).toMatchObject({ count, bytes })
    expect(count).toBeGreaterThan(0)
  }
  const last = await meet()
  await inSync(last)
  expect(early).toEqual([])
  expect(lacking(b, digests)).toEqual([])
  expect(last.b.status()).toMatchObject({ filesPending: 0, filesPendingCount: 0, filesMissing: 0 })
  expect(b.account.wanted).toMatchObject({ count: 0, bytes: 0 })
  await last.end()
})

it('forgets files at once whose events are deleted before they come', async () => {
  const [a, b] = [await newNode('a', 'photos'), await newNode('b')]
  const [digest = ''] = await attach(a, 1)
  await rm(pathAt(a, digest))
  const meeting = await pair(a, b).connect()
  await shows(meeting.b, 'behind')
  expect(meeting.b.status()).toMatchObject({ filesMissing: 1, filesMissingBytes: 10_000 })
  const id = `c${String(made).padStart(24, '0')}`
  await a.account.write((t) => {
    const event = findEvent(t, t.account, id)
    if (event !== undefined) removeEvent(t, a.store.recorder, event, 2, 'keep-nothing', (kept) => kept)
  })
  await Promise.all([shows(meeting.a, 'in-sync'), shows(meeting.b, 'in-sync')])
  expect(b.account.wanted.count).toBe(0)
  await meeting.end()
})

it.each([
  ['small', 10_000, 5000],
  ['large', 400_000, 399_999],
])('does not give a %s file whose bytes are damaged, names it, and gets it again from a node that has it', async (_, size, at) => {
  const [a, b, c] = [await newNode('a', 'photos'), await newNode('b'), await newNode('c')]
  const [digest = ''] = await attach(a, 1, size)
  const [ab, ac] = [pair(a, b), pair(a, c)]
  const first = await ac.connect()
  await inSync(first)
  await first.end()
  await recordPeer(a, ac, 0)
  flip(pathAt(a, digest), at)
  const meeting = await ab.connect()
  await Promise.all([shows(meeting.a, 'behind'), shows(meeting.b, 'behind')])
  expect(lacking(b, [digest])).toEqual([digest])
  expect(a.store.blobs.damaged()).toMatchObject([{ account: a.account.prefix, digest }])
  expect(a.store.blobs.isPresent(a.account.prefix, digest)).toBe(false)
  expect(meeting.a.status()).toMatchObject({ filesMissing: 1 })
  // The third node has it.
  const other = await ac.connect()
  await inSync(other)
  expect(hash('sha256', readFileSync(pathAt(a, digest)))).toBe(digest)
  expect(a.store.blobs.damaged()).toEqual([])
  await Promise.all([shows(meeting.a, 'in-sync', 20_000), shows(meeting.b, 'in-sync', 20_000)])
  expect(hash('sha256', readFileSync(pathAt(b, digest)))).toBe(digest)
  await Promise.all([meeting.end(), other.end()])
})

it('asks a guest for nothing that is not shared with it, and is in sync without', async () => {
  const share = (direction: 'send' | 'receive', grantor: 'us' | 'them'): Scope => ({ is: 'share', streams: ['photos'], direction, grantor })
  const [a, b, c] = [await newNode('a', 'photos', 'diary'), await newNode('b'), await newNode('c')]
  const [shown = ''] = await attach(a, 1)
  const [private_ = ''] = await attach(a, 1, 10_000, 'diary')
  await rm(pathAt(a, private_))
  // A mirror that waits for the private file, and shares with a guest.
  const mirror = await pair(a, c).connect()
  await shows(mirror.b, 'behind')
  await mirror.end()
  const asked: string[] = []
  const { pathOf } = b.store.blobs
  b.store.blobs.pathOf = (account, digest) => (asked.push(digest), pathOf(account, digest))
  const meeting = await pair(c, b, [share('send', 'us'), share('receive', 'them')]).connect()
  await inSync(meeting)
  expect(c.account.wanted.count).toBe(1)
  expect(meeting.a.status()).toMatchObject({ filesPending: 0, filesPendingCount: 0, filesMissing: 0 })
  expect(lacking(b, [shown])).toEqual([])
  expect(asked).not.toContain(private_)
  await meeting.end()
})
