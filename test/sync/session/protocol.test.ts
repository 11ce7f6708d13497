/** Protocol between two nodes until they are in sync, over accounts in memory. */
import { expect, it } from 'vitest'
import { FakeAccount } from './fakeAccount.js'
import { inSync, openSessions } from './sessionPair.js'

const fill = (account: FakeAccount, count: number, prefix = account.name): void => {
  for (let i = 0; i < count; i++) account.write('event', `${prefix}${i}`, `c${i}`)
}

it('sends everything to an empty account', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  a.write('stream', 's', 'one')
  fill(a, 3000)
  a.delete('a7', 12.5)
  let back = 0
  const sessions = await openSessions(a, b, {
    tap(frame, from) {
      if (from === 1 && frame[1] === 2) back += 1
      return [frame]
    },
  })
  await inSync(sessions)
  expect(b.shown()).toEqual(a.shown())
  expect(b.outcomes).toMatchObject({ known: 0, incomplete: 0 })
  expect(sessions.b.status()).toMatchObject({ state: 'in-sync', behind: 0 })
  // Changes from a peer are not sent back to it.
  expect(back).toBe(0)
  await sessions.end()
})

it('is in sync at once when nothing changed, with few bytes', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  fill(a, 500)
  const first = await openSessions(a, b)
  await inSync(first)
  await first.end()
  const again = await openSessions(a, b)
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(again.a.status()).toMatchObject({ state: 'in-sync', sent: 0 })
  expect(again.b.status()).toMatchObject({ state: 'in-sync', sent: 0 })
  expect(again.a.status().bytesSent + again.b.status().bytesSent).toBeLessThan(2048)
  await again.end()
})

it('reconciles two accounts that both have items', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  fill(a, 200, 'both')
  fill(b, 200, 'both')
  fill(a, 30)
  fill(b, 40)
  a.write('event', 'both3', 'of a<c3')
  b.write('event', 'both3', 'of b<c3')
  const sessions = await openSessions(a, b)
  await inSync(sessions)
  expect(b.shown()).toEqual(a.shown())
  expect(sessions.a.status()).toMatchObject({ received: 41, sent: 31 })
  await sessions.end()
})

it('sends live changes, in batches while many are written', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  const sessions = await openSessions(a, b)
  await inSync(sessions)
  a.write('event', 'x', 'one')
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(b.shown()).toEqual(a.shown())
  fill(a, 2000)
  fill(b, 1000)
  await inSync(sessions)
  expect(b.shown()).toEqual(a.shown())
  await sessions.end()
})

it('forwards changes over a node in the middle, and in a triangle, each hardly more than once', async () => {
  const [a, b, c] = [new FakeAccount('a'), new FakeAccount('b'), new FakeAccount('c')]
  fill(a, 300)
  const ab = await openSessions(a, b, { peers: [1, 1] })
  const bc = await openSessions(b, c, { peers: [2, 1] })
  await Promise.all([inSync(ab), inSync(bc)])
  await inSync(bc)
  expect(c.shown()).toEqual(a.shown())
  const ca = await openSessions(c, a, { peers: [2, 2] })
  await inSync(ca)
  for (let i = 0; i < 100; i++) {
    a.write('event', `a${i}`, `again<c${i}`)
    b.write('event', `b${i}`, 'new')
    c.write('event', `c${i}`, 'new')
    if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  await Promise.all([inSync(ab), inSync(bc), inSync(ca)])
  await Promise.all([inSync(ab), inSync(bc), inSync(ca)])
  expect(b.shown()).toEqual(a.shown())
  expect(c.shown()).toEqual(a.shown())
  for (const { outcomes, applied } of [a, b, c]) {
    expect(Math.max(...applied.values())).toBe(1)
    expect(outcomes.known).toBeLessThan(200)
  }
  await Promise.all([ab.end(), bc.end(), ca.end()])
})
