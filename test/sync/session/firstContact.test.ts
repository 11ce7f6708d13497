/** What happens while two full accounts find out in what they differ: no event comes before the stream that it lies in. */
import { expect, it } from 'vitest'
import { FakeAccount } from './fakeAccount.js'
import { inSync, meet } from './meet.js'

/** Kinds of messages, as their frames tell them. */
const [REQUEST, RECONCILE] = [4, 5]

const cameTo = ({ journal }: FakeAccount): string[] => journal.map(({ kind, id }) => `${kind} ${id}`)

/** Two accounts that never met, of which the first begins comparisons. */
function two(): [FakeAccount, FakeAccount] {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  a.write('event', 'old', 'one')
  b.write('event', 'own', 'one')
  return [a, b]
}

it('a stream that is changed after it was told of goes before what is put into it', async () => {
  const [a, b] = two()
  a.write('stream', 's', 'one')
  a.places.set('new', ['s'])
  let told = false
  const meeting = await meet(a, b, {
    tap(frame, from) {
      if (from === 0 && frame[1] === RECONCILE && !told) {
        told = true
        // What the other side lacks of what was told is in another state by now.
        a.write('event', 'new', 'one')
        for (let n = 0; n < 600; n++) a.write('event', `more${n}`, 'one')
        a.write('stream', 's', 'two<one')
      }
      return [frame]
    },
  })
  await inSync(meeting)
  expect(b.shown()).toEqual(a.shown())
  expect(cameTo(b).indexOf('event new')).toBeGreaterThan(cameTo(b).indexOf('stream s'))
  await meeting.end()
})

it('a stream goes before an event in it that is asked for while what differs is given', async () => {
  const [a, b] = two()
  // More than goes in one group.
  for (let n = 0; n < 700; n++) a.write('stream', `s${n}`, 'one')
  a.write('event', 'moved', 'one')
  a.places.set('moved', ['s699'])
  b.pendingFetch.set(1, new Map([['emoved', { kind: 'event', id: 'moved' }]]))
  const held: Uint8Array[] = []
  let steps = 0
  const meeting = await meet(a, b, {
    tap(frame, from) {
      if (from === 0) return [frame]
      if (frame[1] === RECONCILE) steps += 1
      // It is asked for when the first knows what differs, by the second answer to it.
      if (frame[1] !== REQUEST || steps >= 2) return steps < 2 ? [frame] : [frame, ...held.splice(0)]
      held.push(frame)
      return []
    },
  })
  await inSync(meeting)
  expect(b.shown()).toEqual(a.shown())
  expect(cameTo(b).indexOf('event moved')).toBeGreaterThan(cameTo(b).indexOf('stream s699'))
  await meeting.end()
})
