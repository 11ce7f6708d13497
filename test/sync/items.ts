/** Arbitrary items, from few ids, so that edits conflict. */
import fc from 'fast-check'
import type { ClientData, Event } from '../../src/store/model/event.js'
import { appProfileId, type Profile } from '../../src/store/model/profile.js'
import type { Stream } from '../../src/store/model/stream.js'
import type { Item } from '../../src/store/engine/changeRecorder.js'

/** Any text, with unpaired surrogates and text that resembles an escape. */
export const anyText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 5 }).map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom('', '\0', '\0"a"', '\ud800', 'é'.repeat(47), 'x'.repeat(400), '__proto__', 'constructor'),
)

const few = (...ids: string[]): fc.Arbitrary<string[]> => fc.shuffledSubarray(ids)
const number = fc.oneof(
  fc.integer({ min: 0, max: 2_000_000_000 }),
  fc.integer({ min: 0, max: 2_000_000_000_000 }).map((ms) => ms / 1000),
  // -0 is 0 in JSON, hence in records.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
)
const author = fc.oneof(fc.constantFrom('ca1', 'ca2 phone'), anyText)
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)

const clientData: fc.Arbitrary<ClientData> = fc
  .uniqueArray(fc.tuple(fc.oneof(fc.constantFrom('app:a', 'app:b', '__proto__'), anyText), json), {
    minLength: 1,
    maxLength: 3,
    selector: ([key]) => key,
  })
  .map((entries) => Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))))

const attachment = (id: string): fc.Arbitrary<NonNullable<Event['attachments']>[number]> =>
  fc.record(
    { id: fc.constant(id), fileName: anyText, type: fc.constant('text/plain'), size: fc.nat(), integrity: anyText },
    { noNullPrototype: true, requiredKeys: ['id', 'fileName', 'type', 'size'] },
  )

const attachments = fc
  .shuffledSubarray(['f1', 'f2', 'f3'], { minLength: 1 })
  .chain((ids) => fc.tuple(...ids.map(attachment)))
  .map((list) => [...list])

const tracked = ['created', 'createdBy', 'modified', 'modifiedBy'] as const
const tracking = { created: number, createdBy: author, modified: number, modifiedBy: author }

const event = (id: string): fc.Arbitrary<Event> =>
  fc.record(
    {
      id: fc.constant(id),
      streamIds: few('heart', 'sleep', 'work', ':_system:email'),
      type: fc.constantFrom('mass/kg', 'note/txt', 'series:mass/kg'),
      content: json,
      time: number,
      duration: fc.oneof(fc.constant(null), number.filter((seconds) => seconds !== 0)),
      tags: fc.oneof(few('a', 'b', 'c', 'd'), fc.uniqueArray(anyText, { maxLength: 3 })),
      description: anyText,
      attachments,
      clientData,
      trashed: fc.constant(true as const),
      ...tracking,
    },
    { noNullPrototype: true, requiredKeys: ['id', 'streamIds', 'type', 'time', 'tags', ...tracked] },
  )

const stream = (id: string): fc.Arbitrary<Stream> =>
  fc.record(
    {
      id: fc.constant(id),
      name: anyText,
      parentId: fc.constantFrom(null, 'heart', 'sleep'),
      childrenHidden: fc.boolean(),
      clientData,
      trashed: fc.constant(true as const),
      ...tracking,
    },
    { noNullPrototype: true, requiredKeys: ['id', 'name', 'parentId', ...tracked] },
  )

const profile = (id: string): fc.Arbitrary<Profile> =>
  fc.record({ id: fc.constant(id), keys: fc.oneof(clientData, fc.constant({})), modified: number }, { noNullPrototype: true })

/** Returns the kind of item for the first letter of an id. */
export const kindOf = (id: string): Item['kind'] =>
  id.startsWith('s') ? 'stream' : id === 'public' || id.startsWith(appProfileId('')) ? 'profile' : 'event'

/** Returns an arbitrary item of the kind of its id. */
export function itemOf(id: string): fc.Arbitrary<Item> {
  const kind = kindOf(id)
  if (kind === 'stream') return stream(id).map((item) => ({ kind, item }))
  if (kind === 'profile') return profile(id).map((item) => ({ kind, item }))
  return event(id).map((item) => ({ kind, item }))
}

/** Returns `before` with some of its members as in `other`, or removed; `picks` selects them in order. */
export function mixed(before: Item, other: Item, picks: readonly boolean[]): Item {
  const from: Record<string, unknown> = { ...before.item }
  const to: Record<string, unknown> = { ...other.item }
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  const members = keys.flatMap((key, i) => {
    const source = (picks[i % picks.length] ?? true) ? to : from
    return key in source ? [[key, source[key]]] : []
  })
  return { kind: before.kind, item: Object.fromEntries(members) } as Item
}
