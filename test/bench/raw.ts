/**
 * Floor of writes: LevelDB alone, with synced batches of the keys and bytes that the node writes for an event, as read
 * from a store that a node wrote.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Level } from 'level'
import { batch, createStreams, creation, creations, register } from './account.js'
import { callApi } from './client.js'
import { defer } from './cleanup.js'
import { startNode } from './processes.js'

interface Entry {
  key: string
  value: Buffer
}

/** Entries that the node writes for events. */
export interface Shape {
  /** Entries of each sampled event, without the links of the commit chain. */
  events: Entry[][]
  /** Bytes of the link for a commit of one event. */
  link: number
  /** Bytes of links per event in batches of 1,000. */
  linkInBatch: number
  /** Number of commits of one batch of 1,000 creations. */
  commitsOfBatch: number
}

const OPTIONS = { keyEncoding: 'utf8', valueEncoding: 'buffer', writeBufferSize: 8 * 1024 * 1024 } as const
const LINKS = { gte: '!k/', lt: '!k0' }

/** Writes a batch of events and a single one by a node, and reads their entries. */
export async function readShape(home: string): Promise<Shape> {
  const first = await startNode(home)
  const owner = await register(first, 'shape')
  await createStreams(first, owner)
  await first.stop()
  const { links: before } = await readStore(home)
  const node = await startNode(home)
  await batch(node, owner, JSON.parse(creations()) as unknown[])
  const single = { verb: 'POST', path: 'shape/events', token: owner.token, body: creation() } as const
  const { event } = await callApi(node, single)
  await node.stop()
  const { links, events } = await readStore(home)
  events.delete((event as { id: string }).id)
  const ofBatch = links.slice(before.length, -1)
  return {
    events: [...events.values()],
    link: links.at(-1) ?? 0,
    linkInBatch: ofBatch.reduce((sum, length) => sum + length, 0) / events.size,
    commitsOfBatch: ofBatch.length,
  }
}

/** Returns the lengths of the links of the chain, and the other entries of each event. */
async function readStore(home: string): Promise<{ links: number[]; events: Map<string, Entry[]> }> {
  const db = new Level<string, Buffer>(join(home, 'store', 'db'), { ...OPTIONS, createIfMissing: false })
  await db.open()
  try {
    const links = (await db.values(LINKS).all()).map((value) => value.length)
    return { links, events: await entriesByEvent(db) }
  } finally {
    await db.close()
  }
}

type Database = Level<string, Buffer>

/** Event id in the head of a journal entry; in other entries it is at the end of the key. */
const HEAD = /^e\+([a-z0-9]{24}) /
/** Event id in the audit record of the creating call. */
const RECORD = /"record":\{"key":"EVENT:0:([a-z0-9]{24}):/

async function entriesByEvent(db: Database): Promise<Map<string, Entry[]>> {
  const entries = await db.iterator({ gte: '0', lt: '~' }).all()
  const created = new Map<string, Entry[]>()
  for (const [, value] of entries) {
    const id = HEAD.exec(value.toString('latin1', 0, 40))?.[1]
    if (id !== undefined) created.set(id, [])
  }
  for (const [key, value] of entries) {
    const id = HEAD.exec(value.toString('latin1', 0, 40))?.[1] ?? RECORD.exec(value.toString('latin1'))?.[1] ?? key.slice(-24)
    created.get(id)?.push({ key, value })
  }
  return created
}

/** Returns the keys and bytes of an event, without links. */
export function weightOf({ events }: Shape): { keys: number; bytes: number } {
  const entries = events.flat()
  const bytes = entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
  return { keys: entries.length / events.length, bytes: bytes / events.length }
}

/** Returns events per second, with `perBatch` in each synced batch and a number of concurrent batches. */
export async function rawWrites(shape: Shape, perBatch: number, concurrency: number, seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-raw-'))
  const db = new Level<string, Buffer>(folder, OPTIONS)
  defer(async () => {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })
  await db.open()
  const link = Buffer.alloc(perBatch === 1 ? shape.link : Math.round(shape.linkInBatch * perBatch), 7)
  let written = 0
  let next = 0
  const begun = performance.now()
  const isDone = (): boolean => performance.now() - begun > seconds * 1000
  const write = async (): Promise<void> => {
    while (!isDone()) {
      // Chained batches, like in the node, cost a third of arrays of operations.
      const operations = db.batch()
      for (let i = 0; i < perBatch; i++) {
        const n = next++
        for (const { key, value } of shape.events[n % shape.events.length] ?? []) operations.put(keyLike(key, n), value)
      }
      operations.put(`!k/${String(next).padStart(11, '0')}`, link)
      await operations.write({ sync: true })
      written += perBatch
    }
  }
  await Promise.all(Array.from({ length: concurrency }, write))
  const rate = written / ((performance.now() - begun) / 1000)
  await db.close()
  await rm(folder, { recursive: true, force: true })
  return rate
}

/** Returns a key of the same family and length for another event: sequential, but scattered when ids come first. */
function keyLike(key: string, n: number): string {
  const family = key.slice(0, key.lastIndexOf('/') + 1)
  const room = key.length - family.length
  const scattered = family.endsWith('/i/') ? ((n * 2_654_435_761) % 4_294_967_296).toString(36).padStart(7, '0') : ''
  return family + scattered + n.toString(36).padStart(room - scattered.length, '0')
}

