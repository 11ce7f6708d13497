/** Real databases with known content. */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { seeded } from './fixtures.js'

/** Number of commits of a database with several tables, a log of many pages and a MANIFEST of a few. */
export const COMMITS = 1700

/** Returns the key of the n-th commit; long, so that the MANIFEST, which contains keys, has many pages. */
export function commitKey(n: number): string {
  return `${String(n).padStart(6, '0')}/${'k'.repeat(900)}`
}

/** Makes LevelDB write its log to a table, and waits for it; the range contains no keys. */
async function compact(db: Level<string, string>): Promise<void> {
  if (!('compactRange' in db) || typeof db.compactRange !== 'function') throw new Error('no compactRange')
  await db.compactRange('x', 'y')
}

/** Creates a closed database of `commits` single-key commits in order: a table of each 300, a log of the rest. */
export async function makeDatabase(folder: string, commits: number, seed: number): Promise<void> {
  const next = seeded(seed)
  const db = new Level<string, string>(folder)
  await db.open()
  for (let n = 0; n < commits; n++) {
    // Half random, half repetitive: some blocks compress, others do not. A few records span blocks of the log.
    const noise = Array.from({ length: n % 50 === 49 ? 9000 : 200 }, () => next(36).toString(36)).join('')
    await db.put(commitKey(n), noise + 'abcdefgh'.repeat(n % 40))
    if (n % 300 === 299) await compact(db)
  }
  await db.close()
}

/** Returns the number of commits that LevelDB reads from the folder; -1 if they are not the first ones, without gap. */
export async function commitsFound(folder: string): Promise<number> {
  const db = new Level<string, string>(folder, { createIfMissing: false })
  await db.open()
  try {
    const keys = await db.keys().all()
    return keys.every((key, n) => key === commitKey(n)) ? keys.length : -1
  } finally {
    await db.close()
  }
}

/** Copies a flat folder. */
export function copyFolder(from: string, to: string): void {
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name))
}
