/**
 * Items at and beyond the limits of the protocol: none ends a session, each one beyond is reported on both nodes, all others
 * arrive. `LONG=1` continues for LIMITS_MINUTES with new seeds.
 */
import { afterAll, afterEach, expect, it } from 'vitest'
import { findEvent, removeEvent } from '../../../src/store/events/events.js'
import { findProfile, putProfile } from '../../../src/store/accounts/profiles.js'
import { MAX_ENTRY_BYTES } from '../../../src/sync/wire/limits.js'
import { countAside } from '../../../src/sync/session/accountAside.js'
import { seeded } from '../../store/leveldb/fixtures.js'
import { allCases, limitsRun } from './limitsRun.js'
import { inSync } from './sessionPair.js'
import { pair, realNode, withStream, type RealNode } from './realNodes.js'

const nodes: RealNode[] = []
const stop = async (): Promise<void> => {
  for (const node of nodes.splice(0)) await node.stop()
}
afterEach(stop)
afterAll(stop)

async function two(): Promise<[RealNode, RealNode]> {
  const [a, b] = [await realNode('a'), await realNode('b')]
  nodes.push(a, b)
  await withStream(a, 'home')
  return [a, b]
}

it.each([true, false])('arrive except those beyond a limit, which are reported (written before the first contact: %s)', async (isFirst) => {
  const [a, b] = await two()
  await limitsRun(a, b, allCases(seeded(isFirst ? 1 : 2)), isFirst)
})

it('are transferred again once they are within the limits', async () => {
  const [a, b] = await two()
  const large = allCases(seeded(3)).find(({ what }) => what === 'content beyond')
  if (large === undefined) throw new Error('There is no such case.')
  const sessions = await pair(a, b).connect()
  await large.write(a)
  await inSync(sessions)
  expect([countAside(a.account, 1), countAside(b.account, 1)]).toEqual([1, 1])
  await a.account.write((t) => {
    const event = findEvent(t, t.account, large.id)
    if (event !== undefined) removeEvent(t, a.store.recorder, event, 5, 'keep-nothing', (deletion) => deletion)
  })
  await inSync(sessions)
  expect([countAside(a.account, 1), countAside(b.account, 1)]).toEqual([0, 0])
  await sessions.end()
})

it('apply to each key of a profile set, which is transferred again once its value is smaller', async () => {
  const [a, b] = await two()
  const sessions = await pair(a, b).connect()
  const set = (keys: Record<string, unknown>, modified: number): Promise<void> =>
    a.account.write((t) => putProfile(t, findProfile(t, t.account, 'private'), { id: 'private', keys, modified }))
  const keysOnB = (): unknown => findProfile(b.account.db, b.account.prefix, 'private')?.profile.keys
  await set({ a: 1 }, 1)
  await set({ a: 2, large: 'x'.repeat(MAX_ENTRY_BYTES + 1) }, 2)
  await inSync(sessions)
  expect([countAside(a.account, 1), countAside(b.account, 1)]).toEqual([1, 1])
  // A change of another key does not hide that it is missing.
  await set({ a: 3, large: 'x'.repeat(MAX_ENTRY_BYTES + 1) }, 3)
  await inSync(sessions)
  expect([countAside(a.account, 1), countAside(b.account, 1)]).toEqual([1, 1])
  await set({ a: 4, large: 'small' }, 4)
  await inSync(sessions)
  expect([countAside(a.account, 1), countAside(b.account, 1), keysOnB()]).toEqual([0, 0, { a: 4, large: 'small' }])
  await sessions.end()
})

const minutes = process.env['LONG'] === '1' ? Number(process.env['LIMITS_MINUTES'] ?? 10) : 0
it.runIf(minutes > 0)('apply for the duration of the long run', { timeout: (minutes + 5) * 60_000 }, async () => {
  const ends = Date.now() + minutes * 60_000
  for (let seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000); Date.now() < ends; seed++) {
    console.log(`SEED=${seed}`)
    const draw = seeded(seed)
    const [a, b] = await two()
    const cases = allCases(draw).sort(() => draw(3) - 1)
    // A stream comes before its events.
    cases.sort((x, y) => Number(x.kind !== 'stream') - Number(y.kind !== 'stream') || Number(x.what === 'below a long id') - Number(y.what === 'below a long id'))
    await limitsRun(a, b, cases, draw(2) === 0)
    await stop()
  }
})
