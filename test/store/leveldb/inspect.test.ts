import { copyFileSync, mkdirSync, readFileSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { describe, expect, it } from 'vitest'
import { COMMITS, commitKey, commitsFound, makeDatabase } from './databases.js'
import { cut, expectDamageIn, flip, inspect, PAGE, soundDatabase, zero } from './damaging.js'

const sound = soundDatabase()

describe('a sound database', () => {
  it('passes an inspection that reads every byte of its live files', async () => {
    const files = ['CURRENT', sound.manifest, sound.log, ...sound.tables]
    const live = files.map((name) => statSync(join(sound.path, name)).size)
    const bytes = live.reduce((sum, size) => sum + size, 0)
    expect(await inspect(sound.path)).toMatchObject({ damage: [], unfinishedTail: false, bytes })
    expect(await commitsFound(sound.copy())).toBe(COMMITS)
  })

  it('passes when new, when empty, and after a second opening', async () => {
    for (const commits of [0, 1]) {
      const path = sound.folder('small')
      await makeDatabase(path, commits, 1)
      expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: false })
      expect(await commitsFound(path)).toBe(commits)
      expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: false })
    }
  })

  it('passes when it was closed during the write of a table, with two live logs', async () => {
    const path = sound.folder('switched')
    const db = new Level<string, string>(path, { writeBufferSize: 64 * 1024 })
    await db.open()
    for (let n = 0; n < 300; n++) await db.put(commitKey(n), 'v'.repeat(n))
    await db.close()
    expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: false })
    expect(await commitsFound(path)).toBe(300)
  })

  it('passes with trailing zeros after a power cut, and LevelDB opens it with all commits', async () => {
    const path = sound.copy()
    for (const file of [sound.manifest, sound.log]) {
      const bytes = sound.content(file)
      writeFileSync(join(path, file), Buffer.concat([bytes, Buffer.alloc(PAGE - (bytes.length % PAGE))]))
    }
    expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: true })
    expect(await commitsFound(path)).toBe(COMMITS)
    expect(await inspect(path)).toMatchObject({ damage: [], unfinishedTail: false })
  })

  it('is not modified by an inspection', async () => {
    const written = (name: string): number => statSync(join(sound.path, name)).mtimeMs
    const look = (): unknown[] => readdirSync(sound.path).map((name) => [name, written(name)])
    const before = look()
    await inspect(sound.path)
    expect(look()).toEqual(before)
  })

  it('passes with dead files of any content beside the live ones', async () => {
    const path = sound.copy()
    for (const name of ['000001.log', '000001.ldb', '999999.ldb', 'MANIFEST-000001', '000002.dbtmp', 'LOG.old']) {
      writeFileSync(join(path, name), 'not what it was')
    }
    expect(await inspect(path)).toMatchObject({ damage: [] })
  })

  it('passes with a table under its former suffix', async () => {
    const path = sound.copy()
    const [table = ''] = sound.tables
    copyFileSync(join(path, table), join(path, table.replace('.ldb', '.sst')))
    unlinkSync(join(path, table))
    expect(await inspect(path)).toMatchObject({ damage: [] })
    expect(await commitsFound(path)).toBe(COMMITS)
  })
})

describe('an inspection of MANIFEST', () => {
  it('finds a flipped byte in each page', async () => {
    for (const seed of [31, 32, 33]) await sound.perPage(sound.manifest, flip(seed), expectDamageIn(sound.manifest))
  })

  it('finds a zeroed page', async () => {
    await sound.perPage(sound.manifest, zero, expectDamageIn(sound.manifest))
  })

  it('finds a truncated file, by itself or by files that it no longer lists as dead', async () => {
    await sound.perPage(sound.manifest, cut, ({ damage }) => expect(damage).not.toEqual([]))
  })

  it('finds a missing file', async () => {
    const path = sound.copy()
    unlinkSync(join(path, sound.manifest))
    expect((await inspect(path)).damage).toEqual([{ file: sound.manifest, what: 'is missing' }])
  })
})

describe('CURRENT', () => {
  it.each([
    ['gone', undefined, 'is missing'],
    ['empty', '', 'is empty'],
    ['with an unknown target', 'MANIFEST-999999\n', undefined],
    ['cut', 'MANIFEST-0000', 'does not name a MANIFEST'],
    ['zeroed', '\0'.repeat(16), 'does not name a MANIFEST'],
    ['with a path outside', '../../MANIFEST-000002\n', 'does not name a MANIFEST'],
  ])('is damaged when it is %s', async (_, content, what) => {
    const path = sound.copy()
    if (content === undefined) unlinkSync(join(path, 'CURRENT'))
    else writeFileSync(join(path, 'CURRENT'), content)
    const expected = what === undefined ? { file: 'MANIFEST-999999', what: 'is missing' } : { file: 'CURRENT', what }
    expect((await inspect(path)).damage).toEqual([expected])
  })

  it('is damaged by every flipped byte', async () => {
    const path = sound.copy()
    const bytes = readFileSync(join(sound.path, 'CURRENT'))
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      writeFileSync(join(path, 'CURRENT'), changed)
      expect((await inspect(path)).damage, `byte ${at}`).not.toEqual([])
    }
  })
})

describe('a folder', () => {
  it('is damaged when it is empty or missing, and no new database is created', async () => {
    const path = join(sound.folder('empty'), 'db')
    expect((await inspect(path)).damage).toEqual([{ file: '.', what: 'is missing' }])
    mkdirSync(path)
    expect((await inspect(path)).damage).toEqual([{ file: 'CURRENT', what: 'is missing' }])
  })

  it('without any one of its files is damaged or loses no data', async () => {
    for (const name of readdirSync(sound.path)) {
      const path = sound.copy()
      unlinkSync(join(path, name))
      const { damage } = await inspect(path)
      if (['LOCK', 'LOG', 'LOG.old'].includes(name)) expect(damage, name).toEqual([])
      else expect(damage.map((one) => one.file), name).toEqual([name])
    }
  })

  it('with one of its files replaced by an older one is damaged', async () => {
    const older = sound.folder('older')
    await makeDatabase(older, COMMITS - 500, 1)
    // One file at a time; only the high-water mark detects an older version of a log.
    const differs = (name: string): boolean => !readFileSync(join(older, name)).equals(sound.content(name))
    const names = readdirSync(older).filter((name) => /^CURRENT|^MANIFEST|\.ldb$/.test(name))
    expect(names.filter(differs)).toContain(sound.manifest)
    for (const name of names.filter(differs)) {
      const path = sound.copy()
      copyFileSync(join(older, name), join(path, name))
      expect((await inspect(path)).damage, name).not.toEqual([])
    }
  })
})
