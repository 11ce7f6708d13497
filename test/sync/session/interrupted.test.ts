/** Interrupted, repeated and slow sessions, and restored nodes. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { FakeAccount } from './fakeAccount.js'
import { inSync, openSessions } from './sessionPair.js'

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Returns two accounts with items of every kind. */
function twoAccounts(isEmpty: boolean): [FakeAccount, FakeAccount] {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  for (const account of isEmpty ? [a] : [a, b]) {
    const of = account.name
    account.write('stream', `s${of}`, 'one')
    for (let i = 0; i < 20; i++) account.write('event', `${of}${i}`, 'one')
    account.write('event', `${of}3`, 'two<one')
    account.write('event', 'common', of)
    account.delete(`${of}5`, 7)
    account.points(`${of}1`, `p${of}`, 10)
    account.points(`${of}1`, `p${of}`, 20)
  }
  return [a, b]
}

it.each([true, false])('converge after a cut at any frame (one side is empty: %s)', async (isEmpty) => {
  for (let most = 0; ; most++) {
    const [a, b] = twoAccounts(isEmpty)
    let frames = 0
    const isCut = (): boolean => frames > most
    const sessions = await openSessions(a, b, {
      tap(frame) {
        frames += 1
        if (isCut()) setImmediate(() => sessions.cut())
        return isCut() ? [] : [frame]
      },
    })
    const done = await Promise.race([inSync(sessions).then(() => true, () => false), sessions.a.ended.then(() => false)])
    if (!done) {
      await Promise.all([sessions.a.ended, sessions.b.ended])
      if (most % 2 === 1) a.restart()
      if (most % 3 === 1) b.restart()
      const again = await openSessions(a, b)
      await inSync(again)
      await again.end()
    } else await sessions.end()
    expect(b.shown(), `cut after ${most}`).toEqual(a.shown())
    for (const { applied, pendingFetch } of [a, b]) {
      expect(Math.max(1, ...applied.values())).toBe(1)
      expect(pendingFetch.get(1)?.size).toBe(0)
    }
    if (done) break
  }
})

it('apply nothing twice when everything was sent before', async () => {
  const [a, b] = twoAccounts(false)
  for (let i = 0; i < 3; i++) {
    // Positions of an earlier sync.
    a.positions.clear()
    const sessions = await openSessions(a, b)
    await inSync(sessions)
    await sessions.end()
  }
  for (const { applied } of [a, b]) expect(Math.max(...applied.values())).toBe(1)
})

it('buffer no more than a few groups while the peer is slow', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  for (let i = 0; i < 12_000; i++) a.write('event', `a${i}`, `${'x'.repeat(200)}${randomUUID()}`)
  b.slow = 30
  let sent = 0
  let acknowledged = 0
  let most = 0
  const sessions = await openSessions(a, b, {
    tap(frame, from) {
      if (frame[1] === 2 && from === 0) sent += 1
      if (frame[1] === 3 && from === 1) acknowledged += 1
      most = Math.max(most, sent - acknowledged)
      return [frame]
    },
  })
  await inSync(sessions)
  expect(b.items.size).toBe(12_000)
  expect(most).toBeGreaterThan(2)
  expect(most).toBeLessThanOrEqual(8)
  await sessions.end()
})

it('batch changes that are written while groups are in transit', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  const first = await openSessions(a, b)
  await inSync(first)
  await first.end()
  b.slow = 10
  let groups = 0
  const sessions = await openSessions(a, b, {
    tap(frame, from) {
      if (frame[1] === 2 && from === 0) groups += 1
      return [frame]
    },
  })
  await inSync(sessions)
  for (let i = 0; i < 100; i++) {
    a.write('event', `a${i}`, 'one')
    await new Promise((resolve) => setImmediate(resolve))
  }
  await inSync(sessions)
  expect(b.shown()).toEqual(a.shown())
  expect(groups).toBeLessThan(7)
  await sessions.end()
})

it('resync a restored node, without loss of its new changes', async () => {
  const [a, b] = twoAccounts(false)
  const first = await openSessions(a, b)
  await inSync(first)
  await first.end()
  // The backup: the former content of b, in another process.
  const restored = new FakeAccount('b')
  for (const [name, item] of b.items) restored.items.set(name, { ...item, changes: new Set(item.changes), reaches: new Map(item.reaches) })
  restored.journal = [...b.journal]
  restored.epochs = b.epochs.map((epoch) => ({ ...epoch }))
  for (const [peer, position] of b.positions) restored.positions.set(peer, position)
  const second = await openSessions(a, b)
  await inSync(second)
  b.write('event', 'lost', 'by the backup')
  a.write('event', 'after', 'the backup')
  await inSync(second)
  await second.end()
  restored.restart()
  restored.write('event', 'own', 'of the restored')
  const third = await openSessions(a, restored)
  await inSync(third)
  expect(restored.shown()).toEqual(a.shown())
  expect(Object.keys(restored.shown())).toEqual(expect.arrayContaining(['elost', 'eafter', 'eown']))
  await third.end()
})

it('skip a refused entry, report it to the sender, and stay behind, without repeated requests', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  a.write('event', 'x', 'bad')
  a.write('event', 'y', 'good')
  let frames = 0
  const sessions = await openSessions(a, b, { tap: (frame) => [frame].filter(() => (frames += 1)) })
  expect(await sessions.a.compare()).toBe('behind')
  expect(sessions.a.status()).toMatchObject({ state: 'behind', refusedByPeer: expect.any(Number) as number })
  expect(b.shown()).toHaveProperty('ey')
  const before = frames
  await pause(200)
  expect(frames - before).toBeLessThan(4)
  await sessions.end()
})
