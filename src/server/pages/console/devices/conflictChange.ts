/** Changes that put another version of a conflicting field into effect: ordinary updates of the item. */
import { createHash } from 'node:crypto'
import { update as updateEvent } from '../../../api/events/update.js'
import { update as updateStream } from '../../../api/streams/update.js'
import { callAsOwner } from '../../session.js'
import type { ConsoleVisit } from '../consolePage.js'
import type { Conflict } from './deviceData.js'

type ConflictField = Conflict['fields'][number]

/** Fields of the same name in updates, by kind of item. */
const TAKEABLE: Readonly<Record<string, readonly string[]>> = {
  event: ['content', 'type', 'time', 'duration', 'description', 'trashed'],
  stream: ['name', 'parentId', 'trashed'],
}
const CLIENT_DATA = 'c:'

/** Checks whether a version of a field can be put into effect by an update. */
export const isTakeable = ({ kind }: Pick<Conflict, 'kind'>, { field }: ConflictField): boolean =>
  TAKEABLE[kind] !== undefined && (TAKEABLE[kind].includes(field) || field.startsWith(CLIENT_DATA))

/**
 * Returns the fields of a conflict to show. A type that was set together with a content is part of its version; the
 * others of both then are in the same order.
 */
export function shownFields({ fields }: Conflict): { field: ConflictField; types?: readonly unknown[] }[] {
  const content = fields.find(({ field }) => field === 'content')
  const type = fields.find(({ field }) => field === 'type')
  if (content === undefined || type?.others.length !== content.others.length) return fields.map((field) => ({ field }))
  return fields.filter((field) => field !== type).map((field) => (field === content ? { field, types: [type.shown, ...type.others] } : { field }))
}

/** Returns a short text that differs once the values of a field have changed. */
export const markOf = ({ field, shown, others }: ConflictField): string =>
  createHash('sha256').update(JSON.stringify([field, shown, others])).digest('base64url').slice(0, 22)

/**
 * Puts another version of a field into effect.
 * @param at index among the other versions
 * @throws Failure of events.update and streams.update
 */
export async function takeVersion(visit: ConsoleVisit, conflict: Conflict, shown: ReturnType<typeof shownFields>[number], at: number): Promise<void> {
  const { kind, id } = conflict
  const { field, types } = shown
  const value = field.others[at]
  const change = field.field.startsWith(CLIENT_DATA)
    ? { clientData: { [field.field.slice(CLIENT_DATA.length)]: value } }
    : { [field.field]: value, ...(types === undefined ? {} : { type: types[at + 1] }) }
  if (kind === 'event') await callAsOwner(visit, visit.session, updateEvent, { id, update: change })
  else await callAsOwner(visit, visit.session, updateStream, { id, update: change })
}
