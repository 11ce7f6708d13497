/**
 * Two paired nodes under load, with interrupted connections and killed nodes: both converge, every acknowledged write is
 * present, and no write that was not requested. `SEED` repeats a run as far as timing allows.
 */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, folder } from '../acceptance/support/coffer.js'
import { expectSound } from '../support/store/check.js'
import { placesOf } from '../support/nodes/node.js'
import { connect } from '../support/http/pryvClient.js'
import { expectConverged, createSharedItems } from '../support/sync/finalState.js'
import { expectInSync, makeAccount, pair, syncNode, USER, type SyncNode } from '../support/sync/nodeProcesses.js'
import { newWork, runWithFaults } from '../support/sync/faults.js'
import { newWriter } from '../support/sync/writers.js'
import { seeded } from '../store/leveldb/fixtures.js'

const ROUNDS = Number(process.env['ROUNDS'] ?? (process.env['LONG'] === '1' ? 10 : 1))
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
/** Minimum number of changes that are acknowledged in a round. */
const MIN_ACKNOWLEDGED = 30

const cleanUp = afterTheFile()
beforeAll(build)

/** Reads with the published client, as from any node. */
async function useClient({ url = '' }: SyncNode, token: string): Promise<void> {
  const client = connect(`${url.replace('://', `://${token}@`)}${USER}/`)
  const [answer] = await client.api([{ method: 'events.get', params: { limit: 3 } }])
  expect(answer?.['events']).toHaveLength(3)
  expect(await client.username()).toBe(USER)
}

it(`converges and loses nothing, ${ROUNDS} times over (seed ${SEED})`, { timeout: 60_000 * ROUNDS }, async () => {
  const next = seeded(SEED)
  const [a, b] = await Promise.all(['a', 'b'].map((name) => syncNode(join(folder(cleanUp), name), cleanUp)))
  if (a === undefined || b === undefined) throw new Error('no nodes')
  const [url] = await Promise.all([a.start(), b.start()])
  const token = await makeAccount(url)
  await createSharedItems(url, token)
  await pair(a, b)
  await expectInSync(b)

  const work = newWork()
  const writers = [newWriter('p', a, token, next), newWriter('q', a, token, next), newWriter('r', b, token, next), newWriter('s', b, token, next)]
  const way = { cut: () => a.line?.cut(), heal: () => a.line?.heal() }
  for (let round = 0; round < ROUNDS; round++) {
    const before = work.ledger.counts.acknowledged
    const meanwhile = (): Promise<void> => useClient(round % 2 === 0 ? b : a, token)
    const { cuts, kills } = await runWithFaults({ nodes: [a, b], writers, work, way, next, turns: 8, pauseMs: 400, meanwhile })
    expect(cuts + kills).toBeGreaterThan(0)
    const { open } = work.ledger.counts
    expect(work.ledger.counts.acknowledged - before).toBeGreaterThan(MIN_ACKNOWLEDGED)
    await expectInSync(b)
    const { items } = await expectConverged([a, b], token, work)
    const summary = { round, cuts, kills, acknowledged: work.ledger.counts.acknowledged - before, open, items: items.size }
    if (process.env['LONG'] === '1') console.log(JSON.stringify(summary))
  }
  await Promise.all([a.stop(), b.stop()])
  for (const { home } of [a, b]) expect((await expectSound(placesOf(home))).checked['users']).toBe(1)
})
