/** Two nodes sync over a slow, fragmented, corrupted or interrupted connection without duplicates. */
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound } from '../../support/store/check.js'
import { openLine, type Line, type LineQuality } from '../../support/sync/badConnection.js'
import { placesOf, request } from '../../support/nodes/node.js'
import { callAt, pairSides, sidesInSync, startSide, type Side } from '../../support/sync/pairedNodes.js'

let here: Side
let there: Side
let line: Line

/** State of a deterministic pseudo-random generator. */
let state = 7
const random = (): number => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0
  return state / 2 ** 32
}

beforeAll(async () => {
  here = await startSide()
  there = await startSide()
  line = await openLine(Number(new URL(there.node.url).port), random)
  await pairSides(here, there, `http://127.0.0.1:${line.port}/`)
  await callAt(here, 'streams.create', { id: 'work', name: 'work' })
})
afterAll(async () => {
  await line.stop()
  for (const { home, node } of [here, there]) {
    await node.stop()
    await expectSound(placesOf(home))
    await rm(home, { recursive: true, force: true })
  }
})

const write = (on: Side, from: number, count: number): Promise<unknown> =>
  request(`${on.node.url}anna1/`, {
    token: on.token,
    body: Array.from({ length: count }, (_, n) => ({
      method: 'events.create',
      params: { streamIds: ['work'], type: 'note/txt', content: `${on === here ? 'here' : 'there'} ${from + n}` },
    })),
  })

const contents = async (on: Side): Promise<string[]> => {
  const { events } = await callAt(on, 'events.get', { streams: ['work'], limit: 10_000 })
  return (events as unknown as { content: string }[]).map(({ content }) => content).sort()
}

let written = 0
async function expectSyncDespite(disturb: () => Promise<void>): Promise<void> {
  await sidesInSync(here, there, 30)
  await Promise.all([write(here, written, 40), write(there, written, 40), disturb()])
  written += 40
  await sidesInSync(here, there, 30)
  const found = await contents(here)
  expect(found).toEqual(await contents(there))
  expect(found).toHaveLength(2 * written)
  expect(new Set(found).size).toBe(found.length)
}

describe('two nodes sync over a connection', () => {
  const bad = (quality: LineQuality) => () =>
    expectSyncDespite(async () => {
      line.quality = quality
      line.cut()
      line.heal()
      await sleep(200)
      if (quality.flipOneIn !== undefined || quality.silent === true) {
        line.quality = {}
        line.cut()
        line.heal()
      }
    }).finally(() => {
      line.quality = {}
    })

  it('that is slow', bad({ delayMs: 20 }))
  it('that delivers single bytes', bad({ most: 1 }))
  it('that delivers fragments of any length', bad({ most: 37, delayMs: 1 }))
  it('that corrupts bytes', bad({ flipOneIn: 300 }))
  it('that is temporarily silent', bad({ silent: true }))
  it('that is interrupted repeatedly', () =>
    expectSyncDespite(async () => {
      for (let n = 0; n < 8; n++) {
        line.cut()
        await sleep(10)
        line.heal()
        await sleep(30)
      }
    }))
})
