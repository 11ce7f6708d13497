/**
 * The power of the disk is cut while clients write, at random moments and at each boundary of a commit, an upload, a
 * compaction and a backup: what was acknowledged is there, what was asked for is there wholly or not at all, nothing
 * else is. `SEED` repeats a run as far as timing allows.
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
/** Every so many rounds the CRDT changes of all items are compared too, which takes most of a check's time. */
const DEEP = 10
/** Least number of changes that a node acknowledges before the cut. */
const LEAST = 15

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
/** Steps that were cut off, of all rounds. */
let interrupted = 0

/** Uploads files until the node is gone or refuses. */
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
    // A second one is refused from its beginning.
    if (refusals.length > 1) return refusals
    if (answer.status === 201) ledger.acknowledged(step)
  }
}

/** Lets clients write, has the power cut, gives it back, and compares what the disk holds with the ledger. */
async function round(arrange: (node: Awaited<ReturnType<typeof startProcess>>, uploading: Promise<string[]>) => Promise<void>): Promise<void> {
  const node = await startProcess(places.home)
  const { url = '', refused, message } = await node.open()
  expect({ refused, message }).toEqual({})
  const before = ledger.counts.acknowledged
  const uploading = uploadUntilGone(url)
  const writing = Promise.all([work.writeUntilGone(url), uploading])
  while (ledger.counts.acknowledged < before + LEAST) await new Promise((resolve) => setTimeout(resolve, 5))
  await arrange(node, uploading)
  await node.kill()
  // What is refused after the cut is refused by name.
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

describe.skipIf(lack !== undefined)(`a node whose disk loses its power${lack === undefined ? '' : `: ${lack}`} (seed ${SEED})`, () => {
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

  it(`keeps what it acknowledged, ${ROUNDS} times over`, { timeout: 60_000 + ROUNDS * 20_000 }, async () => {
    for (let n = 0; n < ROUNDS; n++) {
      await round(async () => {
        await new Promise((resolve) => setTimeout(resolve, next(700)))
        disk.cut()
      })
    }
    // The test is worth something only if requests were cut off.
    expect(interrupted).toBeGreaterThan(ROUNDS / 2)
  })

  it.each([
    ['in the middle of a file', 'during-upload'],
    ['between the bytes of a file and its place', 'after-upload'],
    ['between the place of a file and the commit that names it', 'after-rename'],
  ] as const)('%s: the upload is refused by name', { timeout: 120_000 }, async (_, boundary) => {
    await round(async (node, uploading) => {
      expect(await node.tell(`cut ${boundary} ${1 + next(3)}`)).toEqual({ armed: true })
      expect(await node.hears()).toEqual({ cut: true })
      // The one that was cut off, and another one.
      expect(await uploading).toHaveLength(2)
    })
  })

  it.runIf(LONG).each([
    ['before a commit', 'before-commit', 20],
    ['after a commit and before its answers', 'after-commit', 20],
    ['between the place of a file and the commit that names it', 'after-rename', 4],
    ['during a compaction', 'compaction', 150],
    ['during a backup', 'backup', 400],
  ] as const)('%s: either is there, or is not', { timeout: 60_000 + EACH * 20_000 }, async (_, boundary, upTo) => {
    for (let n = 0; n < EACH; n++) {
      await round(async (node) => {
        expect(await node.tell(`cut ${boundary} ${1 + next(upTo)}`)).toEqual({ armed: true })
        expect(await node.hears()).toEqual({ cut: true })
      })
    }
  })
})
