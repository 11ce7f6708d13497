/** The stream that a page changes. */
import type { StreamView } from '../../../../store/model/stream.js'
import { Failure } from '../../../../store/model/failure.js'
import { isPeopleStream } from '../../../../store/model/peopleStreams.js'
import { get } from '../../../api/streams/get.js'
import type { OwnVisit } from '../../page.js'
import { problemOf, type Problem } from '../../problem.js'
import { readAsOwner } from '../../session.js'
import { MAX_STREAM_ID } from './filters.js'
import type { Summaries } from './summaries.js'
import { dataWords } from './words.js'

/** Maximum length of a name that the pages accept. */
export const MAX_NAME = 1000

/** Reads a stream of people with those below it; undefined if there is none with the id. */
export async function streamOf(visit: OwnVisit, id: string): Promise<StreamView | undefined> {
  if (id === '' || id.length > MAX_STREAM_ID || !isPeopleStream(id)) return undefined
  try {
    const { streams } = (await readAsOwner(visit, visit.session, get, { id, state: 'all' })) as { streams: StreamView[] }
    return streams[0]
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-referenced-resource') return undefined
    throw error
  }
}

/** Returns the ids of a stream and all streams below it. */
export function idsWithin(stream: StreamView): Set<string> {
  const ids = new Set<string>()
  const waiting = [stream]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    ids.add(next.id)
    waiting.push(...next.children)
  }
  return ids
}

/** Numbers of a stream and the streams below it. */
export interface Counts {
  events: number
  /** Trashed events; one in several of the streams counts several times. */
  trashed: number
}

/** Returns the numbers of a stream and those below it; undefined while the events of the account are being counted. */
export function countsOf(stream: StreamView, summaries: Summaries | undefined): Counts | undefined {
  if (summaries === undefined) return undefined
  let trashed = 0
  for (const id of idsWithin(stream)) trashed += summaries.get(id)?.trashed ?? 0
  return { events: summaries.get(stream.id)?.total ?? 0, trashed }
}

/** Checks a name that was typed; returns the problem. */
export function problemOfName(visit: OwnVisit, name: string): Problem | undefined {
  const words = dataWords[visit.language]
  if (name === '') return { text: words.nameMissing, field: 'name', status: 400 }
  return [...name].length > MAX_NAME ? { text: words.nameTooLong(MAX_NAME), field: 'name', status: 400 } : undefined
}

/** Converts a failure of a method that changes streams to a problem at a field. */
export function problemOfChange(visit: OwnVisit, error: unknown, field: 'name' | 'parent'): Problem {
  const words = dataWords[visit.language]
  const at = (text: string, status: number): Problem => ({ text, field, status })
  return problemOf(visit, error, {
    'item-already-exists': () => ({ text: words.nameTaken, field, status: 409 }),
    'unknown-referenced-resource': () => at(words.unknownStreamText, 400),
    'invalid-operation': () => at(field === 'parent' ? words.parentRefused : words.parentTrashed, 400),
    forbidden: () => at(words.parentRefused, 403),
  })
}
