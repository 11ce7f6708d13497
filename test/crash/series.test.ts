/**
 * Kills a node while it writes, merges and erases points, repeatedly on one home: every acknowledged point has its last value,
 * and every write is complete or absent. `SEED` repeats a run as far as timing allows.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Account } from '../../src/store/engine/account.js'
import { createTree } from '../../src/store/model/tree.js'
import { readNodeKey } from '../../src/store/keyring/nodeKey.js'
import { openStore } from '../../src/store/engine/open.js'
import { createSeal, type Seal } from '../../src/store/keyring/seal.js'
import { lastDelta } from '../../src/store/series/series.js'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { checkOpened, markOf } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { registerUser, request, startTestNode } from '../support/nodes/node.js'
import { readRows, type Row } from '../store/series/support.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { bundled } from './bundled.js'
import { MARK, stepsOf } from './seriesWork.js'

const ROUNDS = process.env['LONG'] === '1' ? 20 : 2
/** Minimum number of steps that a node acknowledges before it is killed. */
const MIN_STEPS = 60
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const CHILD = fileURLToPath(new URL('seriesChild.ts', import.meta.url))

const { home } = homes()
const next = seeded(SEED)
const children: ReturnType<typeof spawn>[] = []
let places: HomePlaces
let seal: Seal

beforeAll(async () => {
  places = await home()
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  seal = await createSeal(key)
  const node = await startTestNode({}, { home: places.home })
  const token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 'a', name: 'a' } })
  await node.stop()
})
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Lets a node write from a step on, and kills it; returns the last acknowledged step, and the number of steps. */
async function writeAndKill(made: number): Promise<{ last: number; count: number }> {
  const child = spawn(process.execPath, [bundled(CHILD), places.home, String(SEED), String(made)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const exited = once(child, 'exit')
  let last = made
  let count = 0
  for await (const line of createInterface({ input: child.stdout })) {
    last = Math.max(last, Number(line))
    count += 1
    if (count === MIN_STEPS) setTimeout(() => child.kill('SIGKILL'), next(400))
  }
  await exited
  return { last, count }
}

/** Returns the rows of each holder after a number of steps. */
function expectedAfter(steps: number): Map<string, Map<number, Row>> {
  const series = new Map<string, Map<number, Row>>()
  for (const { number, holder, isRemoval, rows } of stepsOf(SEED)) {
    if (number > steps) return series
    const points = isRemoval ? new Map<number, Row>() : (series.get(holder) ?? new Map<number, Row>())
    series.set(holder, points)
    for (const [deltaTime, row] of rows) points.set(deltaTime, row)
  }
  return series
}

/** Compares the store of the killed node; returns the number of its steps. */
async function compare(acknowledged: number): Promise<number> {
  const mark = await markOf(places.store)
  const opened = await openStore({ folder: places.store, now: () => 0 })
  try {
    const { db, committer } = opened
    const account = new Account({ prefix: '1', db, committer, tree: createTree([]), sequence: 0 })
    const steps = lastDelta(db, '1', MARK) ?? 0
    expect(steps).toBeGreaterThanOrEqual(acknowledged)
    expect((await readRows(account, MARK)).length).toBe(steps)
    for (const [holder, points] of expectedAfter(steps)) {
      const ascending = [...points].sort(([a], [b]) => a - b)
      // Compares texts: comparing tens of thousands of rows one by one takes seconds.
      expect(JSON.stringify(await readRows(account, holder)) === JSON.stringify(ascending), holder).toBe(true)
    }
    const { problems } = await checkOpened(opened, seal, mark, false)
    expect(problems).toEqual([])
    return steps
  } finally {
    await opened.close()
  }
}

describe('a node that is killed during writes of points', () => {
  it(`keeps every acknowledged point, ${ROUNDS} times over (seed ${SEED})`, { timeout: 300_000 }, async () => {
    let steps = 0
    for (let n = 0; n < ROUNDS; n++) {
      const { last, count } = await writeAndKill(steps)
      expect(count).toBeGreaterThanOrEqual(MIN_STEPS)
      steps = await compare(last)
    }
  })
})
