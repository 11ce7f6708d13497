/** The registry of one core fulfils the contract; the check of the store accepts its claims and records. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { each } from '../../../../src/store/engine/database.js'
import { platformKeys, under } from '../../../../src/store/engine/keys.js'
import { coreOfSettings } from '../../../../src/server/platform/cores/ownCore.js'
import { createLocalRegistry } from '../../../../src/server/platform/registry/local.js'
import type { HomePlaces } from '../../../../src/server/launch/init.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeRegistry, type Platform } from './contract.js'
import { accountsOf } from './support.js'

let node: TestNode
let seconds = 1e9
let places: HomePlaces
const { home } = homes()
beforeAll(async () => {
  places = await home()
  node = await startTestNode({}, { home: places.home })
})
afterAll(() => node.stop())

function platform(): Platform {
  const { store } = node.node
  seconds = 1e9
  const registry = createLocalRegistry(store, () => coreOfSettings(node.node.config, 'http://localhost'), () => seconds)
  return {
    registry,
    pass: (by) => void (seconds += by),
    ...accountsOf(store, registry),
  }
}

describeRegistry('the registry of one core', platform)

it('removes expired claims without a sweep', async () => {
  const { registry, pass } = platform()
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < 10; n++) expect(await registry.records.claim('claimed', `${round}/${n}`, seconds + 5)).toBe(true)
    pass(5)
  }
  const remaining = []
  for await (const [key] of each(node.node.store.db.entries(under(platformKeys.records('claimed'))))) remaining.push(key)
  expect(remaining).toHaveLength(10)
})

it('removes expired records from disk', async () => {
  const { registry, pass } = platform()
  await registry.records.change('code', 'y', () => ({ put: 1, expires: 1e9 + 10, result: undefined }))
  pass(10)
  await registry.sweep()
  pass(-10)
  expect(await registry.records.get('code', 'y')).toBeUndefined()
})

it('survives a restart, and passes the check of the store', async () => {
  const { records } = node.node.registry
  await records.change('kept', 'a/b', () => ({ put: { c: 1 }, result: undefined }))
  await node.stop()
  const { checked } = await expectSound(places)
  expect(checked['platform records']).toBeGreaterThan(3)
  node = await startTestNode({}, { home: places.home })
  expect(await node.node.registry.records.get('kept', 'a/b')).toEqual({ c: 1 })
  expect(await node.node.registry.lookUp({ field: 'username', value: 'mover' })).toMatchObject({ username: 'moved' })
})
