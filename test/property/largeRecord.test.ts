/** Large records are parsed as small ones, with large values kept as text. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Event } from '../../src/store/model/event.js'
import { prepareContent } from '../../src/server/call/json/prepareContent.js'
import { encodeEntry } from '../../src/store/engine/journal.js'
import { eventToRecord, recordOf, recordToEvent } from '../../src/store/model/eventRecord.js'
import { eventIntegrity, stableText } from '../../src/store/model/integrity.js'
import { JsonText, plainValue, utf8Text } from '../../src/store/model/jsonText.js'
import { createRecorder } from '../../src/sync/crdt/document.js'
import { runs } from '../support/oracles/runs.js'

/** Values that resemble the members around them, and others. */
const awkward = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('","tags":[]', '\\', '\\"', { tags: [], content: { created: 1 } }, ['],"tags":['], '}', ']', '__proto__') },
)
const key = fc.oneof(fc.string(), fc.constantFrom('tags', 'content', '__proto__', 'a"b', 'created', ''))
/** Makes a value large, with the same content inside. */
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

it('a record of any size is parsed to its event', () => {
  let textCount = 0
  fc.assert(
    fc.property(events, (event) => {
      const record = eventToRecord(event)
      const { streamId: _, ...expected } = JSON.parse(record) as Event & { streamId: string }
      const read = recordToEvent(record)
      if (read.content instanceof JsonText) textCount += 1
      expect(JSON.parse(JSON.stringify(read))).toEqual(expected)
      expect(Object.keys(read)).toEqual(Object.keys(expected))
      // Serialised and hashed again, it is unchanged.
      expect(eventToRecord(read)).toBe(record)
      expect(eventIntegrity(read, 'sha256')).toBe(eventIntegrity(expected, 'sha256'))
      expect(plainValue(read.content)).toEqual(expected.content)
    }),
    { numRuns: runs(50) },
  )
  expect(textCount).toBeGreaterThan(5)
})

it('an event with UTF-8 content has the record, integrity and change of any other event', async () => {
  const recorder = createRecorder({ actor: 'ab'.repeat(16) })
  const node = { config: { get: (name: string) => (name === 'integrity.algorithm' ? 'sha256' : true) }, eventTypes: { knows: () => false, directory: { types: {} } } }
  const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))
  await fc.assert(
    fc.asyncProperty(events, fc.boolean(), async ({ streamId: _, ...event }: Event & { streamId?: string }, isPrepared) => {
      if (event.content === undefined) return
      const [text, stable] = [JSON.stringify(event.content), stableText(event.content)]
      const bytes = utf8(text)
      const content = new JsonText(bytes, stable === text ? bytes : utf8(stable))
      if (isPrepared) await prepareContent(node as never, event.type, content)
      const same = { ...event, content }
      expect(eventIntegrity(same, 'sha256')).toBe(eventIntegrity(event, 'sha256'))
      // Prepared once, it is used for any number of events.
      expect(eventIntegrity({ ...same, modified: 7 }, 'sha256')).toBe(eventIntegrity({ ...event, modified: 7 }, 'sha256'))
      const record = recordOf(same)
      expect(typeof record === 'string' ? record : utf8Text(record)).toBe(eventToRecord(event))
      const change = recorder.created({ kind: 'event', item: event })
      const entry = encodeEntry('event', 'create', event.id, change)
      expect(Buffer.from(encodeEntry('event', 'create', event.id, recorder.created({ kind: 'event', item: same }))).equals(entry)).toBe(true)
      expect(eventToRecord(same)).toBe(eventToRecord(event))
    }),
    { numRuns: 60 },
  )
})
