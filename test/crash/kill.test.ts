/**
 * Kills a node while clients write to it, repeatedly on one home: acknowledged writes are complete, requested ones complete or
 * absent, and there are no others. `SEED` repeats a run as far as timing allows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readNodeKey } from '../../src/store/keyring/nodeKey.js'
import { openStore } from '../../src/store/engine/open.js'
import { createSeal, type Seal } from '../../src/store/keyring/seal.js'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { checkOpened, markOf } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { nodeProcesses, type NodeProcess } from './process.js'
import { createWorkload } from './workload.js'

const ROUNDS = process.env['LONG'] === '1' ? 20 : 5
/** Minimum number of changes that a node acknowledges before it is killed. */
const MIN_ACKNOWLEDGED = 25
/** Number of rounds between comparisons of all CRDT changes, which take most of a check's time. */
const DEEP = 5
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))

const { home } = homes()
const startProcess = nodeProcesses()
const next = seeded(SEED)
const work = createWorkload(next)
const { ledger } = work
let places: HomePlaces
let seal: Seal
/** Process of the next round, started during the one before. */
let spare: Promise<NodeProcess>

beforeAll(async () => {
  places = await home()
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  seal = await createSeal(key)
  const node = await startProcess(places.home)
  const { url = '' } = await node.open()
  await work.begin(url)
  await node.kill()
  spare = startProcess(places.home)
})

afterAll(async () => (await spare).kill())

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Lets the clients write, kills the node, and compares its store with the ledger. */
async function round(n: number): Promise<number> {
  const node = await spare
  const { url = '', refused, message } = await node.open()
  expect({ refused, message }).toEqual({})
  const writing = work.writeUntilGone(url)
  const before = ledger.counts.acknowledged
  await pause(50 + next(850))
  // Waits on slow machines until there is something to lose.
  while (ledger.counts.acknowledged < before + MIN_ACKNOWLEDGED) await pause(5)
  await node.kill()
  spare = startProcess(places.home)
  expect(await writing).toEqual([])
  const { open } = ledger.counts
  const mark = await markOf(places.store)
  const opened = await openStore({ folder: places.store, now: () => Date.now() / 1000 })
  try {
    expect(await work.settle(opened)).toEqual([])
    const isDeep = n % DEEP === DEEP - 1
    expect((await checkOpened(opened, seal, mark, isDeep)).problems).toEqual([])
  } finally {
    await opened.close()
  }
  return open
}

describe('a node that is killed during writes', () => {
  it(`keeps every acknowledged write, ${ROUNDS} times over (seed ${SEED})`, { timeout: 120_000 }, async () => {
    let interrupted = 0
    for (let n = 0; n < ROUNDS; n++) interrupted += await round(n)
    // Checks that there was something to lose, and that requests were interrupted.
    expect(ledger.counts.acknowledged).toBeGreaterThanOrEqual(MIN_ACKNOWLEDGED * ROUNDS)
    expect(interrupted).toBeGreaterThan(ROUNDS)
  })
})
