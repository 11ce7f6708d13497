/** Problems with shared secrets that a check of a store reports. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Value } from '../../../src/store/engine/database.js'
import { accountKeys as keys } from '../../../src/store/engine/keys.js'
import { readNodeKey } from '../../../src/store/keyring/nodeKey.js'
import { openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { createSeal, type Seal } from '../../../src/store/keyring/seal.js'
import { createSecret, redeem } from '../../server/api/sharedSecrets/support.js'
import { checkOpened } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { startTestNode } from '../../support/nodes/node.js'
import { newStage } from '../../support/http/methodTable.js'

const { home } = homes()
const A = '1'
let opened: OpenedStore
let seal: Seal
let pending: string
let ended: string
let list: string[]

beforeAll(async () => {
  const places = await home()
  const node = await startTestNode({}, { home: places.home })
  const stage = await newStage(node)
  pending = (await createSecret(stage, stage.owner)).id
  const other = await createSecret(stage, stage.owner)
  ended = other.id
  await redeem(stage, other.key)
  await node.stop()
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  seal = await createSeal(key)
  opened = await openStore({ folder: places.store, now: () => 0 })
  list = await opened.db.keys({ gte: keys.allSharedSecretsBy(A), lt: `${keys.allSharedSecretsBy(A)}~` }).next(10)
})
afterAll(() => opened.close())

async function problemsWith(changes: Record<string, Value | null>): Promise<string[]> {
  const write = async (values: [string, Value | null][]): Promise<void> => {
    const batch = opened.db.batch()
    for (const [key, value] of values) {
      if (value === null) batch.delete(key)
      else batch.put(key, value)
    }
    await batch.write({ sync: false })
  }
  const former = Object.keys(changes).map((key): [string, Value | null] => [key, opened.db.get(key) ?? null])
  await write(Object.entries(changes))
  const { problems } = await checkOpened(opened, seal)
  await write(former)
  return problems.map(({ what }) => what)
}

const recordWith = (id: string, more: object): string =>
  JSON.stringify({ ...(JSON.parse(opened.db.get(keys.sharedSecret(A, id)) ?? '{}') as object), ...more })
const entryOf = (id: string): string => list.find((key) => key.endsWith(id)) ?? ''

it('reports no problem in a sound store', async () => {
  const { problems, checked } = await checkOpened(opened, seal)
  expect(problems).toEqual([])
  expect(checked).toMatchObject({ 'shared secrets': 2, 'shared secrets of accesses': 2 })
})

it.each<[what: string, changes: () => Record<string, Value | null>]>([
  ['has a record that cannot be read', () => ({ [keys.sharedSecret(A, pending)]: '{' })],
  ['has a record that cannot be read', () => ({ [keys.sharedSecret(A, pending)]: recordWith(ended, {}) })],
  ['lacks its entry of its access', () => ({ [entryOf(pending)]: null })],
  ['is listed under an access that did not create it', () => ({ [keys.sharedSecret(A, pending)]: null })],
  ['is listed under an access that did not create it', () => ({ [keys.sharedSecretBy(A, 'other', 1, pending)]: '' })],
  ['is listed under an access that did not create it', () => ({ [entryOf(ended).replace(ended, 'unknown')]: '' })],
  ['is pending but has no value', () => ({ [keys.sharedSecret(A, pending)]: recordWith(pending, { sealed: undefined }) })],
  ['has ended but still has its value', () => ({ [keys.sharedSecret(A, ended)]: recordWith(ended, { sealed: 'x' }) })],
  ['has a value that this node key cannot decrypt', () => ({ [keys.sharedSecret(A, pending)]: recordWith(pending, { sealed: 'AAAA' }) })],
])('reports one that %s', async (what, changes) => {
  expect(await problemsWith(changes())).toContain(what)
})
