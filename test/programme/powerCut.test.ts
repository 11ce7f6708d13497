/**
 * Power cuts of the disk while clients write, at random times and at each boundary of a commit, an upload, a compaction and
 * a backup. Acknowledged writes survive; others are applied completely or not at all. `SEED` repeats a run approximately.
 */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readNodeKey } from '../../src/store/keyring/nodeKey.js'
import { openStore } from '../../src/store/engine/open.js'
import { createSeal, type Seal } from '../../src/store/keyring/seal.js'
import { initialise, type HomePlaces } from '../../src/server/launch/init.js'
import * as clients from '../crash/clients.js'
import { nodeProcesses } from '../crash/process.js'
import { createWorkload } from '../crash/workload.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { checkOpened, markOf } from '../support/store/check.js'
import { eventPart, filePart, sendParts } from '../support/http/multipart.js'
import { placesOf, type TestNode } from '../support/nodes/node.js'
import { createDisk, type Disk } from './support/disk.js'
import { LONG, lacks } from './support/needs.js'

const lack = lacks('linux', 'root', 'loop', 'python3')
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const ROUNDS = LONG ? 60 : 1
/** Rounds at each boundary. */
const EACH = 10
/** Interval of rounds with a slow check that compares the CRDT changes of all items. */
const DEEP = 10
/** Minimum number of acknowledged changes before the cut. */
const MIN_ACKNOWLEDGED = 15

const next = seeded(SEED)
const work = createWorkload(next)
const { ledger } = work
const env: Record<string, string> = {}
const startProcess = nodeProcesses({ program: fileURLToPath(new URL('support/diskChild.ts', import.meta.url)), env, silent: true })
let disk: Disk
let places: HomePlaces
let seal: Seal
let rounds = 0
let uploads = 0
/** Number of interrupted steps in all rounds. */
let interrupted = 0

/** Uploads files until the node ends or refuses; returns the refusals. */
async function uploadUntilGone(url: string): Promise<string[]> {
  const refusals: string[] = []
  const stage = { node: { url } as TestNode, username: 'alice', owner: work.tokenOf('alice') }
  for (;;) {
    const id = `cu${String((uploads += 1)).padStart(23, '0')}`
    const step = new Map([[clients.eventItem('alice', id), 'v1']])
    ledger.requested(step)
    const event = { id, streamIds: [clients.BASE], type: 'test/text', content: 'v1' }
    const parts = [eventPart(event), filePart('a.txt', `own ${id} `.repeat(1 + next(2000)))]
    const answer = await sendParts(stage, '/events', parts).catch(() => undefined)
    if (answer === undefined) return refusals
    if (answer.status !== 201) refusals.push(`${answer.status} ${JSON.stringify(answer.body['error'])}`)
    // After the interrupted upload, the next one is refused immediately.
    if (refusals.length > 1) return refusals
    if (answer.status === 201) ledger.acknowledged(step)
  }
}

/** Lets clients write, cuts the power, restores it, and compares the disk with the ledger. */
async function round(arrange: (node: Awaited<ReturnType<typeof startProcess>>, uploading: Promise<string[]>) => Promise<void>): Promise<void> {
  const node = await startProcess(places.home)
  const { url = '', refused, message } = await node.open()
  expect({ refused, message }).toEqual({})
  const before = ledger.counts.acknowledged
  const uploading = uploadUntilGone(url)
  const writing = Promise.all([work.writeUntilGone(url), uploading])
  while (ledger.counts.acknowledged < before + MIN_ACKNOWLEDGED) await new Promise((resolve) => setTimeout(resolve, 5))
  await arrange(node, uploading)
  await node.kill()
  // Writes after the cut fail with a documented failure.
  const [refusals, ofUploads] = await writing
  for (const refusal of refusals) expect(refusal).toMatch(/read-only|unexpected-error/)
  for (const refusal of ofUploads) expect(refusal).toMatch(/^503 .*read-only/)
  interrupted += ledger.counts.open
  await disk.restore()
  const mark = await markOf(places.store)
  const opened = await openStore({ folder: places.store, now: () => Date.now() / 1000 })
  try {
    expect(await work.settle(opened)).toEqual([])
    rounds += 1
    expect((await checkOpened(opened, seal, mark, rounds % DEEP === 0)).problems).toEqual([])
  } finally {
    await opened.close()
  }
}

describe.skipIf(lack !== undefined)(`a node whose disk loses power${lack === undefined ? '' : `: ${lack}`} (seed ${SEED})`, () => {
  beforeAll(async () => {
    disk = createDisk(400)
    env['CUTTER'] = JSON.stringify(disk.cutter)
    places = placesOf(join(disk.path, 'home'))
    await initialise(places)
    const key = await readNodeKey(places.key)
    if (key === undefined) throw new Error('no key')
    seal = await createSeal(key)
    const node = await startProcess(places.home)
    const { url = '' } = await node.open()
    await work.begin(url)
    await node.close()
    await node.kill()
  })
  afterAll(() => disk.remove())

  it(`loses no acknowledged write in power cuts at random times, ${ROUNDS} rounds`, { timeout: 60_000 + ROUNDS * 20_000 }, async () => {
    for (let n = 0; n < ROUNDS; n++) {
      await round(async () => {
        await new Promise((resolve) => setTimeout(resolve, next(700)))
        disk.cut()
      })
    }
    // The test is significant only if requests were interrupted.
    expect(interrupted).toBeGreaterThan(ROUNDS / 2)
  })

  it.each([
    ['within a file', 'during-upload'],
    ['between the bytes of a file and its rename', 'after-upload'],
    ['between the rename of a file and its commit', 'after-rename'],
  ] as const)('in a power cut %s refuses the upload with read-only', { timeout: 120_000 }, async (_, boundary) => {
    await round(async (node, uploading) => {
      expect(await node.send(`cut ${boundary} ${1 + next(3)}`)).toEqual({ armed: true })
      expect(await node.nextReply()).toEqual({ cut: true })
      // The one that was cut off, and another one.
      expect(await uploading).toHaveLength(2)
    })
  })

  it.runIf(LONG).each([
    ['before a commit', 'before-commit', 20],
    ['between a commit and its answers', 'after-commit', 20],
    ['between the rename of a file and its commit', 'after-rename', 4],
    ['during a compaction', 'compaction', 150],
    ['during a backup', 'backup', 400],
  ] as const)('in a power cut %s applies writes completely or not at all', { timeout: 60_000 + EACH * 20_000 }, async (_, boundary, upTo) => {
    for (let n = 0; n < EACH; n++) {
      await round(async (node) => {
        expect(await node.send(`cut ${boundary} ${1 + next(upTo)}`)).toEqual({ armed: true })
        expect(await node.nextReply()).toEqual({ cut: true })
      })
    }
  })
})
