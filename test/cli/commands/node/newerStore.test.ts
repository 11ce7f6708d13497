/** Tests of stores that another version of coffer wrote. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { productVersion } from '../../../../src/server/base/version.js'
import { openDatabase } from '../../../../src/store/engine/database.js'
import { nodeKeys } from '../../../../src/store/engine/keys.js'
import { FORMAT } from '../../../../src/store/engine/open.js'
import { placesOf, startTestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

const own = productVersion()
let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace')
})
afterAll(() => home.remove())

const storeFolder = (): string => placesOf(home.home).store

/** Reads the format record, and changes members of it; undefined removes one. */
async function formatRecord(changes: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const db = await openDatabase(join(storeFolder(), 'db'))
  try {
    const record = { ...(JSON.parse(db.get(nodeKeys.format) ?? '') as Record<string, unknown>), ...changes }
    const batch = db.batch()
    batch.put(nodeKeys.format, JSON.stringify(record))
    await batch.write({ sync: true })
    return record
  } finally {
    await db.close()
  }
}

describe('the store records the version of coffer', () => {
  it('that created it', async () => expect(await formatRecord()).toMatchObject({ format: FORMAT, writer: own }))

  it.each([['an earlier one', '0.0.1'], ['none', undefined], ['a later one with the same format', '99.0.0']])('that opened it last, instead of %s', async (_, writer) => {
    await formatRecord({ writer })
    const node = await startTestNode({}, { home: home.home })
    await node.stop()
    expect(await formatRecord()).toMatchObject({ format: FORMAT, writer: own })
  })
})

describe('a store of a newer format', () => {
  it.each([
    ['start', '99.1.0', 'coffer 99.1.0', 'Use coffer 99.1.0 or newer'],
    ['start --port 0 --json', '99.1.0', 'coffer 99.1.0', 'Use coffer 99.1.0 or newer'],
    ['start', undefined, 'a newer coffer', 'Use coffer of a newer version'],
    ['users list', '99.1.0', 'coffer 99.1.0', 'Use coffer 99.1.0 or newer'],
    ['events list', 'text\u001b[2J', 'coffer text[2J', 'Use coffer text[2J or newer'],
  ])('is refused by coffer %s, naming version %j', async (line, writer, by, use) => {
    await formatRecord({ format: FORMAT + 1, writer })
    const { code, err, out } = await home.run(line)
    expect([code, out]).toEqual([6, ''])
    const text = line.includes('--json') ? (JSON.parse(err) as { error: { message: string } }).error.message : err
    expect(text.replaceAll(' [2J', '[2J')).toContain(`was written by ${by} and has format ${FORMAT + 1}; this is coffer ${own}, which knows formats up to ${FORMAT}.`)
    if (line.includes('--json')) {
      expect(JSON.parse(err)).toMatchObject({ error: { id: 'conflict', data: { format: FORMAT + 1, newestFormat: FORMAT, writer, version: own } } })
      return
    }
    for (const part of ['Nothing was changed.', 'coffer update', 'coffer restore <backup> --home']) expect(err).toContain(part)
    expect(err.replaceAll(' [2J', '[2J')).toContain(use)
  })

  it('stays as it is', async () => {
    const record = await formatRecord({ format: FORMAT + 1, writer: '99.1.0' })
    const touched = join(storeFolder(), 'touched')
    const content = (): unknown => [readdirSync(storeFolder()).sort(), existsSync(touched) && readFileSync(touched, 'utf8'), readFileSync(join(storeFolder(), 'HEAD'))]
    const before = content()
    expect((await home.run('start')).code).toBe(6)
    expect(content()).toEqual(before)
    expect(await formatRecord()).toEqual(record)
  })
})
