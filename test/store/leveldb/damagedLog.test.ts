import { rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Inspection } from '../../../src/store/leveldb/inspect.js'
import { COMMITS, commitsFound, copyFolder } from './databases.js'
import { PAGE, cut, expectDamageIn, flip, inspect, soundDatabase, zero } from './damaging.js'
import { writeLog } from './fixtures.js'

const sound = soundDatabase()

describe('an inspection of the log', () => {
  it('finds a flipped byte in each page, where LevelDB opens with missing commits', async () => {
    await sound.perPage(sound.log, flip(11), expectDamageIn(sound.log))
    const path = sound.copy()
    writeFileSync(join(path, sound.log), flip(11)(sound.content(sound.log), PAGE))
    expect(await commitsFound(path)).not.toBe(COMMITS)
  })

  it('finds a zeroed page, also the last one', async () => {
    await sound.perPage(sound.log, zero, expectDamageIn(sound.log))
  })

  it('reads a log cut at any page as an unfinished tail or a clean end, after its first commits', async () => {
    let unfinished = 0
    const remaining: number[] = []
    const check = async ({ damage, unfinishedTail }: Inspection, at: number, path: string): Promise<void> => {
      expect(damage, `cut at ${at}`).toEqual([])
      unfinished += unfinishedTail ? 1 : 0
      if (at % (8 * PAGE) !== 0) return
      // LevelDB opens it without an error: only the high-water mark holds the number of commits.
      const opened = sound.folder('opened')
      copyFolder(path, opened)
      remaining.push(await commitsFound(opened))
      rmSync(opened, { recursive: true })
    }
    await sound.perPage(sound.log, cut, check)
    expect(unfinished).toBeGreaterThan(10)
    expect(remaining[0]).toBeGreaterThan(0)
    expect(remaining.every((commits, i) => commits < COMMITS && commits > (remaining[i - 1] ?? 0))).toBe(true)
  })

  it('finds a missing log, where LevelDB opens without it', async () => {
    const path = sound.copy()
    unlinkSync(join(path, sound.log))
    expect(await inspect(path)).toMatchObject({ damage: [{ file: sound.log, what: 'is missing' }] })
    expect(await commitsFound(path)).toBeLessThan(COMMITS)
  })

  it('accepts an unfinished tail only if no later log follows', async () => {
    const path = sound.copy()
    const bytes = sound.content(sound.log)
    const later = `${String(Number(sound.log.slice(0, 6)) + 50).padStart(6, '0')}.log`
    writeFileSync(join(path, sound.log), bytes.subarray(0, bytes.length - 3))
    expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: true })
    // A crash while the database was being opened leaves an empty log.
    writeFileSync(join(path, later), '')
    expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: true })
    writeFileSync(join(path, later), writeLog([Buffer.alloc(12)]).bytes)
    expect(await inspect(path)).toMatchObject({
      damage: [{ file: sound.log, what: 'ends inside a record, and a later log follows' }],
      unfinishedTail: false,
    })
    writeFileSync(join(path, sound.log), bytes)
    expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: false })
    writeFileSync(join(path, later), writeLog([Buffer.alloc(12)]).bytes.subarray(0, 15))
    expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: true })
  })

  it('reads an older log that the MANIFEST still names', async () => {
    const path = sound.copy()
    const number = Number(sound.log.slice(0, 6))
    const older = `${String(number - 2).padStart(6, '0')}.log`
    writeFileSync(join(path, sound.manifest), writeLog([Uint8Array.of(2, number, 3, 99, 4, 1, 9, number - 2)]).bytes)
    expect((await inspect(path)).damage).toEqual([{ file: older, what: 'is missing' }])
    writeFileSync(join(path, older), writeLog([Buffer.alloc(11)]).bytes)
    expect((await inspect(path)).damage).toMatchObject([{ file: older }])
    writeFileSync(join(path, older), writeLog([Buffer.alloc(12)]).bytes)
    expect((await inspect(path)).damage).toEqual([])
  })

  it('finds a record that is not a batch, which LevelDB drops', async () => {
    const path = sound.copy()
    writeFileSync(join(path, sound.log), writeLog([Buffer.alloc(12), Buffer.alloc(11)]).bytes)
    const expected = { file: sound.log, offset: 19, what: 'has a record that is not a batch' }
    expect((await inspect(path)).damage).toEqual([expected])
  })
})
