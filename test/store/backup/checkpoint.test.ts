/** Copies of a store under concurrent writes: every acknowledged write, and no write that was not requested. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkStore } from '../../../src/store/backup/checkpoint.js'
import { each } from '../../../src/store/engine/database.js'
import { inspectFiles } from '../../../src/store/leveldb/inspect.js'
import { openStore } from '../../../src/store/engine/open.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { homes } from '../../support/nodes/home.js'

// Each round reads five times everything that earlier rounds wrote.
const ROUNDS = process.env['LONG'] === '1' ? 15 : 2
/** Copies that are taken one after another in each round. */
const COPIES = 5
const { folder } = homes()
// Long enough that LevelDB begins new logs and tables while its files are copied.
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

/** Returns the marks of the events in a copy. Opening it verifies its files, and its hash chain against the high-water mark. */
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
  it('contain every write acknowledged before the copy, and open as a store', { timeout: 600_000 }, async () => {
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

/** Writes without end into many small tables, numbering its batches by the key `last`. */
const BUSY_DATABASE = `
const { ClassicLevel } = require('classic-level')
const db = new ClassicLevel(process.argv[1], { writeBufferSize: 1 << 18, maxFileSize: 1 << 20, compression: false })
const value = require('crypto').randomBytes(4096).toString('base64')
let last = 0
const write = () => {
  const puts = Array.from({ length: 10 }, (_, i) => ({ type: 'put', key: String(Math.random()) + ' ' + last, value }))
  return db.batch([...puts, { type: 'put', key: 'last', value: String(++last) }])
}
;(async () => {
  while (last < 1500) await write()
  console.log('full')
  for (;;) {
    await write()
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
})()`

it('copies a database that creates files all the time, from a busy process', async () => {
  const at = await folder()
  const db = join(at, 'db')
  const writer = spawn(process.execPath, ['-e', BUSY_DATABASE, db], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(writer.stdout, 'data')
  await writeFile(join(at, 'HEAD'), 'the mark')
  // Delays each step of the copy, so that LevelDB removes files before all are copied.
  const busy = setInterval(() => {
    const end = performance.now() + 3
    while (performance.now() < end);
  }, 0)
  try {
    await linkStore(at, join(at, 'copy'))
  } finally {
    clearInterval(busy)
    writer.kill('SIGKILL')
  }
  const copy = join(at, 'copy', 'db')
  expect((await inspectFiles(copy, { tables: 'all' })).damage).toEqual([])
  const opened = new ClassicLevel(copy)
  const batches = new Map<string, number>()
  for await (const key of opened.keys({ lt: 'last' })) {
    const batch = key.split(' ')[1] ?? ''
    batches.set(batch, (batches.get(batch) ?? 0) + 1)
  }
  const last = Number(await opened.get('last'))
  await opened.close()
  expect(last).toBeGreaterThanOrEqual(1500)
  expect([...batches.values()].filter((puts) => puts !== 10)).toEqual([])
  expect(batches.size).toBe(last)
})
