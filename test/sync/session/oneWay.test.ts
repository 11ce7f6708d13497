/** When the two sides of a share that goes one way are in step, although what one of them changed stays with it. */
import { expect, it } from 'vitest'
import type { Direction, Scope } from '../../../src/sync/peers/peer.js'
import { FakeAccount } from './fakeAccount.js'
import { inStep, meet, shows } from './meet.js'

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
  await inStep(meeting)
  b.write('event', 'x', 'of b<one')
  while (held.length === 0) await pause(1)
  // The second knows the state of the first by now, which has yet to hear of its own.
  await pause(60)
  a.write('event', 'y', 'one')
  while (held.length > 0) await pause(1)
  await Promise.all([shows(meeting.a, 'in-step'), shows(meeting.b, 'in-step')])
  expect(b.items.has('ey')).toBe(true)
  expect(a.items.get('ex')?.changes.size).toBe(1)
  await meeting.end()
})
