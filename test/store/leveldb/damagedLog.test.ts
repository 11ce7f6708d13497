import { rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Inspection } from '../../../src/store/leveldb/inspect.js'
import { COMMITS, commitsFound, copyFolder } from './databases.js'
import { PAGE, cut, expectDamageIn, flip, inspect, soundDatabase, zero } from './damaging.js'
import { writeLog } from './fixtures.js'

const sound = soundDatabase()

describe('the log', () => {
  it('shows a flipped byte in each page, where LevelDB opens with commits gone', async () => {
    await sound.perPage(sound.log, flip(11), expectDamageIn(sound.log))
    const path = sound.copy()
    writeFileSync(join(path, sound.log), flip(11)(sound.content(sound.log), PAGE))
    expect(await commitsFound(path)).not.toBe(COMMITS)
  })

  it('shows a zeroed page, the last one too', async () => {
    await sound.perPage(sound.log, zero, expectDamageIn(sound.log))
  })

  it('cut at each page is an unfinished tail or a clean cut: what is left are the first commits, whole', async () => {
    let unfinished = 0
    const left: number[] = []
    const check = async ({ damage, unfinishedTail }: Inspection, at: number, path: string): Promise<void> => {
      expect(damage, `cut at ${at}`).toEqual([])
      unfinished += unfinishedTail ? 1 : 0
      if (at % (8 * PAGE) !== 0) return
      // LevelDB opens it without complaint: only the high-water mark knows how many commits there were.
      const opened = sound.folder('opened')
      copyFolder(path, opened)
      left.push(await commitsFound(opened))
      rmSync(opened, { recursive: true })
    }
    await sound.perPage(sound.log, cut, check)
    expect(unfinished).toBeGreaterThan(10)
    expect(left[0]).toBeGreaterThan(0)
    expect(left.every((commits, i) => commits < COMMITS && commits > (left[i - 1] ?? 0))).toBe(true)
  })

  it('is missed when it is gone, where LevelDB opens without it', async () => {
    const path = sound.copy()
    unlinkSync(join(path, sound.log))
    expect(await inspect(path)).toMatchObject({ damage: [{ file: sound.log, what: 'is missing' }] })
    expect(await commitsFound(path)).toBeLessThan(COMMITS)
  })

  it('may end unfinished only if no later log goes on', async () => {
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

  it('may be an older one that the MANIFEST still names', async () => {
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

  it('shows a record that is no batch, which LevelDB drops', async () => {
    const path = sound.copy()
    writeFileSync(join(path, sound.log), writeLog([Buffer.alloc(12), Buffer.alloc(11)]).bytes)
    const expected = { file: sound.log, offset: 19, what: 'has a record that is not a batch' }
    expect((await inspect(path)).damage).toEqual([expected])
  })
})
