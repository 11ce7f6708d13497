/** Sync state of both sides of a one-way share, while one of them has changes of its own. */
import { expect, it } from 'vitest'
import type { Direction, Scope } from '../../../src/store/replication/peers.js'
import { FakeAccount } from './fakeAccount.js'
import { inSync, openSessions, waitForState } from './sessionPair.js'

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
const share = (direction: Direction, grantor: 'us' | 'them'): Scope => ({ is: 'share', streams: ['s'], direction, grantor })

/** Kinds of messages, as in their frames. */
const [GROUP, ACKNOWLEDGEMENT, STATE] = [2, 3, 6]

it('both sides are in sync after a change between the comparisons of both', async () => {
  // The first begins comparisons: its epoch is the smaller one.
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  a.write('event', 'x', 'one')
  let compared = false
  let holds = false
  let held: Uint8Array[] = []
  const sessions = await openSessions(a, b, {
    scopes: [share('send', 'us'), share('receive', 'them')],
    tap(frame, from) {
      if (from === 0) return [frame]
      const kind = frame[1]
      // The only message of the second is the end of a comparison.
      if (kind === GROUP) compared = true
      if (kind === STATE && compared && !a.items.has('ey')) holds = true
      if (!holds) return [frame]
      held.push(frame)
      if (kind !== ACKNOWLEDGEMENT) return []
      holds = false
      const all = held
      held = []
      return all
    },
  })
  await inSync(sessions)
  b.write('event', 'x', 'of b<one')
  while (held.length === 0) await pause(1)
  // The second knows the state of the first now, which has not received that of the second yet.
  await pause(60)
  a.write('event', 'y', 'one')
  while (held.length > 0) await pause(1)
  await Promise.all([waitForState(sessions.a, 'in-sync'), waitForState(sessions.b, 'in-sync')])
  expect(b.items.has('ey')).toBe(true)
  expect(a.items.get('ex')?.changes.size).toBe(1)
  await sessions.end()
})

it('a receive-only side advertises withdrawn items that it still has, which are withdrawn again', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  for (const id of ['kept', 'left', 'deleted', 'edited']) a.write('event', id, `one of ${id}`)
  // Never sent to the other, which created it itself.
  a.write('event', 'private', 'one of a')
  const outside = new Set(['private'])
  a.inScope = ({ id }) => !outside.has(id)
  const scopes: [Scope, Scope] = [share('send', 'us'), share('receive', 'them')]
  const first = await openSessions(a, b, { scopes })
  await inSync(first)
  await first.end()
  // The other is restored to before these were withdrawn, and the feed does not repeat it.
  for (const id of ['left', 'deleted']) a.noted.delete(`e${id}`)
  outside.add('left').add('deleted')
  a.delete('deleted', 5)
  b.write('event', 'edited', 'of b<one of edited')
  b.write('event', 'private', 'one of b')
  b.noted.add('eprivate')
  const again = await openSessions(a, b, { scopes })
  await Promise.all([waitForState(again.a, 'in-sync'), waitForState(again.b, 'in-sync')])
  expect([...b.items.keys()].sort()).toEqual(['eedited', 'ekept', 'eprivate'])
  expect(b.items.get('eedited')?.changes.size).toBe(2)
  expect(a.items.get('eedited')?.changes.size).toBe(1)
  expect(a.outcomes.refused).toBe(0)
  await again.end()
})
