/** Copies that received the same changes in any order have the same bytes. */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/sync/wire/entry.js'
import { dice, ITEMS, openCopy, type Copy } from './merge/copies.js'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const RUNS = Number(process.env['RUNS'] ?? (process.env['LONG'] === undefined ? 10 : 2000))

async function run(seed: number): Promise<void> {
  const roll = dice(seed)
  const clock = { now: 1000 }
  const copies: Copy[] = []
  for (let n = 0; n < 3 + roll(3); n++) copies.push(await openCopy(roll, clock, n + 1))
  const any = (): Copy => copies[roll(copies.length)] as Copy
  for (let step = 0; step < 80; step++) {
    // Now and then the clocks of nodes show the same time.
    clock.now += roll(3)
    const copy = any()
    if (roll(3) > 0) await copy.edit()
    else if (roll(10) === 0) await copy.restart()
    else {
      const from = any()
      const entries: Entry[] = []
      for (let n = roll(6); n >= 0; n--) {
        const item = ITEMS[roll(ITEMS.length)]
        if (item !== undefined) entries.push(...from.read(item, roll(2) === 0 ? 1 + roll(2) : Infinity))
      }
      if (roll(4) === 0) entries.reverse()
      await copy.take(entries)
      if (roll(4) === 0) await copy.take(entries)
    }
  }
  for (let round = 0; round < 4; round++) {
    for (const to of copies) {
      for (const from of copies) if (from !== to) await to.take(ITEMS.flatMap((item) => from.read(item)))
    }
  }
  const [first, ...others] = await Promise.all(copies.map((copy) => copy.dump()))
  for (const other of others) expect(other).toEqual(first)
  for (const copy of copies) expect(await copy.check()).toEqual([])
  const before = await copies[0]?.dump()
  await copies[0]?.restart()
  expect(await copies[0]?.dump()).toEqual(before)
  for (const copy of copies) await copy.end()
}

describe('copies that exchange their changes', () => {
  it('converge byte for byte in any order', { timeout: RUNS * 10_000 }, async () => {
    for (let n = 0; n < RUNS; n++) {
      try {
        await run(SEED + n)
      } catch (error) {
        throw new Error(`SEED=${SEED + n} RUNS=1: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
      }
    }
  })
})
