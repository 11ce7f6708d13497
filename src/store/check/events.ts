/** Checks the entries of events: records, places, indexes, deletions, versions. */
import { accountKeys, ordered, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { Event, EventDeletion, EventRemains } from '../model/event.js'
import { deletionToListing, eventToRecord, recordToEvent } from '../model/eventRecord.js'
import { algorithmIn, eventIntegrity } from '../model/integrity.js'
import { durationBucket } from '../events/eventFilter.js'
import { eventAt, expectValue, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** Splits the end of an event key into time and id. */
function endOf(rest: string): { number: number; id: string } {
  return { number: orderedToNumber(rest), id: rest.slice(ORDERED_LENGTH) }
}

/** Parses the event in a record's entry; reports an invalid one and returns undefined. */
export function readEvent({ findings }: CheckContext, entry: Entry): Event | undefined {
  const { number: time, id } = endOf(entry.rest)
  const where = eventAt(entry.account, id)
  const text = textOf(entry)
  findings.count('events')
  const event = parseEvent(text)
  if (event === undefined) {
    findings.report(where, 'has a record that cannot be read')
    return undefined
  }
  if (event.id !== id || event.time !== time) {
    findings.report(where, `has a record that belongs to event ${event.id} at ${event.time}`)
    return undefined
  }
  // Filters inspect the text of records, so its form matters as much as its content.
  if (eventToRecord(event) !== text) findings.report(where, 'has a record that is not in canonical form')
  return event
}

/** Parses a record; undefined when it is not one. */
export function parseEvent(text: string): Event | undefined {
  try {
    const event = recordToEvent(text)
    return isEvent(event as unknown as Readonly<Record<string, unknown>>) ? event : undefined
  } catch {
    return undefined
  }
}

/** Checks whether a value has the members of every record. */
function isEvent(value: Readonly<Record<string, unknown>>): boolean {
  const { id, streamIds, type, time, tags, created, createdBy, modified, modifiedBy } = value
  const texts = [id, type, createdBy, modifiedBy]
  const numbers = [time, created, modified]
  if (!texts.every((one) => typeof one === 'string') || !numbers.every((one) => typeof one === 'number')) return false
  return [streamIds, tags].every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string'))
}

/** Returns the sequence of the latest journal entry in the text of a place. */
export const sequenceIn = (place: string): number => Number.parseInt(place.slice(ORDERED_LENGTH), 36)

/** Lists the entries expected for the record of an event; `isStream` tests stream ids. */
export function expectedEventEntries(
  { findings }: CheckContext,
  account: string,
  event: Event,
  isStream: (id: string) => boolean,
): ExpectedEntry[] {
  const { id, time, type, duration } = event
  const where = eventAt(account, id)
  const lost = event.streamIds.filter((stream) => !isStream(stream))
  if (event.streamIds.length === 0) findings.report(where, 'is in no stream')
  if (lost.length > 0) findings.report(where, `is in streams that do not exist: ${lost.join(', ')}`)
  checkIntegrity(findings, where, event)
  const demands: ExpectedEntry[] = [
    expectIndex(accountKeys.modified(account, event.modified, id), ordered(time), where, 'entry by modification'),
    {
      key: accountKeys.eventPlace(account, id),
      where,
      determined: ordered(time),
      wrong(place) {
        if (place === undefined) return 'lacks its place'
        if (place.startsWith('{')) return 'has a record although it was deleted'
        return orderedToNumber(place) === time ? undefined : 'has a place with another time'
      },
    },
  ]
  for (const stream of event.streamIds) {
    const key = accountKeys.streamEvent(account, stream, time, id)
    demands.push(expectIndex(key, type, where, `entry in stream ${stream}`))
  }
  if (duration !== undefined) {
    const key = accountKeys.period(account, durationBucket(duration), time, id)
    demands.push(expectIndex(key, '', where, 'entry by duration'))
  }
  return demands
}

/** Expects an index entry of a record, which no other record has. */
const expectIndex = (key: string, value: string, where: string, name: string): ExpectedEntry => ({
  ...expectValue(key, value, where, name),
  determined: value,
})

/** Expects an event record that matches an index entry. */
function expectRecord(
  account: string,
  time: number,
  id: string,
  what: string,
  matches: (event: Event) => boolean,
): ExpectedEntry {
  return {
    key: accountKeys.event(account, time, id),
    where: eventAt(account, id),
    wrong(text) {
      const event = text === undefined ? undefined : parseEvent(text)
      return event === undefined || !matches(event) ? what : undefined
    },
  }
}

/** Expects the event of a stream entry: `<stream>/<time><id>`. */
export function expectedStreamEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('stream entries')
  const slash = entry.rest.indexOf('/')
  const stream = entry.rest.slice(0, slash)
  const { number: time, id } = endOf(entry.rest.slice(slash + 1))
  const type = textOf(entry)
  const matches = (event: Event): boolean => event.streamIds.includes(stream) && event.type === type
  return [expectRecord(entry.account, time, id, `has a stale entry in stream ${stream}`, matches)]
}

/** Expects the event of an entry by duration: `<duration bucket>/<time><id>`. */
export function expectedDurationEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('period entries')
  const slash = entry.rest.indexOf('/')
  const magnitude = entry.rest.slice(0, slash)
  const { number: time, id } = endOf(entry.rest.slice(slash + 1))
  const matches = ({ duration }: Event): boolean => duration !== undefined && durationBucket(duration) === magnitude
  return [expectRecord(entry.account, time, id, 'has a stale entry by duration', matches)]
}

