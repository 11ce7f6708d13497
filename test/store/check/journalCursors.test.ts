import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJournalCursors } from '../../../src/store/check/journalCursors.js'
import { openDatabase, type Database } from '../../../src/store/engine/database.js'
import { accountKeys } from '../../../src/store/engine/keys.js'

const ACCOUNTS = 100
const ENTRIES = 700
/** The first account has no entries, the next ones lack some, and the last ones all after the first hundred. */
const isStored = (account: number, sequence: number): boolean => account > 0 && (account < 90 ? sequence % account !== 1 : sequence <= 100)

describe('journal entries in the order of commits', () => {
  let folder: string
  let db: Database
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coffer-cursors-'))
    db = await openDatabase(join(folder, 'db'), { create: true })
    const batch = db.batch()
    for (let account = 0; account < ACCOUNTS; account++) {
      for (let sequence = 1; sequence <= ENTRIES; sequence++) {
        if (isStored(account, sequence)) batch.put(accountKeys.journal(String(account), sequence), Buffer.from(`${account}:${sequence}`))
      }
    }
    await batch.write({ sync: false })
  })
  afterAll(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  /** Reads through cursors over a database that counts its reads. */
  async function readAll(order: Iterable<[account: number, sequence: number]>): Promise<{ wrong: string[]; reads: number }> {
    let reads = 0
    const cursors = createJournalCursors({
      ...db,
      getBytes: (key) => ((reads += 1), db.getBytes(key)),
      byteEntries: (range, options) => ((reads += 1), db.byteEntries(range, options)),
    })
    const wrong: string[] = []
    for (const [account, sequence] of order) {
      await cursors.prepare(String(account), sequence)
      const bytes = cursors.read(String(account), sequence)
      const text = bytes === undefined ? undefined : Buffer.from(bytes).toString()
      if (text !== (isStored(account, sequence) ? `${account}:${sequence}` : undefined)) wrong.push(`${account}:${sequence} is ${text}`)
    }
    return { wrong, reads }
  }

  it('are the stored ones, of many accounts in turns', async () => {
    function* inTurns(): Generator<[number, number]> {
      for (let sequence = 1; sequence <= ENTRIES; sequence++) for (let account = 0; account < ACCOUNTS; account++) yield [account, sequence]
    }
    expect((await readAll(inTurns())).wrong).toEqual([])
  })

  it('need few reads, also for an account without entries', async () => {
    function* oneAfterTheOther(): Generator<[number, number]> {
      for (let account = 0; account < ACCOUNTS; account++) for (let sequence = 1; sequence <= ENTRIES; sequence++) yield [account, sequence]
    }
    const { wrong, reads } = await readAll(oneAfterTheOther())
    expect(wrong).toEqual([])
    expect(reads).toBeLessThan(ACCOUNTS * 7)
  })

  it('are the stored ones in a damaged order too', async () => {
    const order: [number, number][] = [5, 6, 7, 3, 7, 400, 401, 2, 700, 701].map((sequence) => [7, sequence])
    expect((await readAll(order.filter(([, sequence]) => sequence <= ENTRIES))).wrong).toEqual([])
  })
})
