/**
 * Three nodes under load, first in a line, then in a mesh, with interrupted connections and killed nodes: all converge, and no
 * node refuses a write because another is unreachable. `SEED` repeats a run as far as timing allows.
 */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, folder } from '../acceptance/support/coffer.js'
import { expectSound } from '../support/store/check.js'
import { placesOf } from '../support/nodes/node.js'
import { expectConverged, createSharedItems } from '../support/sync/finalState.js'
import { expectInSync, makeAccount, pair, syncNode, type SyncNode } from '../support/sync/nodeProcesses.js'
import { newWork, runWithFaults } from '../support/sync/faults.js'
import { newWriter } from '../support/sync/writers.js'
import { seeded } from '../store/leveldb/fixtures.js'

const LONG = process.env['LONG'] === '1'
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))

const cleanUp = afterTheFile()
beforeAll(() => {
  if (LONG) build()
})

it.runIf(LONG)(`three nodes converge, in a line and in a mesh (seed ${SEED})`, { timeout: 300_000 }, async () => {
  const next = seeded(SEED)
  const names = ['a', 'b', 'c']
  const nodes = await Promise.all(names.map((name) => syncNode(join(folder(cleanUp), name), cleanUp)))
  const [a, b, c] = nodes as [SyncNode, SyncNode, SyncNode]
  const [url] = [await a.start(), await b.start(), await c.start()]
  const token = await makeAccount(url)
  await createSharedItems(url, token)
  await pair(a, b, { there: 'b', here: 'a' })
  await pair(b, c, { there: 'c', here: 'b' })
  await settle(nodes)

  const work = newWork()
  const writers = nodes.map((node, i) => newWriter(['p', 'q', 'r'][i] ?? '', node, token, next))
  const way = {
    cut: () => nodes[next(3)]?.line?.cut(),
    heal: () => nodes.forEach(({ line }) => line?.heal()),
  }
  for (const shape of ['line', 'mesh']) {
    if (shape === 'mesh') await pair(a, c, { there: 'c', here: 'a' })
    const before = work.ledger.counts.acknowledged
    const { cuts, kills } = await runWithFaults({ nodes, writers, work, way, next, turns: 10, pauseMs: 500 })
    const acknowledged = work.ledger.counts.acknowledged - before
    expect(acknowledged).toBeGreaterThan(30)
    await settle(nodes)
    const { items } = await expectConverged(nodes, token, work)
    console.log(JSON.stringify({ shape, cuts, kills, acknowledged, items: items.size }))
  }
  await Promise.all(nodes.map((node) => node.stop()))
  for (const { home } of nodes) await expectSound(placesOf(home))
})

/** Changes of one end may have to be forwarded to the other. */
async function settle(nodes: readonly SyncNode[]): Promise<void> {
  for (const node of nodes) await node.run('sync', 'now', '--json', '--timeout', '60s')
  for (const node of nodes) await expectInSync(node)
}
