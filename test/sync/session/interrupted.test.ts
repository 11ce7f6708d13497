/** Sessions that are cut, repeated, slow, and nodes that come back as they were before. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { FakeAccount } from './fakeAccount.js'
import { inSync, meet } from './meet.js'

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Two accounts with something of everything on both sides. */
function story(isEmpty: boolean): [FakeAccount, FakeAccount] {
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

it.each([true, false])('converge whatever frame the wire is cut after (one side has nothing: %s)', async (isEmpty) => {
  for (let most = 0; ; most++) {
    const [a, b] = story(isEmpty)
    let frames = 0
    const isCut = (): boolean => frames > most
    const meeting = await meet(a, b, {
      tap(frame) {
        frames += 1
        if (isCut()) setImmediate(() => meeting.cut())
        return isCut() ? [] : [frame]
      },
    })
    const done = await Promise.race([inSync(meeting).then(() => true, () => false), meeting.a.ended.then(() => false)])
    if (!done) {
      await Promise.all([meeting.a.ended, meeting.b.ended])
      if (most % 2 === 1) a.restart()
      if (most % 3 === 1) b.restart()
      const again = await meet(a, b)
      await inSync(again)
      await again.end()
    } else await meeting.end()
    expect(b.shown(), `cut after ${most}`).toEqual(a.shown())
    for (const { applied, pendingFetch } of [a, b]) {
      expect(Math.max(1, ...applied.values())).toBe(1)
      expect(pendingFetch.get(1)?.size).toBe(0)
    }
    if (done) break
  }
})

it('do nothing twice when everything was said before', async () => {
  const [a, b] = story(false)
  for (let i = 0; i < 3; i++) {
    // Positions of yesterday.
    a.positions.clear()
    const meeting = await meet(a, b)
    await inSync(meeting)
    await meeting.end()
  }
  for (const { applied } of [a, b]) expect(Math.max(...applied.values())).toBe(1)
})

it('hold no more in memory than a few groups while the other side is slow', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  for (let i = 0; i < 12_000; i++) a.write('event', `a${i}`, `${'x'.repeat(200)}${randomUUID()}`)
  b.slow = 30
  let sent = 0
  let acknowledged = 0
  let most = 0
  const meeting = await meet(a, b, {
    tap(frame, from) {
      if (frame[1] === 2 && from === 0) sent += 1
      if (frame[1] === 3 && from === 1) acknowledged += 1
      most = Math.max(most, sent - acknowledged)
      return [frame]
    },
  })
  await inSync(meeting)
  expect(b.items.size).toBe(12_000)
  expect(most).toBeGreaterThan(2)
  expect(most).toBeLessThanOrEqual(8)
  await meeting.end()
})

it('gather what is written while groups are under way', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  const first = await meet(a, b)
  await inSync(first)
  await first.end()
  b.slow = 10
  let groups = 0
  const meeting = await meet(a, b, {
    tap(frame, from) {
      if (frame[1] === 2 && from === 0) groups += 1
      return [frame]
    },
  })
  await inSync(meeting)
  for (let i = 0; i < 100; i++) {
    a.write('event', `a${i}`, 'one')
    await new Promise((resolve) => setImmediate(resolve))
  }
  await inSync(meeting)
  expect(b.shown()).toEqual(a.shown())
  expect(groups).toBeLessThan(7)
  await meeting.end()
})

it('bring a restored node back to where it was, and lose nothing that it has not had', async () => {
  const [a, b] = story(false)
  const first = await meet(a, b)
  await inSync(first)
  await first.end()
  // The backup: what b was, under another process.
  const restored = new FakeAccount('b')
  for (const [name, item] of b.items) restored.items.set(name, { ...item, changes: new Set(item.changes), reaches: new Map(item.reaches) })
  restored.journal = [...b.journal]
  restored.epochs = b.epochs.map((epoch) => ({ ...epoch }))
  for (const [peer, position] of b.positions) restored.positions.set(peer, position)
  const second = await meet(a, b)
  await inSync(second)
  b.write('event', 'lost', 'by the backup')
  a.write('event', 'after', 'the backup')
  await inSync(second)
  await second.end()
  restored.restart()
  restored.write('event', 'own', 'of the restored')
  const third = await meet(a, restored)
  await inSync(third)
  expect(restored.shown()).toEqual(a.shown())
  expect(Object.keys(restored.shown())).toEqual(expect.arrayContaining(['elost', 'eafter', 'eown']))
  await third.end()
})

it('give up a refused entry, name it to the sender, and say behind, without asking again and again', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  a.write('event', 'x', 'bad')
  a.write('event', 'y', 'good')
  let frames = 0
  const meeting = await meet(a, b, { tap: (frame) => [frame].filter(() => (frames += 1)) })
  expect(await meeting.a.compare()).toBe('behind')
  expect(meeting.a.status()).toMatchObject({ state: 'behind', refusedByPeer: expect.any(Number) as number })
  expect(b.shown()).toHaveProperty('ey')
  const before = frames
  await pause(200)
  expect(frames - before).toBeLessThan(4)
  await meeting.end()
})
