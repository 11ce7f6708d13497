/** Large records are read as small ones are, with large values left as the text that they have. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Event } from '../../src/store/model/event.js'
import { eventToRecord, recordToEvent } from '../../src/store/model/eventRecord.js'
import { eventIntegrity } from '../../src/store/model/integrity.js'
import { JsonText, plainValue } from '../../src/store/model/jsonText.js'

/** Values that look like the members around them, and others. */
const awkward = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('","tags":[]', '\\', '\\"', { tags: [], content: { created: 1 } }, ['],"tags":['], '}', ']', '__proto__') },
)
const key = fc.oneof(fc.string(), fc.constantFrom('tags', 'content', '__proto__', 'a"b', 'created', ''))
/** Makes a value large without changing what it looks like. */
const large = (value: unknown): unknown => ({ value, filling: Array.from({ length: 12_000 }, (_, i) => `"${i}\\`) })

const events: fc.Arbitrary<Event> = fc
  .record(
    {
      content: fc.option(awkward, { nil: undefined }),
      isLarge: fc.boolean(),
      description: fc.option(fc.string(), { nil: undefined }),
      keys: fc.array(fc.tuple(key, awkward, fc.boolean()), { maxLength: 4 }),
      tags: fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }),
      fileName: fc.option(fc.constantFrom('a.txt', ',"content":', '"tags":['), { nil: undefined }),
      duration: fc.option(fc.constantFrom(null, 3), { nil: undefined }),
    },
  )
  .map(({ content, isLarge, description, keys, tags, fileName, duration }) => {
    const entries = keys.map(([name, value, grows]) => [name, grows ? large(value) : value] as const)
    const value = isLarge ? large(content) : content
    return {
      id: 'e1',
      streamIds: ['a', 'b'],
      type: 'test/free',
      time: 1,
      ...(duration === undefined ? {} : { duration }),
      ...(fileName === undefined ? {} : { attachments: [{ id: 'f', fileName, type: 'a/b', size: 1 }] }),
      ...(value === undefined || value === null ? {} : { content: value }),
      tags,
      ...(description === undefined ? {} : { description }),
      ...(entries.length === 0 ? {} : { clientData: Object.fromEntries(entries) }),
      created: 1,
      createdBy: 'x',
      modified: 2,
      modifiedBy: 'y',
      integrity: 'EVENT:0:sha256-x',
    } as Event
  })

it('a record of any size gives back its event', () => {
  let kept = 0
  fc.assert(
    fc.property(events, (event) => {
      const record = eventToRecord(event)
      const { streamId: _, ...expected } = JSON.parse(record) as Event & { streamId: string }
      const read = recordToEvent(record)
      if (read.content instanceof JsonText) kept += 1
      expect(JSON.parse(JSON.stringify(read))).toEqual(expected)
      expect(Object.keys(read)).toEqual(Object.keys(expected))
      // Written again, and hashed, it is what it was.
      expect(eventToRecord(read)).toBe(record)
      expect(eventIntegrity(read, 'sha256')).toBe(eventIntegrity(expected, 'sha256'))
      expect(plainValue(read.content)).toEqual(expected.content)
    }),
    { numRuns: 100 },
  )
  expect(kept).toBeGreaterThan(5)
})
