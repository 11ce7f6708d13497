/** Sessions between stores on disk. `COUNT=100000` measures a first sync of so many events. */
import { afterAll, expect, it } from 'vitest'
import { findRecord } from '../../../src/store/events/events.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { typicalEvents } from '../wire/typical.js'
import { inSync } from './sessionPair.js'
import { pair, realNode, withStream, type RealNode } from './realNodes.js'

const nodes: RealNode[] = []
afterAll(async () => {
  for (const node of nodes) await node.stop()
})

async function newNode(name: string): Promise<RealNode> {
  const node = await realNode(name)
  nodes.push(node)
  return node
}

const COUNT = Number(process.env['COUNT'] ?? 2000)
const shownOf = ({ store, account }: RealNode, ids: readonly string[]): (string | undefined)[] =>
  ids.map((id) => findRecord(store.db, account.prefix, id))

it('sync a new node, live too, and detect at once that both are in sync when they connect again', async () => {
  const [a, b] = [await newNode('a'), await newNode('b')]
  const { events, ids } = typicalEvents(COUNT, 7)
  await withStream(a, 'heart-rate')
  for (let at = 0; at < COUNT; at += 1000) await a.write(events.slice(at, at + 1000))
  const pairing = pair(a, b)
  await Promise.all([a.states.of(a.account), b.states.of(b.account)])
  const cpu = process.cpuUsage()
  const began = performance.now()
  const first = await pairing.connect()
  await inSync(first)
  const seconds = (performance.now() - began) / 1000
  const { bytesSent, bytesReceived } = first.a.status()
  const { user, system } = process.cpuUsage(cpu)
  if (COUNT > 2000) console.log({ cpuSeconds: (user + system) / 1e6, seconds, eventsPerSecond: COUNT / seconds, bytesEach: (bytesSent + bytesReceived) / COUNT })
  expect(shownOf(b, ids)).toEqual(shownOf(a, ids))
  expect((bytesSent + bytesReceived) / COUNT).toBeLessThan(120)

  const live = typicalEvents(40, 8).events
  const took: number[] = []
  for (const event of live) {
    const at = performance.now()
    await a.write([event])
    while (findRecord(b.store.db, b.account.prefix, event.id) === undefined) await new Promise(setImmediate)
    took.push(performance.now() - at)
  }
  took.sort((x, y) => x - y)
  if (COUNT > 2000) console.log({ liveMedianMs: took[20], live90: took[36] })
  await b.write(typicalEvents(20, 9).events)
  await inSync(first)
  await first.end()
  expect(JSON.parse(b.store.db.get(accountKeys.peerPosition(b.account.prefix, 1)) ?? '')).toMatchObject({ sequence: a.account.sequence })

  const beganAgain = performance.now()
  const again = await pairing.connect()
  while (again.a.status().state !== 'in-sync' || again.b.status().state !== 'in-sync') await new Promise(setImmediate)
  const milliseconds = performance.now() - beganAgain
  const bytes = again.a.status().bytesSent + again.b.status().bytesSent
  if (COUNT > 2000) console.log({ reconnectMs: milliseconds, reconnectBytes: bytes })
  expect(bytes).toBeLessThan(2048)
  expect(await again.a.compare({ deep: true })).toBe('in-sync')
  await again.end()
})

it('forward changes over a node in the middle and reconcile concurrent writes', async () => {
  const [a, b, c] = [await newNode('a'), await newNode('b'), await newNode('c')]
  await withStream(a, 'heart-rate')
  const of = [a, b, c].map((_, i) => typicalEvents(60, 20 + i))
  await a.write(of[0]?.events ?? [])
  const [ab, bc, ca] = [pair(a, b), pair(b, c), pair(c, a)]
  const [one, two] = [await ab.connect(), await bc.connect()]
  await inSync(one)
  await inSync(two)
  const ids = of.flatMap((some) => some.ids)
  expect(shownOf(c, ids)).toEqual(shownOf(a, ids))
  await c.write(of[2]?.events ?? [])
  await b.write(of[1]?.events ?? [])
  const three = await ca.connect()
  for (const sessions of [one, two, three, one, two]) await inSync(sessions)
  for (const node of [b, c]) expect(shownOf(node, ids)).toEqual(shownOf(a, ids))
  expect(shownOf(a, ids)).not.toContain(undefined)
  for (const sessions of [one, two, three]) await sessions.end()
})
