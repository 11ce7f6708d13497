/** Random calls, with the result that the naive evaluator expects of each, and its changes to the model. */
import { expect } from 'vitest'
import type { Grant } from '../support/oracles/naivePermissions.js'
import { pick, type Next } from './oddJson.js'
import { flattened, type Model, type ModelEvent, type State, type View } from './permissionModel.js'
import { isExact, isFound, randomStreams, refusedQuery, type Query } from './permissionQuery.js'

export interface Verdict {
  /** Undefined where the specification leaves it open, or a rule besides permissions decides. */
  expected: 'done' | 'refused' | undefined
  why: string
}

export interface CheckedCall {
  method: string
  params: unknown
  verdict(grant: Grant, model: Model): Verdict
  /** Checks the response of a successful call, and applies its changes to the model. */
  apply(body: Record<string, unknown>, grant: Grant, model: Model): { shown: number; accepted: number }
}

const done = (why: string): Verdict => ({ expected: 'done', why })
const refused = (why: string): Verdict => ({ expected: 'refused', why })
const open = (why: string): Verdict => ({ expected: undefined, why })
const when = (allowed: boolean, why: string): Verdict =>
  allowed ? done(`${why} is allowed`) : refused(`${why} is not allowed`)

const SHOWN = { shown: 1, accepted: 0 }
const ACCEPTED = { shown: 0, accepted: 1 }
const STATES: readonly State[] = ['default', 'default', 'all', 'trashed']

/** Returns a random call; `turn` makes the names of new streams unique. */
export function randomCall(next: Next, model: Model, seed: number, turn: number): CheckedCall {
  const streams = [...model.streams.keys()]
  const events = [...model.events.keys()]
  const event = (): string => pick(next, next(15) === 0 ? ['cneverwasthereneverwasth', ...model.gone] : events)
  const stream = (): string => (next(25) === 0 ? 'never-made' : pick(next, streams))
  const fresh = `n${seed}-${turn}-${next(1e6)}`
  const calls: (() => CheckedCall)[] = [
    () => getEvents(pick(next, STATES), undefined),
    () => getEvents(pick(next, STATES), randomStreams(next, streams)),
    () => getOne(next(10) === 0 ? pick(next, [':_system:language', ':system:email']) : event()),
    () => getOne(event()),
    () => createEvent([...new Set(Array.from({ length: 1 + next(3) }, stream))], `kept-${fresh}`, next),
    () => (next(4) === 0 ? createField() : createEvent([stream()], `kept-${fresh}`, next)),
    () => updateEvent(event(), { content: `kept-${fresh}`, ...(next(3) === 0 ? { trashed: false } : {}) }),
    () => moveEvent(event(), [...new Set(Array.from({ length: 1 + next(3) }, stream))]),
    () => deleteEvent(event()),
    () => getStreams(next(2) === 0 ? 'default' : 'all'),
    () => getStream(next(2) === 0 ? 'id' : 'parentId', next(10) === 0 ? ':_system:account' : stream()),
    () => createStream(fresh, next(3) === 0 ? null : stream()),
    () => updateStream(stream(), next(3) === 0 ? { trashed: false } : { name: fresh }),
    () => moveStream(stream(), next(4) === 0 ? null : stream()),
    () => (next(3) === 0 ? deleteStream(stream(), next(2) === 0) : getEvents('all', undefined)),
  ]
  return pick(next, calls)()
}

const eventIn = (body: Record<string, unknown>): { id: string; streamIds: string[] } =>
  body['event'] as { id: string; streamIds: string[] }

