/** Rows of tables of events.get: the content of the account, the query, and the names of the events found. */
import { expect } from 'vitest'
import { fill, namesIn } from '../people/fillAccount.js'
import type { Row, Stage } from './methodTable.js'

type Json = Record<string, unknown>

/** Fields of events by name. */
export type Events = Record<string, Json>

/** Streams of the account; `old` is in the trash, and `older` below it. */
export const streams = ['heart', 'rate<heart', 'diary', 'old!', 'older<old']
/** Streams of an event in the first of them. */
export const heart = { streamIds: ['heart'] }

/** Creates these events in the streams above and returns the parameters of the call. */
export const among =
  (events: Events | (() => Events), query: Json | (() => Json)) =>
  async (s: Stage): Promise<Json> => {
    await fill(s, streams, typeof events === 'function' ? events() : events)
    return typeof query === 'function' ? query() : query
  }

/** Expects exactly these events in the result, in this order. */
export const named =
  (...names: string[]): NonNullable<Row['then']> =>
  (result) =>
    expect(namesIn(result)).toEqual(names)

/** Returns a row: among these events, the query finds those with these names. */
export const finds = (
  it: string,
  events: Events | (() => Events),
  query: Json | (() => Json),
  ...names: string[]
): Row => ({
  it,
  given: among(events, query),
  gives: 200,
  then: named(...names),
})
