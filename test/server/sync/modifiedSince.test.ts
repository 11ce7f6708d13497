/** Clients that poll with `modifiedSince` on a node that receives older changes from another node. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

type Json = Record<string, unknown>

let here: Side
let there: Side
beforeAll(async () => {
  here = await startSide()
  there = await startSide()
})
afterAll(() => stopSides(here, there))

const write = async (on: Side, content: string): Promise<Json> =>
  (await callAt(on, 'events.create', { streamIds: ['diary'], type: 'note/txt', content }))['event'] as Json
const change = (on: Side, { id }: Json, content: string): Promise<unknown> => callAt(on, 'events.update', { id, update: { content } })
const remove = async (on: Side, { id }: Json, times: number): Promise<void> => {
  for (let n = 0; n < times; n++) await callAt(on, 'events.delete', { id })
}
/** Returns the changes and deletions since a time. */
async function since(on: Side, time: number, more: Json = {}): Promise<{ events: string[]; deleted: string[] }> {
  const all = { streams: ['diary'], state: 'all', fromTime: -1e12, toTime: 1e12, includeDeletions: true, modifiedSince: time }
  const { events, eventDeletions } = (await callAt(on, 'events.get', { ...all, ...more })) as unknown as Record<string, Json[]>
  return { events: (events ?? []).map(({ id }) => String(id)), deleted: (eventDeletions ?? []).map(({ id }) => String(id)) }
}
async function pause(paused: boolean): Promise<void> {
  // Resumes the called node first, so that the caller does not find it paused.
  for (const { node, account } of [there, here]) {
    const { peers } = node.node.sync
    await peers.change(account, (await peers.named(account, 'other')).number, { paused })
  }
}
/** Waits for longer than the window of repeated changes. */
const waitForWindow = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150))
const ids = (...events: Json[]): string[] => events.map(({ id }) => String(id))
const sorted = ({ events, deleted }: { events: string[]; deleted: string[] }): Json => ({ events: [...events].sort(), deleted })

describe('a client that polls with the time of the last local change', () => {
  let seen: number
  let old: Json
  let changed: Json
  let trashed: Json
  let gone: Json
  let goneBefore: Json
  let own: Json
  beforeAll(async () => {
    await callAt(there, 'streams.create', { id: 'diary', name: 'Diary' })
    ;[changed, trashed, gone] = [await write(there, 'b'), await write(there, 'c'), await write(there, 'd')]
    await pairSides(here, there)
    await sidesInSync(here, there)
    await pause(true)
    // While disconnected: changes on the other node, then on this one.
    await waitForWindow()
    old = await write(there, 'a')
    await change(there, changed, 'bb')
    await remove(there, trashed, 1)
    await remove(there, gone, 2)
    goneBefore = await write(there, 'never seen here')
    await remove(there, goneBefore, 2)
    own = await write(here, 'here')
    seen = Number(own['modified'])
    expect(sorted(await since(here, seen))).toEqual({ events: [], deleted: [] })
    await pause(false)
    await sidesInSync(here, there)
  })

  it('receives earlier changes of the other node once they arrive', async () => {
    const received = await since(here, seen)
    expect([...received.events].sort()).toEqual(ids(old, changed, trashed).sort())
    expect(received.deleted).toEqual(expect.arrayContaining(ids(gone)))
  })

  it('receives them in pages and in both orders', async () => {
    for (const sortAscending of [true, false]) {
      const whole = await since(here, seen, { sortAscending })
      const parts = [await since(here, seen, { sortAscending, limit: 1 }), await since(here, seen, { sortAscending, skip: 1, limit: 100 })]
      expect(parts.flatMap(({ events }) => events)).toEqual(whole.events)
      expect(parts.flatMap(({ deleted }) => deleted)).toEqual(whole.deleted)
    }
  })

  it('receives recent changes again within a short window only', async () => {
    const { modified } = await write(here, 'later')
    await waitForWindow()
    const last = await write(here, 'last')
    expect((await since(here, Number(modified))).events).toContain(last['id'])
    expect(sorted(await since(here, Number(last['modified'])))).toEqual({ events: [], deleted: [] })
  })

  it('receives them after a restart too', async () => {
    await here.node.stop()
    const { startTestNode } = await import('../../support/nodes/node.js')
    here.node = await startTestNode({}, { home: here.home })
    expect((await since(here, seen)).events).toEqual(expect.arrayContaining(ids(old, changed, trashed)))
  })
})
