/**
 * Incremental backups equal full backups after any writes, and after any ways to close and open the store. `SEED` repeats one
 * run; `LONG=1` makes many.
 */
import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openArchive, type Archive, type Member } from '../../src/store/backup/archive.js'
import { linkStore } from '../../src/store/backup/checkpoint.js'
import { createArchive } from '../../src/store/backup/create.js'
import { openDatabase, type Value } from '../../src/store/engine/database.js'
import { openStore, type OpenedStore } from '../../src/store/engine/open.js'
import { homes } from '../support/nodes/home.js'
import { seeded } from '../store/leveldb/fixtures.js'

const SEEDS = process.env['SEED'] === undefined ? [randomInt(2 ** 31)] : [Number(process.env['SEED'])]
if (process.env['LONG'] === '1') SEEDS.push(...Array.from({ length: 12 }, () => randomInt(2 ** 31)))
const ROUNDS = 12
const ENTRIES = 25_000

const { folder, home } = homes()

it.each(SEEDS)('an incremental backup equals a full one (SEED=%i)', { timeout: 300_000 }, async (seed) => {
  const below = seeded(seed)
  const isOneOf = (n: number): boolean => below(n) === 0
  const { store } = await home()
  const at = await folder()
  const open = (): Promise<OpenedStore> => openStore({ folder: store, now: () => 0 })

  /** Returns keys of separate families, some in another order than their characters. */
  const keyOf = (n: number): string => {
    const family = ['1/e/', '1/m/', '1/s/diary/', '2/e/', '!n/'][n % 5] ?? ''
    return `${family}${String(n).padStart(8, '0')}${n % 97 === 0 ? '\u{1f642}' : n % 89 === 0 ? '\uff5e' : ''}`
  }
  let opened = await open()
  const stage = (operations: [string, Value | null][]): Promise<void> =>
    opened.committer.stage({ operations: new Map(operations), entries: [] })
  const value = (): string => below(2 ** 31).toString(36).repeat(1 + below(8))

  /** A few random keys, a range of them, or more than are tracked one by one. */
  function write(): Promise<void> {
    const from = below(ENTRIES)
    const [count, step] = [[0, 1], [3, 997], [200, 1], [2000, 5], [10_000, 1]][below(5)] ?? [1, 1]
    const drop = isOneOf(2)
    return stage(Array.from({ length: count ?? 0 }, (_, i) => [keyOf(from + i * (step ?? 1)), drop ? null : value()]))
  }

  /** Closes the store and opens it again: regularly, after a crash, or after a change by another program. */
  async function reopen(): Promise<void> {
    await opened.close()
    const how = below(3)
    if (how === 1) await rm(join(store, 'touched'), { force: true })
    if (how === 2) {
      const db = await openDatabase(join(store, 'db'))
      const batch = db.batch()
      batch.put(keyOf(below(ENTRIES)), value())
      await batch.write({ sync: true })
      await db.close()
    }
    opened = await open()
  }

  const archives: Archive[] = []
  async function backUp(n: number): Promise<void> {
    const base = archives[Math.max(0, archives.length - 1 - below(3))]
    // Writes continue during the copy.
    const writing = write()
    if (isOneOf(2)) await new Promise((resolve) => void setImmediate(resolve))
    const mark = opened.changedKeys.mark()
    const copy = join(at, `copy ${n}`)
    await linkStore(store, copy)
    const changed = opened.changedKeys.since(base?.manifest.mark ?? '')
    await writing
    const source = { store: copy, files: join(at, 'files'), home: { key: Buffer.alloc(32) } }
    const options = { now: () => n, product: '0' }
    const partly = await createArchive(source, {
      ...options,
      folder: join(at, `${n}`),
      mark,
      ...(base === undefined ? {} : { base }),
      ...(changed === undefined ? {} : { changed }),
    })
    const whole = await createArchive(source, { ...options, folder: join(at, `${n} whole`) })
    const [actual, expected] = [await read(`${n}`), await read(`${n} whole`)]
    expect(actual.members.map(named)).toEqual(expected.members.map(named))
    expect(partly.manifest.counts).toEqual(whole.manifest.counts)
    archives.push(actual)
  }
  const named = ({ digest, first, counts }: Member): unknown => ({ digest, first, counts })
  const read = (name: string): Promise<Archive> => openArchive(join(at, name), () => Promise.reject(new Error('asked for a passphrase')))

  try {
    await stage(Array.from({ length: ENTRIES }, (_, n) => [keyOf(n), value()]))
    for (let n = 0; n < ROUNDS; n++) {
      await backUp(n)
      for (let i = below(3); i > 0; i--) await write()
      if (isOneOf(5)) await opened.db.compact({ gte: '', lt: '~' })
      if (isOneOf(2)) await reopen()
    }
  } finally {
    await opened.close()
  }
})
