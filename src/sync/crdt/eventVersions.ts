/**
 * Earlier versions of an event, derived from its changes alone: its state after each change, on the node that made it.
 * Every copy with the same changes has the same versions in the same order (`linearise`), whatever the settings of its
 * node. Versions equal to the current state are omitted: the last change, or those concurrent changes whose state equals
 * the merged one.
 */
import { isDeepStrictEqual } from 'node:util'
import { isCmcStream } from '../../store/model/cmc.js'
import type { Event, EventVersion } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'
import { fieldsToEvent, type Fields } from './fields.js'
import { STAMP, type Operation } from './encodeChange.js'
import { fieldsObjection } from './validate.js'
import { parseChange } from './parseChange.js'
import { linearise, type OrderedChange } from './linearise.js'
import { readOperations } from './readOperations.js'
import { Replay, type ReplayedChange } from './replay.js'

interface EventChange extends OrderedChange, Omit<ReplayedChange, 'operations'> {
  message: string
  bytes: Uint8Array
}

/** Maximum number of derived versions, and of their characters together: the latest that fit. */
export interface VersionBounds {
  count?: number
  size?: number
}

/**
 * Derives the earlier versions of an event, oldest first, from all of its changes in any order. Each version is the whole
 * event, so small changes can yield megabytes: readers that hold versions set bounds. Yields undefined between versions
 * as a point where work can pause. A change in an unknown encoding counts as empty; a version that is no event is
 * skipped.
 * @throws Failure `corrupted-data` when a change is damaged
 */
export function* versionsOf(id: string, changes: readonly Uint8Array[], bounds: VersionBounds = {}): Generator<EventVersion | undefined> {
  if (changes.length < 2) return
  const read: EventChange[] = []
  for (const bytes of changes) {
    read.push(readEventChange(bytes))
    yield undefined
  }
  const ordered = linearise(read)
  const builders = buildersOf(ordered)
  const heads = ordered.filter(({ hash }) => !builders.has(hash)).map(({ hash }) => hash)
  const isCurrent = heads.length < 2 ? () => true : yield* currentAmong(ordered, heads)
  const from = yield* firstWithin(ordered, heads, bounds)
  const replay = new Replay(ordered)
  for (const [at, change] of ordered.entries()) {
    replay.next(replayed(change))
    const version = at < from ? undefined : versionAfter(id, replay.fieldsAt(change.hash), builders.get(change.hash), isCurrent)
    yield version
  }
}

function readEventChange(bytes: Uint8Array): EventChange {
  const { hash, deps, actor, startOp, time, message, bytes: unpacked } = parseChange(bytes)
  const declared = operationsIn(unpacked).find(({ key }) => key === 'modified')?.value
  const modified = typeof declared === 'number' && Number.isFinite(declared) ? declared : time
  return { hash, deps, actor, startOp, modified, message, bytes: unpacked }
}

const operationsIn = (bytes: Uint8Array): Operation[] => readOperations(bytes) ?? []

/** A change with its operations, read on demand: together they are as large as all versions. */
const replayed = (change: EventChange): ReplayedChange => ({ ...change, operations: operationsIn(change.bytes) })

/** Index of the first change whose version lies within the bounds. */
function* firstWithin(ordered: readonly EventChange[], heads: readonly string[], { count, size }: VersionBounds): Generator<undefined, number> {
  const last = ordered.length - (heads.length === 1 ? 1 : 0)
  const first = count === undefined ? 0 : Math.max(0, last - count)
  if (size === undefined) return first
  const sizes: number[] = []
  const replay = new Replay(ordered)
  for (const change of ordered) {
    replay.next(replayed(change))
    sizes.push(replay.sizeAt(change.hash))
    yield undefined
  }
  let from = last
  for (let left = size - (sizes[from - 1] ?? 0); from > first && left >= 0; left -= sizes[from - 1] ?? 0) from -= 1
  return from
}

/** Changes that build on each change. */
function buildersOf(ordered: readonly EventChange[]): Map<string, EventChange[]> {
  const builders = new Map<string, EventChange[]>()
  for (const change of ordered) {
    for (const dep of change.deps) {
      const list = builders.get(dep)
      if (list === undefined) builders.set(dep, [change])
      else list.push(change)
    }
  }
  return builders
}

/** Creates the check that merged heads show the current state of the event. */
function* currentAmong(ordered: readonly EventChange[], heads: readonly string[]): Generator<undefined, (fields: Fields) => boolean> {
  const replay = new Replay(ordered)
  for (const change of ordered) {
    replay.next(replayed(change))
    yield undefined
  }
  const current = replay.merged(heads)
  return (fields) => isDeepStrictEqual(fields, current)
}

/**
 * Returns the version of the event after a change; `builders` are the changes that build on it. Undefined when the fields form no
 * event, or equal the current ones.
 */
function versionAfter(
  id: string,
  fields: Fields,
  builders: readonly EventChange[] | undefined,
  isCurrent: (fields: Fields) => boolean,
): EventVersion | undefined {
  if (builders === undefined && isCurrent(fields)) return undefined
  const event = eventIn(id, fields)
  if (event === undefined) return undefined
  const isStamped = builders?.every(({ message }) => message === STAMP) === true && event.streamIds.some(isCmcStream)
  return { event, isStamped }
}

/** Returns the event with these fields; undefined when they form none. */
function eventIn(id: string, fields: Fields): Event | undefined {
  if (fieldsObjection(fields) !== undefined) return undefined
  try {
    const event = fieldsToEvent(id, fields)
    return event.streamIds.length === 0 ? undefined : event
  } catch (error) {
    if (error instanceof Failure && error.id === 'corrupted-data') return undefined
    throw error
  }
}
