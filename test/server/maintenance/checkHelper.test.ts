/** The thread that helps to check a closed store. */
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createPartReader, partsOf, type Part, type PartResult, type PartTask } from '../../../src/store/check/parts.js'
import { accountKeys, orderedToNumber, ORDERED_LENGTH, under } from '../../../src/store/engine/keys.js'
import { openStore } from '../../../src/store/engine/open.js'
import { createCheckHelper } from '../../../src/server/maintenance/work/checkHelper.js'
import { openClosedStore } from '../../../src/server/maintenance/work/closed.js'
import { checkTarget } from '../../../src/server/maintenance/work/check.js'
import { changeComparison } from '../../../src/sync/merge/changeComparison.js'
import { homes } from '../../support/nodes/home.js'
import { registerUser, request, startTestNode } from '../../support/nodes/node.js'
import type { HomePlaces } from '../../../src/server/launch/init.js'

/** Accounts whose first pass succeeded. */
const sound = vi.hoisted(() => new Set<string>())

vi.mock('../../../src/store/check/firstPass.js', async (original) => {
  const { isSound } = await original<typeof import('../../../src/store/check/firstPass.js')>()
  return {
    async isSound(...args: Parameters<typeof isSound>) {
      const isPassed = await isSound(...args)
      if (isPassed) sound.add(args[0].account)
      return isPassed
    },
  }
})

const ACCOUNT = '1'
const { home } = homes()
let places: HomePlaces
let closed: Awaited<ReturnType<typeof openClosedStore>>

const threads: Worker[] = []
const noteThread = (worker: Worker): void => void threads.push(worker)

beforeAll(async () => {
  places = await home()
  const node = await startTestNode({}, { home: places.home })
  const token = await registerUser(node, 'alice')
  const body = (from: number): unknown => [
    ...(from === 0 ? [{ method: 'streams.create', params: { id: 'a', name: 'a' } }] : []),
    ...Array.from({ length: 900 }, (_, n) => ({ method: 'events.create', params: { streamIds: ['a'], type: 'note/txt', content: 'x', time: from + n } })),
  ]
  for (let batch = 0; batch < 6; batch++) expect((await request(`${node.url}alice/`, { method: 'POST', token, body: body(1000 * batch) })).status).toBe(200)
  await node.stop()
  closed = await openClosedStore(places)
  process.on('worker', noteThread)
})

afterAll(async () => {
  process.off('worker', noteThread)
  await closed.close()
})

/** Returns tasks for the large families of the account. */
async function newTasks(): Promise<PartTask[]> {
  const source = closed.ground.db.keys(under(accountKeys.journals(ACCOUNT)), { reverse: true, limit: 1 })
  const [last = ''] = await source.next(1)
  await source.close()
  const lastEntry = orderedToNumber(last, last.length - ORDERED_LENGTH)
  const parts = (await partsOf(closed.ground.db, ACCOUNT)) ?? []
  return parts.filter(({ family }) => ['e', 'j', 's', 'g'].includes(family)).map((part) => ({ account: ACCOUNT, part, lastEntry, seeds: [1, 2] as const }))
}

describe.skipIf(availableParallelism() < 2)('the thread', () => {
  it('reads the same in a thread as in the process, in parts, and ends the thread', async () => {
    const { db } = closed.ground
    const helper = createCheckHelper(db.folder)
    threads.length = 0
    const tasks = await newTasks()
    expect(tasks).toHaveLength(4)
    const read = createPartReader(db, changeComparison)
    let results = 0
    for (const task of tasks) {
      for (let part: Part | undefined = task.part; part !== undefined; results++) {
        const result: PartResult | undefined = await helper?.read({ ...task, part })
        expect(result).toEqual(await read({ ...task, part }))
        expect(result?.isSound).toBe(true)
        part = result?.rest
      }
    }
    expect(results).toBeGreaterThan(tasks.length)
    expect(threads).toHaveLength(1)
    expect(threads[0]?.threadId).toBeGreaterThan(0)
    await helper?.close()
    expect(threads[0]?.threadId).toBe(-1)
    // Its database is closed, the one of the process is not.
    expect(db.get(accountKeys.user(ACCOUNT))).toBeDefined()
  })

  it('is used for a large closed store, with the same result as without it', async () => {
    const { ground } = closed
    threads.length = 0
    sound.clear()
    const shared = await checkTarget(ground, {}, () => {})
    expect(sound).toContain(ACCOUNT)
    expect(shared).toMatchObject({ ok: true, found: 0 })
    expect(threads).toHaveLength(1)
    const { isShared: _, ...alone } = ground
    expect(await checkTarget(alone, {}, () => {})).toEqual(shared)
    expect(await checkTarget(ground, { sample: 20 }, () => {})).toMatchObject({ ok: true })
    expect(threads).toHaveLength(1)
  })

  it('finds damage in a part of the thread, and reports it entry by entry', async () => {
    const { db } = closed.ground
    const source = db.keys(under(`${accountKeys.all(ACCOUNT)}s/a/`), { limit: 1 })
    const [key = ''] = await source.next(1)
    await source.close()
    const value = db.getBytes(key) ?? ''
    const remove = db.batch()
    remove.delete(key)
    await remove.write({ sync: false })
    try {
      threads.length = 0
      const { ok, problems } = await checkTarget(closed.ground, {}, () => {})
      expect(threads).toHaveLength(1)
      expect([ok, problems]).toMatchObject([false, [{ what: 'lacks its entry in stream a' }]])
    } finally {
      const put = db.batch()
      put.put(key, value)
      await put.write({ sync: false })
    }
  })

  it('reports the error of a thread that cannot open the database', async () => {
    await closed.close()
    const own = await openStore({ folder: places.store, now: () => 0 })
    const helper = createCheckHelper(own.db.folder)
    try {
      const [part] = (await partsOf(own.db, ACCOUNT)) ?? []
      if (part === undefined) throw new Error('no part')
      await expect(helper?.read({ account: ACCOUNT, part, lastEntry: 1, seeds: [1, 2] })).rejects.toThrow(/lock/i)
    } finally {
      await helper?.close()
      await own.close()
    }
  })
})
