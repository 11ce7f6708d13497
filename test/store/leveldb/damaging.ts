/** A sound database, ways to damage copies of it, and results of inspections. */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { type Inspection, inspectFiles } from '../../../src/store/leveldb/inspect.js'
import { COMMITS, copyFolder, makeDatabase } from './databases.js'
import { folders, seeded } from './fixtures.js'

export const PAGE = 4096

/** Inspects all tables, or as many as the budget allows. */
export function inspect(path: string, budgetBytes?: number): Promise<Inspection> {
  return inspectFiles(path, { tables: budgetBytes === undefined ? 'all' : { budgetBytes } })
}

/** A sound database of COMMITS commits, its files by kind, and ways to damage copies of it. */
export interface SoundDatabase {
  path: string
  log: string
  manifest: string
  tables: string[]
  /** Creates a folder that is removed after the tests. */
  folder(name: string): string
  /** A copy of the database. */
  copy(): string
  content(file: string): Buffer
  /** Inspects the database with `file` changed, once per page of it. */
  perPage(file: string, change: Change, verify: Verify): Promise<void>
}

/** Changes the page at `at` of a file. */
type Change = (bytes: Buffer, at: number) => Buffer
type Verify = (inspection: Inspection, at: number, path: string) => void | Promise<void>

/** Creates the database before the tests of a file. */
export function soundDatabase(): SoundDatabase {
  const folder = folders()
  const content = (file: string): Buffer => readFileSync(join(sound.path, file))
  const copy = (): string => {
    const path = folder('copy')
    copyFolder(sound.path, path)
    return path
  }
  const sound: SoundDatabase = {
    path: '',
    log: '',
    manifest: '',
    tables: [],
    folder,
    copy,
    content,
    async perPage(file, change, verify) {
      const path = copy()
      const bytes = content(file)
      for (let at = 0; at < bytes.length; at += PAGE) {
        writeFileSync(join(path, file), change(Buffer.from(bytes), at))
        await verify(await inspect(path), at, path)
      }
    },
  }
  beforeAll(async () => {
    sound.path = folder('sound')
    await makeDatabase(sound.path, COMMITS, 1)
    const names = readdirSync(sound.path)
    sound.log = names.find((name) => name.endsWith('.log')) ?? ''
    sound.manifest = names.find((name) => name.startsWith('MANIFEST-')) ?? ''
    sound.tables = names.filter((name) => name.endsWith('.ldb'))
    // Checks that there is something to damage.
    expect(statSync(join(sound.path, sound.log)).size).toBeGreaterThan(20 * PAGE)
    expect(statSync(join(sound.path, sound.manifest)).size).toBeGreaterThan(2 * PAGE)
    expect(sound.tables.length).toBeGreaterThan(2)
  })
  return sound
}

/** Changes one random byte of the page. */
export function flip(seed: number): Change {
  const next = seeded(seed)
  return (bytes, at) => {
    const offset = at + next(Math.min(PAGE, bytes.length - at))
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 + next(255))
    return bytes
  }
}

/** Fills the page with zeros. */
export function zero(bytes: Buffer, at: number): Buffer {
  return bytes.fill(0, at, Math.min(at + PAGE, bytes.length))
}

/** Truncates the file at the page. */
export function cut(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(0, at)
}

/** Expects damage, all of it in `file`. */
export function expectDamageIn(file: string): (inspection: Inspection, at: number) => void {
  return ({ damage }, at) => {
    expect(damage, `page at ${at}`).not.toEqual([])
    expect([...new Set(damage.map((one) => one.file))], `page at ${at}`).toEqual([file])
  }
}
