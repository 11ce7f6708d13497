/** Memory budget of buffered answers: accounting, dropped clients, waiting and refusals. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAnswerBudget, FREE_BYTES, type AnswerBudget, type Receiver } from '../../../../src/server/call/answers/answerBudget.js'
import { AnswerReader } from '../../../../src/server/call/answers/answerReader.js'

const MB = 1024 * 1024
let budget: AnswerBudget
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  budget = createAnswerBudget(64)
})
afterEach(() => void vi.useRealTimers())

interface Client extends Receiver {
  waiting: number
  isDropped: boolean
}

function client(waiting = 0, speed?: number): Client {
  const one: Client = {
    free: FREE_BYTES,
    held: 0,
    waiting,
    isDropped: false,
    buffered: () => one.waiting,
    speed: () => speed,
    drop: () => void (one.isDropped = true),
  }
  budget.add(one)
  return one
}

const stays = (): boolean => false
const ofFailure = (id: string): object => expect.objectContaining({ id }) as object

it('counts buffered and reserved bytes over the free bytes of each connection', () => {
  for (let n = 0; n < 1000; n++) client(FREE_BYTES)
  expect(budget.used()).toBe(0)
  client(FREE_BYTES + 5).held = 7
  expect(budget.used()).toBe(12)
})

it('does not count a removed receiver', () => {
  const leave = budget.add({ ...client(), buffered: () => 5 * MB })
  expect(budget.used()).toBe(5 * MB - FREE_BYTES)
  leave()
  expect(budget.used()).toBe(0)
})

describe('an answer that exceeds the budget', () => {
  it('drops the slowest clients that use the budget, and no more than necessary', () => {
    const [slow, slower, fast, small] = [client(20 * MB, 9000), client(20 * MB, 0), client(7 * MB, 10 * MB), client(1000, 0)]
    const requester = client()
    expect(budget.hold(requester, 10 * MB, stays)).toBeUndefined()
    expect(requester.held).toBe(10 * MB)
    expect([slow, slower, fast, small].map(({ isDropped }) => isDropped)).toEqual([false, true, false, false])
  })

  it('waits for free budget if no client is slow', async () => {
    const busy = client(48 * MB, 10 * MB)
    const requester = client()
    const waiting = budget.hold(requester, 10 * MB, stays)
    await vi.advanceTimersByTimeAsync(5000)
    expect(requester.held).toBe(0)
    busy.waiting = 0
    await vi.advanceTimersByTimeAsync(100)
    await waiting
    expect(requester.held).toBe(10 * MB)
    expect(busy.isDropped).toBe(false)
  })

  it('is refused after a timeout', async () => {
    client(48 * MB, 10 * MB)
    const refused = expect(budget.hold(client(), 10 * MB, stays)).rejects.toEqual(ofFailure('too-many-requests'))
    await vi.advanceTimersByTimeAsync(11_000)
    await refused
  })

  it('is refused immediately if the queue is full', async () => {
    client(48 * MB, 10 * MB)
    void budget.hold(client(), 10 * MB, stays)?.catch(() => undefined)
    await expect(budget.hold(client(), 10 * MB, stays)).rejects.toEqual(ofFailure('too-many-requests'))
    await vi.advanceTimersByTimeAsync(11_000)
  })

  it('stops waiting when its client disconnects', async () => {
    client(48 * MB, 10 * MB)
    let isGone = false
    const waiting = budget.hold(client(), 10 * MB, () => isGone)
    isGone = true
    await vi.advanceTimersByTimeAsync(100)
    await waiting
  })
})

it('gives a single client answers of any size', () => {
  const requester = client()
  expect(budget.hold(requester, 60 * MB, stays)).toBeUndefined()
  expect(budget.hold(requester, 20 * MB, stays)).toBeUndefined()
})

it('refuses an answer in one piece that is larger than the budget', () => {
  const reader = new AnswerReader(budget, client(), stays)
  expect(reader.hold(60 * MB)).toBeInstanceOf(Promise)
  expect(() => reader.hold(65 * MB)).toThrow(ofFailure('too-many-results') as Error)
})

it('allows four reads at a time, first come first served', async () => {
  const order: number[] = []
  for (let n = 0; n < 4; n++) expect(budget.readBegins()).toBeUndefined()
  const later = [5, 6].map(async (n) => {
    await budget.readBegins()
    order.push(n)
  })
  await vi.advanceTimersByTimeAsync(10)
  expect(order).toEqual([])
  budget.readEnds()
  budget.readEnds()
  await Promise.all(later)
  expect(order).toEqual([5, 6])
})

it('builds two large answers at a time, and another one after a timeout', async () => {
  const ends = [await budget.buildSlot(), await budget.buildSlot()]
  let hasBegun = false
  const third = budget.buildSlot().then((end) => {
    hasBegun = true
    return end
  })
  await vi.advanceTimersByTimeAsync(100)
  expect(hasBegun).toBe(false)
  ends[0]?.()
  const end = await third
  expect(hasBegun).toBe(true)
  const late = budget.buildSlot()
  await vi.advanceTimersByTimeAsync(11_000)
  ;(await late)()
  end()
})
