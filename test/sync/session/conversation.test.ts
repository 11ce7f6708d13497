/** What two nodes say to each other until they are in sync, over accounts in memory. */
import { expect, it } from 'vitest'
import { FakeAccount } from './fakeAccount.js'
import { inSync, meet } from './meet.js'

const fill = (account: FakeAccount, count: number, prefix = account.name): void => {
  for (let i = 0; i < count; i++) account.write('event', `${prefix}${i}`, `c${i}`)
}

it('gives everything to a side that has nothing', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  a.write('stream', 's', 'one')
  fill(a, 3000)
  a.delete('a7', 12.5)
  let back = 0
  const meeting = await meet(a, b, {
    tap(frame, from) {
      if (from === 1 && frame[1] === 2) back += 1
      return [frame]
    },
  })
  await inSync(meeting)
  expect(b.shown()).toEqual(a.shown())
  expect(b.outcomes).toMatchObject({ known: 0, incomplete: 0 })
  expect(meeting.b.status()).toMatchObject({ state: 'in-sync', behind: 0 })
  // What came from a peer is not told back to it.
  expect(back).toBe(0)
  await meeting.end()
})

it('is in sync at once when nothing changed, for few bytes', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  fill(a, 500)
  const first = await meet(a, b)
  await inSync(first)
  await first.end()
  const again = await meet(a, b)
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(again.a.status()).toMatchObject({ state: 'in-sync', sent: 0 })
  expect(again.b.status()).toMatchObject({ state: 'in-sync', sent: 0 })
  expect(again.a.status().bytesSent + again.b.status().bytesSent).toBeLessThan(2048)
  await again.end()
})

it('reconciles two sides that both have items', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  fill(a, 200, 'both')
  fill(b, 200, 'both')
  fill(a, 30)
  fill(b, 40)
  a.write('event', 'both3', 'of a<c3')
  b.write('event', 'both3', 'of b<c3')
  const meeting = await meet(a, b)
  await inSync(meeting)
  expect(b.shown()).toEqual(a.shown())
  expect(meeting.a.status()).toMatchObject({ received: 41, sent: 31 })
  await meeting.end()
})

it('gives on what is written meanwhile, and gathers it while much is written', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  const meeting = await meet(a, b)
  await inSync(meeting)
  a.write('event', 'x', 'one')
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(b.shown()).toEqual(a.shown())
  fill(a, 2000)
  fill(b, 1000)
  await inSync(meeting)
  expect(b.shown()).toEqual(a.shown())
  await meeting.end()
})

it('passes on over a node in the middle, and round a triangle, each change hardly more than once', async () => {
  const [a, b, c] = [new FakeAccount('a'), new FakeAccount('b'), new FakeAccount('c')]
  fill(a, 300)
  const ab = await meet(a, b, { peers: [1, 1] })
  const bc = await meet(b, c, { peers: [2, 1] })
  await Promise.all([inSync(ab), inSync(bc)])
  await inSync(bc)
  expect(c.shown()).toEqual(a.shown())
  const ca = await meet(c, a, { peers: [2, 2] })
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
