/** First sync with repeated kills of both nodes. `SEED` repeats a run as far as timing allows. */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, folder } from '../acceptance/support/coffer.js'
import { expectSound } from '../support/store/check.js'
import { eventPart, filePart, MULTIPART, multipartBody } from '../support/http/multipart.js'
import { placesOf, request } from '../support/nodes/node.js'
import { createSharedItems, readSame } from '../support/sync/finalState.js'
import { expectInSync, makeAccount, pair, syncNode, USER, type SyncNode } from '../support/sync/nodeProcesses.js'
import { BASE } from '../support/sync/writers.js'
import { seeded } from '../store/leveldb/fixtures.js'

const LONG = process.env['LONG'] === '1'
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const EVENTS = 5000
const FILES = 40
const FILE_BYTES = 100_000
const KILLS = 6
/** Bytes that may be in transit when a node is killed, and sent again: groups, and a part of a file. */
const IN_TRANSIT = 300_000

const cleanUp = afterTheFile()
beforeAll(() => {
  if (LONG) build()
})

async function twoNodes(): Promise<[SyncNode, SyncNode]> {
  const base = folder(cleanUp)
  return [await syncNode(join(base, 'a'), cleanUp), await syncNode(join(base, 'b'), cleanUp)]
}

/** Writes the events and their files; returns the size of the events as JSON. */
async function fill(url: string, token: string, next: (limit: number) => number): Promise<number> {
  let bytes = 0
  for (let from = 0; from < EVENTS; from += 500) {
    const body = Array.from({ length: 500 }, (_, n) => ({
      method: 'events.create',
      params: { streamIds: [BASE], type: 'mass/kg', content: next(100_000) / 1000, time: 1_700_000_000 + from + n },
    }))
    bytes += JSON.stringify(body).length
    expect((await request(`${url}${USER}`, { token, body })).status).toBe(200)
  }
  for (let n = 0; n < FILES; n++) {
    const data = Buffer.from(Array.from({ length: FILE_BYTES }, () => next(256)))
    const parts = [eventPart({ streamIds: [BASE], type: 'note/txt', content: `file ${n}` }), filePart('file', data)]
    const headers = { ...MULTIPART, authorization: token }
    const { status } = await fetch(`${url}${USER}/events`, { method: 'POST', headers, body: multipartBody(parts) })
    expect(status).toBe(201)
  }
  return bytes
}

it.runIf(LONG)(`a first sync resumes after both nodes are killed (seed ${SEED})`, { timeout: 300_000 }, async () => {
  const next = seeded(SEED)
  const [a, b] = await twoNodes()
  const url = await a.start()
  await b.start()
  const token = await makeAccount(url)
  await createSharedItems(url, token)
  await fill(url, token, next)
  const { line } = a
  if (line === undefined) throw new Error('no line')
  // Slow enough to be killed during the sync.
  line.quality = { delayMs: 10, most: 16_384 }
  await pair(a, b)
  const counts: number[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    const begun = line.bytes
    const until = Date.now() + 10_000
    const enough = begun + 100_000 + next(600_000)
    while (line.bytes < enough && Date.now() < until) await sleep(2)
    const both = kill % 3 === 0 ? [a, b] : [kill % 3 === 1 ? a : b]
    await Promise.all(both.map((node) => node.kill()))
    await Promise.all(both.map((node) => node.start()))
    counts.push(line.bytes)
  }
  await expectInSync(b)
  const one = await readSame([a, b], token)
  const total = line.bytes
  expect([...one.items.keys()].filter((item) => item.startsWith('file of'))).toHaveLength(FILES)

  // The same sync without interruption, for comparison.
  const c = await syncNode(join(folder(cleanUp), 'c'), cleanUp)
  await c.start()
  const before = line.bytes
  line.quality = {}
  await pair(a, c, { there: 'c', here: 'a' })
  await expectInSync(c)
  // Attached files may arrive after both are in sync.
  await readSame([a, c], token)
  const once = line.bytes - before
  console.log(JSON.stringify({ kills: KILLS, counts, total, once, more: (total - once) / KILLS }))
  expect(once).toBeGreaterThan(FILES * FILE_BYTES)
  // Kills happened during the sync, and each cost the bytes in transit.
  expect(counts[1]).toBeLessThan(once)
  expect(total).toBeLessThan(once + KILLS * IN_TRANSIT)
  await Promise.all([a, b, c].map((node) => node.stop()))
  for (const { home } of [a, b]) await expectSound(placesOf(home))
})
