/**
 * A sound database, ways to damage copies of it, and what an inspection then finds.
 */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { type Inspection, inspectFiles } from '../../../src/store/leveldb/inspect.js'
import { COMMITS, copyFolder, makeDatabase } from './databases.js'
import { folders, seeded } from './fixtures.js'

export const PAGE = 4096

/** The whole inspection, or one that reads tables as far as the budget goes. */
export function inspect(path: string, budgetBytes?: number): Promise<Inspection> {
  return inspectFiles(path, { tables: budgetBytes === undefined ? 'all' : { budgetBytes } })
}

/** A sound database of COMMITS commits, its files by kind, and ways to damage copies of it. */
export interface Sound {
  path: string
  log: string
  manifest: string
  tables: string[]
  /** A new folder, gone after the tests. */
  folder(name: string): string
  /** A copy of the database. */
  copy(): string
  content(file: string): Buffer
  /** Inspects the database with `file` changed, once per page of it. */
  perPage(file: string, change: Change, found: Found): Promise<void>
}

/** Changes the page at `at` of a file. */
type Change = (bytes: Buffer, at: number) => Buffer
type Found = (inspection: Inspection, at: number, path: string) => void | Promise<void>

/** Makes the database before the tests of a file. */
export function soundDatabase(): Sound {
  const folder = folders()
  const content = (file: string): Buffer => readFileSync(join(sound.path, file))
  const copy = (): string => {
    const path = folder('copy')
    copyFolder(sound.path, path)
    return path
  }
  const sound: Sound = {
    path: '',
    log: '',
    manifest: '',
    tables: [],
    folder,
    copy,
    content,
    async perPage(file, change, found) {
      const path = copy()
      const bytes = content(file)
      for (let at = 0; at < bytes.length; at += PAGE) {
        writeFileSync(join(path, file), change(Buffer.from(bytes), at))
        await found(await inspect(path), at, path)
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
    // The tests are worth something only if there is something to damage.
    expect(statSync(join(sound.path, sound.log)).size).toBeGreaterThan(20 * PAGE)
    expect(statSync(join(sound.path, sound.manifest)).size).toBeGreaterThan(2 * PAGE)
    expect(sound.tables.length).toBeGreaterThan(2)
  })
  return sound
}

/** Changes one byte of the page, somewhere, to something else. */
export function flip(seed: number): Change {
  const next = seeded(seed)
  return (bytes, at) => {
    const place = at + next(Math.min(PAGE, bytes.length - at))
    bytes[place] = (bytes[place] ?? 0) ^ (1 + next(255))
    return bytes
  }
}

/** Fills the page with zeros. */
export function zero(bytes: Buffer, at: number): Buffer {
  return bytes.fill(0, at, Math.min(at + PAGE, bytes.length))
}

/** Ends the file where the page begins. */
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
