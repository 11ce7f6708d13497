/** Compares the indexes of an account's events with its records. */
import { expect } from 'vitest'
import { each, type Database } from '../../../src/store/engine/database.js'
import { accountKeys, ordered, under } from '../../../src/store/engine/keys.js'
import type { Event } from '../../../src/store/model/event.js'

/** Returns every key and value under a prefix. */
async function entriesUnder(db: Database, prefix: string): Promise<[string, string][]> {
  const entries: [string, string][] = []
  for await (const entry of each(db.entries(under(prefix)))) entries.push(entry)
  return entries
}

/** Returns the smallest power of two, of at least -20, that is not below a duration. */
function classOf(duration: number | null): string {
  if (duration === null) return 'run'
  let n = -20
  while (2 ** n < duration) n++
  return String(n + 100)
}

/**
 * Compares places, stream index, modification index, period index and list of deletions with the records; returns the live
 * events. `expected` are the ids of live and deleted events.
 */
export async function expectIndexes(
  db: Database,
  a: string,
  expected?: { live: string[]; deleted: string[] },
): Promise<Event[]> {
  const records = await entriesUnder(db, accountKeys.events(a))
  const events = records.map(([key, record]) => {
    const event = JSON.parse(record) as Event
    expect(key).toBe(accountKeys.event(a, event.time, event.id))
    return event
  })
  const places = await entriesUnder(db, accountKeys.eventPlaces(a))
  const deletions = places.filter(([, place]) => place.startsWith('{')).map(([, text]) => JSON.parse(text) as Deletion)
  const idOf = (key: string): string => key.slice(accountKeys.eventPlaces(a).length)
  const live = places.filter(([, place]) => !place.startsWith('{'))
  expect(live.map(([key, place]) => [idOf(key), place.slice(0, 11)]).sort()).toEqual(
    events.map(({ id, time }) => [id, ordered(time)]).sort(),
  )
  if (expected !== undefined) {
    expect(events.map(({ id }) => id).sort()).toEqual([...expected.live].sort())
    expect(deletions.map(({ id }) => id).sort()).toEqual([...expected.deleted].sort())
  }
  const streams = events.flatMap(({ id, time, type, streamIds }) =>
    streamIds.map((stream) => [accountKeys.streamEvent(a, stream, time, id), type]),
  )
  const modified = events.map(({ id, time, modified }) => [accountKeys.modified(a, modified, id), ordered(time)])
  const periods = events.flatMap(({ id, time, duration }) =>
    duration === undefined ? [] : [[accountKeys.period(a, classOf(duration), time, id), '']],
  )
  const listed = deletions.map(({ id, deleted, integrity }) => [
    accountKeys.eventDeletion(a, deleted, id),
    JSON.stringify({ id, deleted, integrity }),
  ])
  expect(await entriesUnder(db, `${a}/s/`)).toEqual(streams.sort())
  expect(await entriesUnder(db, accountKeys.modifieds(a))).toEqual(modified.sort())
  expect(await entriesUnder(db, accountKeys.periods(a))).toEqual(periods.sort())
  expect(await entriesUnder(db, accountKeys.eventDeletions(a))).toEqual(listed.sort())
  const docStateKeys = (await entriesUnder(db, accountKeys.docState(a, 'e'))).map(([key]) => key)
  for (const { id } of deletions) expect(docStateKeys).not.toContain(accountKeys.docState(a, `e${id}`))
  return events
}

interface Deletion {
  id: string
  deleted: number
  integrity?: string
}
