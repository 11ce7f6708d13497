/** First reconciliation of two full accounts: no event arrives before its stream. */
import { expect, it } from 'vitest'
import { FakeAccount } from './fakeAccount.js'
import { inSync, openSessions } from './sessionPair.js'

/** Kinds of messages, as in their frames. */
const [REQUEST, RECONCILE] = [4, 5]

const arrivalsIn = ({ journal }: FakeAccount): string[] => journal.map(({ kind, id }) => `${kind} ${id}`)

/** Returns two accounts without earlier contact, of which the first begins comparisons. */
function two(): [FakeAccount, FakeAccount] {
  const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
  a.write('event', 'old', 'one')
  b.write('event', 'own', 'one')
  return [a, b]
}

it('sends a stream that changes during the comparison before an event in it', async () => {
  const [a, b] = two()
  a.write('stream', 's', 'one')
  a.places.set('new', ['s'])
  let isAdvertised = false
  const sessions = await openSessions(a, b, {
    tap(frame, from) {
      if (from === 0 && frame[1] === RECONCILE && !isAdvertised) {
        isAdvertised = true
        // The stream has another state now than when the comparison advertised it.
        a.write('event', 'new', 'one')
        for (let n = 0; n < 600; n++) a.write('event', `more${n}`, 'one')
        a.write('stream', 's', 'two<one')
      }
      return [frame]
    },
  })
  await inSync(sessions)
  expect(b.shown()).toEqual(a.shown())
  expect(arrivalsIn(b).indexOf('event new')).toBeGreaterThan(arrivalsIn(b).indexOf('stream s'))
  await sessions.end()
})

it('sends a stream before an event in it that is requested during the transfer of differences', async () => {
  const [a, b] = two()
  // More streams than one group contains.
  for (let n = 0; n < 700; n++) a.write('stream', `s${n}`, 'one')
  a.write('event', 'moved', 'one')
  a.places.set('moved', ['s699'])
  b.pendingFetch.set(1, new Map([['emoved', { kind: 'event', id: 'moved' }]]))
  const held: Uint8Array[] = []
  let steps = 0
  const sessions = await openSessions(a, b, {
    tap(frame, from) {
      if (from === 0) return [frame]
      if (frame[1] === RECONCILE) steps += 1
      // The request arrives when the first account knows the differences, with the second answer.
      if (frame[1] !== REQUEST || steps >= 2) return steps < 2 ? [frame] : [frame, ...held.splice(0)]
      held.push(frame)
      return []
    },
  })
  await inSync(sessions)
  expect(b.shown()).toEqual(a.shown())
  expect(arrivalsIn(b).indexOf('event moved')).toBeGreaterThan(arrivalsIn(b).indexOf('stream s699'))
  await sessions.end()
})