/** Expects the event of an entry by modification: `<modified><id>`. */
export function expectedModifiedEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('modification entries')
  const { number: modified, id } = endOf(entry.rest)
  const matches = (event: Event): boolean => event.modified === modified
  return [expectRecord(entry.account, orderedToNumber(textOf(entry)), id, 'has a stale entry by modification', matches)]
}

/** Expects the record or deletion of the place of an event: `<id>`. */
export function expectedEventKeyEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('places')
  const { account, rest: id } = entry
  const where = eventAt(account, id)
  const text = textOf(entry)
  if (!text.startsWith('{')) {
    return [expectRecord(account, orderedToNumber(text), id, 'lacks the record at its place', () => true)]
  }
  const deletion = deletionIn(text)
  if (deletion?.id !== id) {
    findings.report(where, 'has a deletion that cannot be read')
    return []
  }
  checkIntegrity(findings, where, deletion)
  const listing = accountKeys.eventDeletion(account, deletion.deleted, id)
  return [expectValue(listing, deletionToListing(deletion), where, 'entry among the deletions')]
}

function deletionIn(text: string | undefined): EventDeletion | undefined {
  const value = objectIn(text)
  if (value === undefined) return undefined
  const { id, deleted } = value
  return typeof id === 'string' && typeof deleted === 'number' ? { ...value, id, deleted } : undefined
}

/** Expects the place of a listed deletion: `<deleted><id>`. */
export function expectedDeletionEntries({ db, findings }: CheckContext, { account, rest }: Entry): ExpectedEntry[] {
  findings.count('event deletions')
  const { number: deleted, id } = endOf(rest)
  const wrong = (text: string | undefined): string | undefined =>
    deletionIn(text)?.deleted === deleted ? undefined : 'has a stale entry among the deletions'
  const key = accountKeys.eventPlace(account, id)
  // A listed deletion without a place is repaired to a minimal tombstone.
  const due = db.get(key) === undefined ? { due: JSON.stringify({ id, deleted }) } : {}
  return [{ key, where: eventAt(account, id), wrong, ...due }]
}

/** Checks an earlier version of an event, `<id>/<n>`. */
export function expectedVersionEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('versions')
  const { account, rest } = entry
  const slash = rest.length - ORDERED_LENGTH - 1
  const id = rest.slice(0, slash)
  const n = orderedToNumber(rest, slash + 1)
  const where = `${eventAt(account, id)}, version ${n}`
  const version = objectIn(textOf(entry))
  if (version === undefined || version['id'] !== id) findings.report(where, 'cannot be read')
  else checkIntegrity(findings, where, { ...version, id })
  const present = (what: string) => (text: string | undefined) => (text === undefined ? what : undefined)
  const demands = [{ key: accountKeys.eventPlace(account, id), where, wrong: present('belongs to an unknown event') }]
  if (n > 1) {
    const wrong = present(`has no previous version ${n - 1}`)
    demands.push({ key: accountKeys.version(account, id, n - 1), where, wrong })
  }
  return demands
}

/** Checks the integrity of an event or its tombstone, if it has one. */
function checkIntegrity(findings: CheckContext['findings'], where: string, stored: EventRemains): void {
  if (stored.integrity === undefined) return
  findings.count('event integrity')
  const algorithm = algorithmIn('EVENT', String(stored.integrity))
  if (algorithm === undefined || eventIntegrity(stored, algorithm) !== stored.integrity) {
    findings.report(where, 'does not match its integrity')
  }
}