function getEvents(state: State, queries: Query[] | undefined): CheckedCall {
  const params = { state, limit: 10000, ...(queries === undefined ? {} : { streams: asSent(queries) }) }
  return {
    method: 'events.get',
    params,
    verdict: (grant, model) =>
      queries === undefined ? done('a call without streams') : (refusedQuery(queries, grant, model) ?? done('the query')),
    apply(body, grant, model) {
      const found = (body['events'] as { id: string; streamIds: string[] }[]).map(({ id }) => id)
      const own = found.filter((id) => !id.startsWith(':'))
      const ofAccount = found.filter((id) => id.startsWith(':'))
      for (const id of ofAccount) {
        expect(model.mayEvent(grant, 'find', { streamIds: [id] }) && state !== 'trashed', `shows ${id}`).toBe(true)
      }
      if (queries === undefined && state !== 'trashed') {
        for (const id of [':_system:language', ':system:email']) {
          const isMeant = model.mayEvent(grant, 'find', { streamIds: [id] })
          expect(ofAccount.includes(id), `${isMeant ? 'hides' : 'shows'} ${id}`).toBe(isMeant)
        }
      }
      const meant = [...model.events].filter(([, event]) => isFound(event, state, queries, grant, model))
      const ids = meant.map(([id]) => id)
      if (queries === undefined || isExact(queries, state, model)) expect([...own].sort()).toEqual(ids.sort())
      else {
        for (const id of own) {
          const event = model.events.get(id)
          expect(event !== undefined && model.mayEvent(grant, 'find', event), `shows ${id}`).toBe(true)
        }
      }
      return { shown: found.length, accepted: 0 }
    },
  }
}

/** Returns plain ids where a query has nothing else. */
function asSent(queries: readonly Query[]): unknown {
  const [only] = queries
  return only?.isPlain === true ? only.any : queries.map(({ any, all, not }) => ({ any, all, not }))
}

function getOne(id: string): CheckedCall {
  return {
    method: 'events.getOne',
    params: { id },
    verdict(grant, model) {
      if (model.gone.has(id)) return open('a deleted event')
      const event = id.startsWith(':') ? { streamIds: [id] } : model.events.get(id)
      return event === undefined ? refused('an unknown event') : when(model.mayEvent(grant, 'getOne', event), 'reading it')
    },
    apply(body, _grant, model) {
      if (model.gone.has(id)) {
        expect(Object.keys(eventIn(body)).sort()).toEqual(['deleted', 'id', 'integrity'])
        return { shown: 0, accepted: 0 }
      }
      expect(eventIn(body).id).toBe(id)
      return SHOWN
    },
  }
}

function createEvent(streamIds: string[], content: string, next: Next): CheckedCall {
  const tags = next(3) === 0 ? [pick(next, ['t', 'u'])] : []
  return {
    method: 'events.create',
    params: { streamIds, type: 'note/txt', content, tags },
    verdict(grant, model) {
      if (!streamIds.every((id) => model.streams.has(id) && model.isVisible(id))) return refused('an unusable stream')
      return when(model.mayEvent(grant, 'create', { streamIds, tags }), 'creating it')
    },
    apply(body, _grant, model) {
      model.events.set(eventIn(body).id, { streamIds, tags, trashed: false })
      return ACCEPTED
    },
  }
}

function createField(): CheckedCall {
  const streamIds = [':_system:language']
  return {
    method: 'events.create',
    params: { streamIds, type: 'language/iso-639-1', content: 'fr' },
    verdict: (grant, model) => when(model.mayEvent(grant, 'create', { streamIds }), 'setting the language'),
    apply: () => ACCEPTED,
  }
}

/** Updates the event without moving it. */
function updateEvent(id: string, update: { content: string; trashed?: boolean }): CheckedCall {
  return {
    method: 'events.update',
    params: { id, update },
    verdict(grant, model) {
      const event = model.events.get(id)
      return event === undefined ? refused('an unknown event') : when(model.mayEvent(grant, 'change', event), 'changing it')
    },
    apply(body, _grant, model) {
      expect(eventIn(body).id).toBe(id)
      const event = model.events.get(id)
      if (event !== undefined && update.trashed === false) event.trashed = false
      return ACCEPTED
    },
  }
}

