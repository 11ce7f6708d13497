/** Copies of a store that is written to meanwhile: everything that was acknowledged before, nothing that was not asked for. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkStore } from '../../../src/store/backup/checkpoint.js'
import { each } from '../../../src/store/database.js'
import { openStore } from '../../../src/store/open.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/node.js'
import { homes } from '../../support/home.js'

// Each round reads all that the rounds before have written, five times.
const ROUNDS = process.env['LONG'] === '1' ? 15 : 2
/** Copies that are taken one after another in each round. */
const COPIES = 5
const { folder } = homes()
// Long enough that LevelDB begins new logs and tables while its files are taken.
const FILLER = 'a note that takes its room '.repeat(400)

let node: TestNode
let token: string
const acknowledged = new Set<string>()
const requested = new Set<string>()

beforeAll(async () => {
  node = await startTestNode()
  token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 'diary', name: 'Diary' } })
})
afterAll(() => node.stop())

async function write(marks: string[]): Promise<void> {
  const body = marks.map((mark) => ({
    method: 'events.create',
    params: { streamIds: ['diary'], type: 'note/txt', content: FILLER, description: mark },
  }))
  for (const mark of marks) requested.add(mark)
  const { status } = await request(`${node.url}alice`, { token, body })
  expect(status).toBe(200)
  for (const mark of marks) acknowledged.add(mark)
}

/** The marks of the events in a copy. Opening it verifies its files, and its chain against the mark. */
async function marksIn(store: string): Promise<Set<string>> {
  const opened = await openStore({ folder: store, now: () => 0 })
  const found = new Set<string>()
  for await (const text of each(opened.db.values({ gte: '1/e/', lt: '1/e0' }))) {
    const mark = /"description":"([^"]*)"/.exec(text)?.[1]
    if (mark !== undefined) found.add(mark)
  }
  await opened.close()
  return found
}

describe('copies of a store under load', () => {
  it('hold what was acknowledged before they were taken, and open like any store', { timeout: 600_000 }, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      let isOver = false
      const writers = ['p', 'q'].map(async (name) => {
        for (let n = 0; !isOver; n++) await write(Array.from({ length: 20 }, (_, i) => `${name} ${round} ${n} ${i}`))
      })
      const at = await folder()
      const before: Set<string>[] = []
      for (let copy = 0; copy < COPIES; copy++) {
        const due = acknowledged.size + 40
        while (acknowledged.size < due) await Promise.race([new Promise((go) => setTimeout(go, 2)), ...writers])
        before.push(new Set(acknowledged))
        await linkStore(node.places.store, join(at, String(copy)))
      }
      isOver = true
      await Promise.all(writers)
      for (const [copy, due] of before.entries()) {
        const found = await marksIn(join(at, String(copy)))
        expect([...due].filter((mark) => !found.has(mark))).toEqual([])
        expect([...found].filter((mark) => !requested.has(mark))).toEqual([])
      }
    }
  })
})
