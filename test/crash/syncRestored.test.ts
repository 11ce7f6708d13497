/** Sync of a node restored from an older copy of its home: neither side loses writes newer than the copy. */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, folder } from '../acceptance/support/coffer.js'
import { expectSound } from '../support/store/check.js'
import { placesOf, request } from '../support/nodes/node.js'
import { createSharedItems, readSame } from '../support/sync/finalState.js'
import { expectInSync, makeAccount, pair, syncNode, USER, type SyncNode } from '../support/sync/nodeProcesses.js'
import { BASE, eventItem, pointItem } from '../support/sync/writers.js'

/** Writes before the next sync; the normal run tests the last, most demanding case. */
const CASES = ([
  ['writes nothing before it syncs', 0],
  ['has written less than it had before', 5],
  ['has written more than it had before', 60],
] as const).slice(process.env['LONG'] === '1' ? 0 : -1)

const cleanUp = afterTheFile()
beforeAll(build)

const idOf = (name: string, n: number): string => `c${name}${String(n).padStart(23, '0')}`
const SERIES = idOf('z', 0)
const CHANGED = idOf('y', 0)

/** Returns the first delta time of a name. */
const firstOf = (name: string): number => (name.charCodeAt(0) - 'p'.charCodeAt(0)) * 100

async function call(node: SyncNode, token: string, method: string, path: string, body: unknown): Promise<void> {
  const { status, body: answer } = await request(`${node.url}${USER}/${path}`, { token, method, body })
  expect(status, JSON.stringify(answer)).toBeLessThan(300)
}

/** Writes events, a change and some points that are recognisable by a name. */
async function writeSome(node: SyncNode, token: string, name: string, count: number): Promise<void> {
  const first = firstOf(name)
  const events = Array.from({ length: count }, (_, n) => ({
    method: 'events.create',
    params: { id: idOf(name, n), streamIds: [BASE], type: 'test/text', content: name, time: 1_700_000_000 + first + n },
  }))
  await call(node, token, 'POST', '', events)
  await call(node, token, 'PUT', `events/${CHANGED}`, { content: name })
  const points = Array.from({ length: count }, (_, n) => [first + n, n])
  await call(node, token, 'POST', `events/${SERIES}/series`, { format: 'flatJSON', fields: ['deltaTime', 'value'], points })
}

describe('a node restored from an older copy', () => {
  it.each(CASES)('that %s keeps all newer writes', { timeout: 180_000 }, async (_, more) => {
    const base = folder()
    const [a, b] = [await syncNode(join(base, 'a'), cleanUp), await syncNode(join(base, 'b'), cleanUp)]
    const url = await a.start()
    await b.start()
    const token = await makeAccount(url)
    await createSharedItems(url, token)
    await call(a, token, 'POST', 'events', { id: SERIES, streamIds: [BASE], type: 'series:mass/kg', time: 1_700_000_000 })
    await call(a, token, 'POST', 'events', { id: CHANGED, streamIds: [BASE], type: 'test/text', content: 'first' })
    await pair(a, b)
    await writeSome(a, token, 'p', 10)
    await expectInSync(b)
    await a.stop()
    cpSync(a.home, `${a.home}-copy`, { recursive: true })
    await a.start()
    await writeSome(a, token, 'q', 20)
    await writeSome(b, token, 'r', 20)
    await expectInSync(b)
    a.line?.cut()
    await writeSome(b, token, 's', 20)
    await a.stop()
    rmSync(a.home, { recursive: true })
    cpSync(`${a.home}-copy`, a.home, { recursive: true })
    await a.start()
    if (more > 0) await writeSome(a, token, 't', more)
    a.line?.heal()
    await expectInSync(b)

    const one = await readSame([a, b], token)
    const counts = { p: 10, q: 20, r: 20, s: 20, t: more }
    for (const [name, count] of Object.entries(counts)) {
      for (let n = 0; n < count; n++) {
        expect(one.items.get(eventItem(idOf(name, n)))).toBe(name)
        expect(one.items.get(pointItem(SERIES, firstOf(name) + n))).toBe(String(n))
      }
    }
    // Concurrent changes: either stays, the one unknown to the copy or a later one.
    expect(more > 0 ? ['s', 't'] : ['s']).toContain(one.items.get(eventItem(CHANGED)))
    // Sync continues normally from there.
    await writeSome(a, token, 'u', 5)
    await writeSome(b, token, 'v', 5)
    await expectInSync(b)
    await readSame([a, b], token)
    await Promise.all([a.stop(), b.stop()])
    for (const { home } of [a, b]) await expectSound(placesOf(home))
  })
})
