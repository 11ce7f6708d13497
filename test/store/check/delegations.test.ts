/** Problems with delegations that a check of a store reports. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Value } from '../../../src/store/engine/database.js'
import { accountKeys as keys } from '../../../src/store/engine/keys.js'
import { readNodeKey } from '../../../src/store/keyring/nodeKey.js'
import { openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { createSeal, type Seal } from '../../../src/store/keyring/seal.js'
import { activePair, anchorsOf, tokenOf } from '../../server/api/delegations/support.js'
import { checkOpened } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { startTestNode } from '../../support/nodes/node.js'

const { home } = homes()
const [A, B] = ['1', '2']
let opened: OpenedStore
let seal: Seal
let relId: string
let control: string

beforeAll(async () => {
  const places = await home()
  const node = await startTestNode({}, { home: places.home })
  const pair = await activePair(node)
  await tokenOf(pair)
  const [anchor] = await anchorsOf(pair.b)
  relId = anchor?.relId ?? ''
  control = anchor?.controlAccessId ?? ''
  await node.stop()
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  seal = await createSeal(key)
  opened = await openStore({ folder: places.store, now: () => 0 })
})
afterAll(() => opened.close())

/** Returns the problems of a store while a record is replaced. */
async function problemsWith(key: string, value: Value | null): Promise<string[]> {
  const write = async (text: Value | null): Promise<void> => {
    const batch = opened.db.batch()
    if (text === null) batch.delete(key)
    else batch.put(key, text)
    await batch.write({ sync: false })
  }
  const former = opened.db.get(key) ?? null
  await write(value)
  const { problems } = await checkOpened(opened, seal, undefined, false)
  await write(former)
  return problems.map(({ what }) => what)
}

const changed = (key: string, changes: object): Promise<string[]> =>
  problemsWith(key, JSON.stringify({ ...(JSON.parse(opened.db.get(key) ?? '{}') as object), ...changes }))

it('reports no problem with sound delegations, whose endpoints are sealed', async () => {
  const result = await checkOpened(opened, seal, undefined, false)
  expect(result).toMatchObject({ problems: [], checked: { delegates: 1, 'controlled accounts': 1 } })
  expect(`${opened.db.get(keys.delegate(B, relId))}${opened.db.get(keys.controlled(A, relId))}`).not.toContain('http')
})

it('reports records that are incomplete or belong to another key', async () => {
  const unreadable = 'has a record that cannot be read'
  for (const key of [keys.delegate(B, relId), keys.controlled(A, relId)]) {
    expect(await problemsWith(key, '{')).toEqual([unreadable])
    expect(await changed(key, { relId: 'another' })).toEqual([unreadable])
    expect(await changed(key, { status: 'unknown' })).toEqual([unreadable])
    expect(await changed(key, { delegate: 'x', controlled: 'x' })).toEqual([unreadable])
  }
  expect(await changed(keys.delegate(B, relId), { controlAccessId: undefined })).toEqual([unreadable])
  expect(await changed(keys.controlled(A, relId), { controlApiEndpoint: undefined })).toEqual([unreadable])
})

it('reports endpoints sealed for another place, and accesses that do not belong to the relationship', async () => {
  const sealed = 'has an endpoint that this node key cannot decrypt'
  const other = JSON.parse(opened.db.get(keys.delegate(B, relId)) ?? '{}') as { notifyApiEndpoint: string }
  expect(await changed(keys.controlled(A, relId), { controlApiEndpoint: other.notifyApiEndpoint })).toEqual([sealed])
  const anchor = keys.delegate(B, relId)
  expect(await changed(anchor, { notifyApiEndpoint: 'x' })).toEqual([sealed])
  expect(await changed(anchor, { controlAccessId: 'gone' })).toEqual(['refers to a missing control access'])
  expect(await changed(anchor, { patAccessId: control })).toEqual(['refers to an access that is not its delegate-pat access'])
})
