/** When the two sides of a share that goes one way are in sync, although what one of them changed stays with it. */
import { expect, it } from 'vitest'
import type { Direction, Scope } from '../../../src/store/replication/peers.js'
import { FakeAccount } from './fakeAccount.js'
import { inSync, meet, shows } from './meet.js'

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
const share = (direction: Direction, grantor: 'us' | 'them'): Scope => ({ is: 'share', streams: ['s'], direction, grantor })

/** Kinds of messages, as their frames tell them. */
const [GROUP, ACKNOWLEDGEMENT, STATE] = [2, 3, 6]

it('both are, when something came after one of them had judged and before the other did', async () => {
  // The first begins comparisons: its epoch is the smaller one.
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  a.write('event', 'x', 'one')
  let compared = false
  let holds = false
  let held: Uint8Array[] = []
  const meeting = await meet(a, b, {
    scopes: [share('send', 'us'), share('receive', 'them')],
    tap(frame, from) {
      if (from === 0) return [frame]
      const kind = frame[1]
      // What the second gives is nothing but the end of a comparison.
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
  await inSync(meeting)
  b.write('event', 'x', 'of b<one')
  while (held.length === 0) await pause(1)
  // The second knows the state of the first by now, which has yet to hear of its own.
  await pause(60)
  a.write('event', 'y', 'one')
  while (held.length > 0) await pause(1)
  await Promise.all([shows(meeting.a, 'in-sync'), shows(meeting.b, 'in-sync')])
  expect(b.items.has('ey')).toBe(true)
  expect(a.items.get('ex')?.changes.size).toBe(1)
  await meeting.end()
})

it('what left the share is taken back from a side that has it still, and shows it, since it gives nothing', async () => {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  for (const id of ['kept', 'left', 'deleted', 'edited']) a.write('event', id, `one of ${id}`)
  // Never given to the other, which made it itself.
  a.write('event', 'private', 'one of a')
  const outside = new Set(['private'])
  a.inScope = ({ id }) => !outside.has(id)
  const scopes: [Scope, Scope] = [share('send', 'us'), share('receive', 'them')]
  const first = await meet(a, b, { scopes })
  await inSync(first)
  await first.end()
  // The other is as it was before these left, and nothing tells it again.
  for (const id of ['left', 'deleted']) a.noted.delete(`e${id}`)
  outside.add('left').add('deleted')
  a.delete('deleted', 5)
  b.write('event', 'edited', 'of b<one of edited')
  b.write('event', 'private', 'one of b')
  b.noted.add('eprivate')
  const again = await meet(a, b, { scopes })
  await Promise.all([shows(again.a, 'in-sync'), shows(again.b, 'in-sync')])
  expect([...b.items.keys()].sort()).toEqual(['eedited', 'ekept', 'eprivate'])
  expect(b.items.get('eedited')?.changes.size).toBe(2)
  expect(a.items.get('eedited')?.changes.size).toBe(1)
  expect(a.outcomes.refused).toBe(0)
  await again.end()
})
