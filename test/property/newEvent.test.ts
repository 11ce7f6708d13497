/** The fast path around the schema of events.create accepts nothing that the schema refuses or changes. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isPlainNewEvent, NewEvent } from '../../src/server/api/events/schema.js'

/** Values of every kind, close to valid ones. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, '', [], {}, [''], ['a', 1], [undefined], 0, -0, -1, Infinity, -Infinity, NaN),
  fc.constantFrom<unknown>('mass/kg', 'series:mass/kg', 'Mass/kg', 'mass/kg\n', 'mass', '/', 'mass/kg/g', ['mass/kg']),
  fc.jsonValue(),
)
const validValues: Record<string, fc.Arbitrary<unknown>> = {
  type: fc.constantFrom('mass/kg', 'note/txt', 'series:mass/kg'),
  streamIds: fc.array(fc.string(), { maxLength: 3 }),
  streamId: fc.string(),
  time: fc.double(),
  duration: fc.double(),
  tags: fc.array(fc.string(), { maxLength: 3 }),
  content: fc.jsonValue(),
  description: fc.string(),
  clientData: fc.dictionary(fc.string(), fc.jsonValue()),
  trashed: fc.boolean(),
  id: fc.constantFrom('cjabcdefghijklmnopqrstuvw', 'x'),
  created: fc.double(),
  ['__proto__']: fc.jsonValue(),
  unknown: fc.jsonValue(),
}
const names = [...Object.keys(validValues), '__proto__']

/** Objects of some members, in any order; mostly valid values, so that both results occur. */
const objects = fc
  .uniqueArray(fc.constantFrom('type', 'streamIds', 'time', 'content', ...names), { maxLength: 6 })
  .chain((keys) =>
    fc.tuple(...keys.map((key) => fc.oneof({ arbitrary: validValues[key] ?? odd, weight: 9 }, { arbitrary: odd, weight: 1 })))
      // fromEntries defines own properties, as JSON.parse does, so __proto__ is an ordinary member.
      .map((values) => Object.fromEntries(keys.map((key, i) => [key, values[i]]))),
  )

it('treats as plain only values that the schema accepts unchanged', () => {
  let plain = 0
  fc.assert(
    fc.property(fc.oneof({ arbitrary: objects, weight: 20 }, { arbitrary: odd, weight: 1 }), (value) => {
      if (!isPlainNewEvent(value)) return
      plain += 1
      const { success, data } = NewEvent.safeParse(value)
      expect(success).toBe(true)
      expect(data).toEqual(value)
      expect(Object.keys(data ?? {}).sort()).toEqual(Object.keys(value).sort())
    }),
    { numRuns: 5000 },
  )
  expect(plain).toBeGreaterThan(100)
})

it.each([
  { streamIds: ['weight'], type: 'mass/kg', content: 72.4 },
  { streamIds: ['a', 'b'], type: 'note/txt', content: 'x', time: 1.5, duration: 0, tags: [], description: '' },
  { type: 'mass/kg' },
  { type: 'mass/kg', id: 'cjabcdefghijklmnopqrstuvw', trashed: false },
])('treats the common forms as plain: %j', (value) => {
  expect(isPlainNewEvent(value)).toBe(true)
})

// Values that the schema refuses or changes, one member each: random values do not cover all of them each time.
it.each<Record<string, unknown>>([
  { type: 'Mass/kg' },
  { type: 'mass/kg\n' },
  { type: 5 },
  { streamIds: [] },
  { streamIds: ['a', 1] },
  { streamIds: 'a' },
  { time: '5' },
  { time: null },
  { time: Infinity },
  { time: NaN },
  { duration: -1 },
  { duration: Infinity },
  { duration: null },
  { tags: [1] },
  { tags: null },
  { description: 5 },
  { clientData: {} },
  { id: 'x' },
  { unknown: 1 },
])('leaves to the schema: %j', (odd) => {
  expect(isPlainNewEvent({ streamIds: ['a'], type: 'mass/kg', ...odd })).toBe(false)
})
