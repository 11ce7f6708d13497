/**
 * Random accesses call a running node, and a naive evaluation of the specification checks every response
 * (test/support/oracles/naivePermissions.ts): nothing is returned or changed against it, nothing refused that it allows. `SEED`
 * repeats one run; `LONG=1` makes many.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { startTestNode, type TestNode } from '../support/nodes/node.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { runAccount } from './permissionRun.js'

const LONG = process.env['LONG'] === '1'
const drawn = (count: number): number[] => Array.from({ length: count }, (_, i) => (Date.now() + i * 7919) % 1_000_000)
const SEEDS = process.env['SEED'] === undefined ? [1, 2, 3, 4, ...drawn(LONG ? 60 : 3)] : [Number(process.env['SEED'])]

const { home } = homes()
let node: TestNode

beforeAll(async () => {
  const places = await home()
  node = await startTestNode({}, { home: places.home })
})

afterAll(async () => {
  await node.stop()
  await expectSound(node.places)
})

describe('reads and changes by accesses', () => {
  const totals = { shown: 0, accepted: 0, refused: 0 }

  it.each(SEEDS)(
    'are exactly what their permissions allow (SEED=%i)',
    async (seed) => {
      const counts = await runAccount(node, seeded(seed), seed)
      for (const key of ['shown', 'accepted', 'refused'] as const) totals[key] += counts[key]
    },
    60_000,
  )

  it('occur in sufficient number', () => {
    // The comparison needs many results of each kind.
    const least = SEEDS.length * 20
    expect(Math.min(totals.shown, totals.accepted, totals.refused), JSON.stringify(totals)).toBeGreaterThan(least)
  })
})