function moveEvent(id: string, streamIds: string[]): CheckedCall {
  const judgeMove = (event: ModelEvent, grant: Grant, model: Model): Verdict => {
    const added = streamIds.filter((stream) => !event.streamIds.includes(stream))
    const removed = event.streamIds.filter((stream) => !streamIds.includes(stream))
    if (!model.mayEvent(grant, 'change', event)) return refused('changing it is not allowed')
    if (!added.every((stream) => model.streams.has(stream) && model.isVisible(stream))) return refused('an unusable stream')
    const moves = [...added, ...removed].every((stream) => model.mayStream(grant, 'change', stream))
    // The specification does not say which streams of an event its tags open.
    return !moves ? open('moving by tags') : when(moves, `moving it from ${removed} to ${added}`)
  }
  return {
    method: 'events.update',
    params: { id, update: { streamIds } },
    verdict(grant, model) {
      const event = model.events.get(id)
      return event === undefined ? refused('an unknown event') : judgeMove(event, grant, model)
    },
    apply(body, _grant, model) {
      expect(eventIn(body)).toMatchObject({ id, streamIds })
      const event = model.events.get(id)
      if (event !== undefined) event.streamIds = streamIds
      return ACCEPTED
    },
  }
}

function deleteEvent(id: string): CheckedCall {
  return {
    method: 'events.delete',
    params: { id },
    verdict(grant, model) {
      const event = model.events.get(id)
      return event === undefined ? refused('an unknown event') : when(model.mayEvent(grant, 'change', event), 'deleting it')
    },
    apply(body, _grant, model) {
      const event = model.events.get(id)
      expect('eventDeletion' in body).toBe(event?.trashed)
      if (event?.trashed === true) {
        model.events.delete(id)
        model.gone.add(id)
      } else if (event !== undefined) event.trashed = true
      return ACCEPTED
    },
  }
}

/** Expects views to contain the listable streams, and no parent that is not listable. */
function expectListable(views: readonly View[], grant: Grant, model: Model): void {
  for (const { id, parentId } of flattened(views)) {
    const isOwnAudit = id === `:_audit:access-${grant.accessId}`
    expect(model.mayStream(grant, 'list', id), `lists ${id}`).toBe(true)
    if (parentId === null || isOwnAudit) continue
    expect(model.mayStream(grant, 'list', parentId), `${id} names its parent ${parentId}`).toBe(true)
  }
}

function getStreams(state: 'default' | 'all'): CheckedCall {
  return {
    method: 'streams.get',
    params: { state },
    verdict: () => done('listing'),
    apply(body, grant, model) {
      const views = body['streams'] as View[]
      expectListable(views, grant, model)
      const shown = [...new Set(flattened(views).map(({ id }) => id))].filter((id) => !id.startsWith(':'))
      const isShown = (id: string): boolean =>
        model.mayStream(grant, 'list', id) && (state === 'all' || model.isVisible(id))
      expect(shown.sort()).toEqual([...model.streams.keys()].filter(isShown).sort())
      return { shown: shown.length, accepted: 0 }
    },
  }
}

function getStream(by: 'id' | 'parentId', id: string): CheckedCall {
  return {
    method: 'streams.get',
    params: { [by]: id, state: 'all' },
    verdict(grant, model) {
      if (!model.streams.has(id) && !id.startsWith(':')) return refused('an unknown stream')
      return when(model.mayStream(grant, 'list', id), 'listing it')
    },
    apply(body, grant, model) {
      const views = body['streams'] as View[]
      expectListable(views, grant, model)
      if (id.startsWith(':')) return SHOWN
      const shown = flattened(views).map((view) => view.id)
      // Descendants of a stream that may not be listed are omitted with it.
      const isShown = (one: string): boolean => {
        const line = model.line(one)
        const between = line.slice(0, line.indexOf(id) + 1)
        return line.includes(id) && between.every((step) => model.mayStream(grant, 'list', step))
      }
      const meant = [...model.streams.keys()].filter((one) => isShown(one) && (by === 'id' || one !== id))
      expect(shown.sort()).toEqual(meant.sort())
      return { shown: shown.length, accepted: 0 }
    },
  }
}

