/** Inspection of a store's files in a thread, before the store is opened. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Secret } from '../../../src/store/model/secret.js'
import { beginInspection, dbFolder, findDamage, listFiles, type EarlyInspection } from '../../../src/store/engine/inspection.js'
import { createStore, openStore, StoreDamaged } from '../../../src/store/engine/open.js'
import { createSeal } from '../../../src/store/keyring/seal.js'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const now = (): number => 1

/** Creates a store with one table, whose folder is as large as that of many events. */
async function newStore(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'coffer-inspection-'))
  folders.push(root)
  const folder = join(root, 'store')
  await createStore({ folder, now }, 'node', await createSeal(new Secret(new Uint8Array(32))))
  const { db, close } = await openStore({ folder, now })
  const batch = db.batch()
  for (let i = 0; i < 100; i++) batch.put(`!test/${i}`, 'x'.repeat(1000))
  await batch.write({ sync: true })
  await db.flush()
  await close()
  writeFileSync(join(dbFolder(folder), 'padding'), '')
  truncateSync(join(dbFolder(folder), 'padding'), 65 * 1024 * 1024)
  return folder
}

function damageTable(folder: string): void {
  const name = readdirSync(dbFolder(folder)).find((each) => each.endsWith('.ldb')) ?? ''
  const path = join(dbFolder(folder), name)
  const bytes = readFileSync(path)
  bytes[20] = (bytes[20] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

it('finds a sound store sound, which then opens', async () => {
  const folder = await newStore()
  const inspection = beginInspection(folder)
  expect(await inspection?.finish()).toMatchObject({ damage: [], bytes: expect.any(Number) as number })
  const { close } = await openStore({ folder, now, inspection })
  await close()
})

it('finds damage, which is reported before the store is opened', async () => {
  const folder = await newStore()
  damageTable(folder)
  const inspection = beginInspection(folder)
  expect((await inspection?.finish())?.damage).toMatchObject([{ what: expect.stringContaining('wrong checksum') as string }])
  await expect(openStore({ folder, now, inspection })).rejects.toThrow(StoreDamaged)
})

it('does not count when the files have changed since', async () => {
  const folder = await newStore()
  const inspection = beginInspection(folder)
  expect((await inspection?.finish())?.damage).toEqual([])
  damageTable(folder)
  await expect(openStore({ folder, now, inspection })).rejects.toThrow(StoreDamaged)
})

it('is not repeated when the files are the same', async () => {
  const folder = await newStore()
  const damage = [{ file: '000005.ldb', what: 'is damaged' }]
  const finish = (): ReturnType<EarlyInspection['finish']> => Promise.resolve({ damage, unfinishedTail: false, bytes: 1 })
  expect(await findDamage(folder, { listed: listFiles(folder), finish })).toBe(damage)
})

it('is repeated when the thread fails', async () => {
  const folder = await newStore()
  damageTable(folder)
  expect(await findDamage(folder, { listed: '', finish: () => Promise.resolve(undefined) })).toHaveLength(1)
})

it('waits for the opening where the store is small, absent, or in use by another process', async () => {
  const folder = await newStore()
  expect(beginInspection(join(folder, 'absent'))).toBeUndefined()
  await mkdir(join(folder, 'unreadable'))
  writeFileSync(join(folder, 'unreadable', 'db'), 'not a folder')
  expect(beginInspection(join(folder, 'unreadable'))).toBeUndefined()
  const held = openSync(join(dbFolder(folder), 'padding'), 'r')
  const other = spawn('sleep', ['60'], { stdio: ['ignore', held] })
  closeSync(held)
  writeFileSync(join(folder, 'owner'), `${other.pid}\n`)
  expect(beginInspection(folder)).toBeUndefined()
  other.kill()
  await once(other, 'exit')
  await rm(join(dbFolder(folder), 'padding'))
  expect(beginInspection(folder)).toBeUndefined()
})
