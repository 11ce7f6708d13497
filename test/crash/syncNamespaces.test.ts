/**
 * Two nodes in network namespaces under load, with random interruptions of the link and random kills, 20 rounds: in sync after
 * each, without loss of acknowledged writes. `LONG=1` runs it where network namespaces are permitted; `SEED` repeats a run as
 * far as timing allows.
 */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, folder } from '../acceptance/support/coffer.js'
import { expectSound } from '../support/store/check.js'
import { joinedNamespaces } from '../support/sync/networkNamespaces.js'
import { placesOf } from '../support/nodes/node.js'
import { expectConverged, createSharedItems } from '../support/sync/finalState.js'
import { expectInSync, makeAccount, pair, syncNode } from '../support/sync/nodeProcesses.js'
import { newWork, runWithFaults } from '../support/sync/faults.js'
import { newWriter } from '../support/sync/writers.js'
import { seeded } from '../store/leveldb/fixtures.js'

const LONG = process.env['LONG'] === '1'
const ROUNDS = Number(process.env['ROUNDS'] ?? 20)
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const MIN_ACKNOWLEDGED = 30

const cleanUp = afterTheFile()
beforeAll(() => {
  if (LONG) build()
})

it.runIf(LONG)(`nodes in namespaces converge, ${ROUNDS} times over (seed ${SEED})`, { timeout: 120_000 * ROUNDS }, async (context) => {
  const joined = joinedNamespaces(cleanUp)
  if (joined === undefined) return context.skip('no permission to make network namespaces')
  const next = seeded(SEED)
  const { places, way } = joined
  const a = await syncNode(join(folder(cleanUp), 'a'), cleanUp, places[0])
  const b = await syncNode(join(folder(cleanUp), 'b'), cleanUp, places[1])
  const url = await a.start()
  await b.start()
  const token = await makeAccount(url)
  await createSharedItems(url, token)
  // Each dials the other, so that both may dial at the same time.
  await pair(a, b, {}, '--address', b.address)
  await expectInSync(b)

  const work = newWork()
  const writers = [newWriter('p', a, token, next), newWriter('q', a, token, next), newWriter('r', b, token, next), newWriter('s', b, token, next)]
  for (let round = 0; round < ROUNDS; round++) {
    const before = work.ledger.counts.acknowledged
    const began = Date.now()
    const { cuts, kills } = await runWithFaults({ nodes: [a, b], writers, work, way, next, turns: 8, pauseMs: 800 })
    const { acknowledged, open } = work.ledger.counts
    expect(acknowledged - before).toBeGreaterThan(MIN_ACKNOWLEDGED)
    const healed = Date.now()
    await expectInSync(round % 2 === 0 ? b : a)
    const inSync = Date.now()
    const { items } = await expectConverged([a, b], token, work)
    const seconds = { trouble: (healed - began) / 1000, inSync: (inSync - healed) / 1000 }
    console.log(JSON.stringify({ round, cuts, kills, acknowledged: acknowledged - before, open, items: items.size, ...seconds }))
  }
  await Promise.all([a.stop(), b.stop()])
  for (const { home } of [a, b]) expect((await expectSound(placesOf(home))).checked['users']).toBe(1)
})
