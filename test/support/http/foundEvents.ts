/** Rows of tables of events.get: what is in the account, what is asked, and the names of what is found. */
import { expect } from 'vitest'
import { fill, namesIn } from '../people/fillAccount.js'
import type { Row, Stage } from './methodTable.js'

type Json = Record<string, unknown>

/** Fields of events by name. */
export type Events = Record<string, Json>

/** The streams of the account; `old` lies in the trash, and `older` below it. */
export const streams = ['heart', 'rate<heart', 'diary', 'old!', 'older<old']
/** An event of the first of them. */
export const heart = { streamIds: ['heart'] }

/** Makes these events among the streams above and answers the parameters of the call. */
export const among =
  (events: Events | (() => Events), query: Json | (() => Json)) =>
  async (s: Stage): Promise<Json> => {
    await fill(s, streams, typeof events === 'function' ? events() : events)
    return typeof query === 'function' ? query() : query
  }

/** The answer holds exactly these events, in this order. */
export const named =
  (...names: string[]): NonNullable<Row['then']> =>
  (result) =>
    expect(namesIn(result)).toEqual(names)

/** Among these events, the query finds those with these names. */
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
