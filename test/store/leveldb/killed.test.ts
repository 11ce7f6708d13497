import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { inspectFiles } from '../../../src/store/leveldb/inspect.js'
import { commitsFound } from './databases.js'
import { folders, seeded } from './fixtures.js'

const folder = folders()

/** Commits one key after another with sync, and prints the number of each acknowledged commit. */
const WRITER = `
  const { Level } = await import('level')
  const [folder, from] = process.argv.slice(1)
  const db = new Level(folder, { writeBufferSize: 128 * 1024 })
  await db.open()
  for (let n = Number(from); ; n++) {
    const key = String(n).padStart(6, '0') + '/' + 'k'.repeat(900)
    await db.put(key, 'v'.repeat(n % 7 === 0 ? 300000 : 500), { sync: true })
    process.stdout.write(n + '\\n')
  }`

/** Kills a writer once it acknowledged commit `until`; returns the last acknowledged commit. */
async function writeUntil(path: string, from: number, until: number): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', WRITER, path, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let last = from - 1
  if (child.stdout === null) throw new Error('no output')
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line)
    if (last >= until) child.kill('SIGKILL')
  }
  const [, signal] = (await exited) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
  return last
}

describe('a database whose process was killed during writes', () => {
  it('passes every inspection, and contains every acknowledged commit', async () => {
    const path = folder('killed')
    const next = seeded(5)
    let from = 0
    for (let round = 0; round < 8; round++) {
      const last = await writeUntil(path, from, from + next(60))
      expect((await inspectFiles(path, { tables: 'all' })).damage, `round ${round}`).toEqual([])
      expect(await commitsFound(path)).toBeGreaterThan(last)
      from = last + 1
    }
  })
})
