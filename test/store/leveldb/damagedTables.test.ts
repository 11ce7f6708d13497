import { copyFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cut, expectDamageIn, flip, inspect, soundDatabase, zero } from './damaging.js'

const sound = soundDatabase()

describe('an inspection of the tables', () => {
  it('finds a flipped byte in each page', async () => {
    for (const [i, table] of sound.tables.entries()) await sound.perPage(table, flip(20 + i), expectDamageIn(table))
  })

  it('finds a zeroed page', async () => {
    for (const table of sound.tables.slice(0, 3)) await sound.perPage(table, zero, expectDamageIn(table))
  })

  it('finds truncated tables', async () => {
    for (const table of sound.tables.slice(0, 2)) {
      await sound.perPage(table, cut, ({ damage }, at) => {
        const size = statSync(join(sound.path, table)).size
        expect(damage).toEqual([{ file: table, what: `has ${at} bytes in place of ${size}` }])
      })
    }
  })

  it('finds missing tables, and names them', async () => {
    const path = sound.copy()
    for (const table of sound.tables) unlinkSync(join(path, table))
    expect((await inspect(path)).damage).toEqual(sound.tables.map((file) => ({ file, what: 'is missing' })))
  })

  it('finds a table in the place of another', async () => {
    const path = sound.copy()
    const [one = '', other = ''] = sound.tables
    copyFileSync(join(sound.path, one), join(path, other))
    expect((await inspect(path)).damage).toHaveLength(1)
  })

  it('reads tables within the budget, newest first, and checks the existence of all', async () => {
    const path = sound.copy()
    const oldest = sound.tables[0] ?? ''
    const newest = sound.tables.at(-1) ?? ''
    const size = statSync(join(sound.path, newest)).size
    const flipped = (name: string): Buffer => flip(5)(sound.content(name), 0)
    const { bytes: rest } = await inspect(path, 0)
    expect((await inspect(path, size)).bytes).toBe(rest + size)
    expect((await inspect(path, size - 1)).bytes).toBe(rest)
    writeFileSync(join(path, newest), flipped(newest))
    expect((await inspect(path, size)).damage).toHaveLength(1)
    expect((await inspect(path, size - 1)).damage).toEqual([])
    writeFileSync(join(path, oldest), flipped(oldest))
    expect((await inspect(path, size)).damage.map((one) => one.file)).toEqual([newest])
    expect((await inspect(path)).damage.map((one) => one.file)).toEqual([oldest, newest])
    unlinkSync(join(path, oldest))
    expect((await inspect(path, 0)).damage).toEqual([{ file: oldest, what: 'is missing' }])
  })
})