/** Returns the verdict of a parent for a stream below it. */
function judgeParent(parentId: string | null, grant: Grant, model: Model): Verdict {
  if (parentId === null) return when(model.mayStream(grant, 'manage', '*'), 'a root stream')
  if (!model.streams.has(parentId) || !model.isVisible(parentId)) return refused('an unusable parent')
  return when(model.mayStream(grant, 'manage', parentId), `managing ${parentId}`)
}

function createStream(id: string, parentId: string | null): CheckedCall {
  return {
    method: 'streams.create',
    params: { id, name: id, parentId },
    verdict: (grant, model) => judgeParent(parentId, grant, model),
    apply(_body, _grant, model) {
      model.streams.set(id, { parentId, trashed: false })
      return ACCEPTED
    },
  }
}

function judgeStream(id: string, grant: Grant, model: Model): Verdict {
  if (!model.streams.has(id)) return refused('an unknown stream')
  return when(model.mayStream(grant, 'manage', id), `managing ${id}`)
}

function updateStream(id: string, update: { name?: string; trashed?: boolean }): CheckedCall {
  return {
    method: 'streams.update',
    params: { id, update },
    verdict: (grant, model) => judgeStream(id, grant, model),
    apply(_body, _grant, model) {
      const stream = model.streams.get(id)
      if (stream !== undefined && update.trashed === false) stream.trashed = false
      return ACCEPTED
    },
  }
}

function moveStream(id: string, parentId: string | null): CheckedCall {
  return {
    method: 'streams.update',
    params: { id, update: { parentId } },
    verdict(grant, model) {
      const ofStream = judgeStream(id, grant, model)
      if (ofStream.expected === 'refused') return ofStream
      const ofParent = judgeParent(parentId, grant, model)
      // A move to its own place: the specification does not say whether it checks the parent.
      if (model.streams.get(id)?.parentId === parentId) return ofParent.expected === 'done' ? ofParent : open('no move')
      if (parentId !== null && model.line(parentId).includes(id)) return refused('below itself')
      return ofParent
    },
    apply(_body, _grant, model) {
      const stream = model.streams.get(id)
      if (stream !== undefined) stream.parentId = parentId
      return ACCEPTED
    },
  }
}

function deleteStream(id: string, mergeEventsWithParent: boolean): CheckedCall {
  return {
    method: 'streams.delete',
    params: { id, mergeEventsWithParent },
    verdict(grant, model) {
      const verdict = judgeStream(id, grant, model)
      const stream = model.streams.get(id)
      const isRootMerge = stream?.trashed === true && stream.parentId === null && mergeEventsWithParent
      const below = [...model.streams.keys()].filter((one) => model.line(one).includes(id))
      const isClosedBelow = below.some((one) => judgeStream(one, grant, model).expected === 'refused')
      if (stream?.trashed === true && isClosedBelow) return refused('a stream below is not to be managed')
      return verdict.expected === 'done' && isRootMerge ? refused('merging with no parent') : verdict
    },
    apply(body, _grant, model) {
      const stream = model.streams.get(id)
      if (stream === undefined) return ACCEPTED
      expect('streamDeletion' in body).toBe(stream.trashed)
      if (stream.trashed) removeStream(model, id, mergeEventsWithParent ? stream.parentId : null)
      else stream.trashed = true
      return ACCEPTED
    },
  }
}

/**
 * Removes a stream with its descendants. Its events move to `target`, or lose the streams, and are deleted with the last one.
 */
function removeStream(model: Model, id: string, target: string | null): void {
  const doomed = new Set([...model.streams.keys()].filter((one) => model.line(one).includes(id)))
  for (const [eventId, event] of model.events) {
    if (!event.streamIds.some((one) => doomed.has(one))) continue
    event.streamIds = event.streamIds.filter((one) => !doomed.has(one))
    if (target !== null && !event.streamIds.includes(target)) event.streamIds.push(target)
    if (event.streamIds.length > 0) continue
    model.events.delete(eventId)
    model.gone.add(eventId)
  }
  for (const one of doomed) model.streams.delete(one)
}
