/** Naive events.summary, by loops over all events of events.get (docs/interface/events.md#summaries). */
import { expect } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import type { Event } from '../../../src/store/model/event.js'

export interface SummaryQuery {
  fromTime?: number
  toTime?: number
  streams?: string[] | { any: string[]; not?: string[] }[]
  points?: number
  edges?: number[]
  [restriction: string]: unknown
}

type Answer = Record<string, unknown> | string

interface Value {
  streamId: string | undefined
  type: string
  field: string
  event: Event
  value: number | undefined
}

interface Naive {
  fromTime?: number
  toTime?: number
  count: number
  groups: unknown[]
  periods: unknown[]
}

const FAR = Number.MAX_VALUE

/** Computes a summary from the events of events.get; returns the failure of events.get. */
export async function naiveSummary(getEvents: (params: unknown) => Promise<Answer>, query: SummaryQuery, account: Account, now: number): Promise<Naive | string> {
  const { points = 500, edges, ...rest } = query
  const fromTime = query.fromTime ?? edges?.[0]
  const toTime = query.toTime ?? edges?.at(-1)
  const window = fromTime === undefined && toTime === undefined ? {} : { fromTime: fromTime ?? -FAR, toTime: toTime ?? FAR }
  const answer = await getEvents({ ...rest, ...window, sortAscending: true, limit: 100_000 })
  if (typeof answer === 'string') return answer
  const events = answer['events'] as Event[]
  const from = fromTime ?? events.reduce<number | undefined>((first, { time }) => Math.min(first ?? time, time), undefined) ?? toTime
  const to = toTime ?? events.reduce<number | undefined>((last, { time }) => Math.max(last ?? time, time), undefined) ?? from
  const begin = from ?? 0
  const end = toTime ?? Math.max(begin, to ?? 0)
  const count = end > begin ? points : 1
  const bounds = edges ?? Array.from({ length: count + 1 }, (_, at) => (at === count ? end : begin + (end - begin) * (at / count)))
  const streamsOf = await streamSelection(getEvents, query, account)
  const values = events.flatMap((event) => streamsOf(event).flatMap((streamId) => valuesOf(event).map(([field, value]) => ({ streamId, type: event.type, field, event, value }))))
  const bucketOf = (time: number): number => {
    const last = bounds.length - 2
    if (edges === undefined && time >= begin && time === end) return last
    return bounds.findIndex((bound, at) => at <= last && time >= bound && time < (bounds[at + 1] ?? 0))
  }
  const gap = edges === undefined ? (end - begin) / count : ((edges.at(-1) ?? 0) - (edges[0] ?? 0)) / (edges.length - 1)
  return {
    ...(from === undefined ? {} : { fromTime: begin, toTime: end }),
    count: events.length,
    groups: groupsOf(values).map((group) => figuresOf(group, bucketOf)),
    periods: periodsOf(values, gap, now),
  }
}

/** Returns the function that selects the streams of an event: the named ones of a query that names several, else the first that matches. */
async function streamSelection(getEvents: (params: unknown) => Promise<Answer>, { streams, ...restrictions }: SummaryQuery, account: Account): Promise<(event: Event) => (string | undefined)[]> {
  const state = restrictions['state'] ?? 'default'
  const queries = streams === undefined ? [{ any: ['*'] }] : streams.some((one) => typeof one === 'string') ? [{ any: streams as string[] }] : (streams as { any: string[]; not?: string[] }[])
  const [query = { any: [] }] = queries
  const idOf = (text: string): string => text.replace('!', '')
  const names = [...new Set(query.any.map(idOf))].filter((id) => id !== '*')
  const readable = new Map<string, boolean>()
  const isReadable = async (id: string): Promise<boolean> => typeof (await getEvents({ streams: [`${id}!`], limit: 1 })) !== 'string'
  for (const { id } of account.tree.all()) readable.set(id, await isReadable(id))
  const isSearched = (id: string): boolean => account.tree.has(id) && (state !== 'default' || account.tree.isVisible(id))
  const excluded = (id: string, member: string): boolean =>
    (query.not ?? []).some((text) => (text.endsWith('!') ? idOf(text) === id : isSearched(text) && account.tree.isUnder(id, text) && (member === '*' || !account.tree.isUnder(member, text))) && id !== member)
  const covers = (text: string, id: string): boolean => {
    if (!isSearched(id) || readable.get(id) !== true) return false
    if (text === '*') return !excluded(id, '*')
    if (text.endsWith('!')) return id === idOf(text)
    return account.tree.isUnder(id, text) && !excluded(id, text)
  }
  return ({ streamIds }) => {
    const covered = streamIds.filter((id) => query.any.some((text) => covers(text, id)))
    if (names.length < 2) return [covered[0] ?? (streamIds[0]?.startsWith(':') === true ? streamIds[0] : undefined)]
    return names.filter((name) => query.any.some((text) => idOf(text) === name && covered.some((id) => covers(text, id))))
  }
}

function valuesOf({ type, content }: Event): [string, number | undefined][] {
  if (typeof content === 'number' || typeof content === 'boolean') return [['', type.startsWith('encrypted/') ? undefined : Number(content)]]
  if (typeof content !== 'object' || content === null || Array.isArray(content) || type.startsWith('encrypted/')) return [['', undefined]]
  const found = Object.entries(content).filter(([field, value]) => field !== '' && (typeof value === 'number' || typeof value === 'boolean'))
  return found.length === 0 ? [['', undefined]] : found.map(([field, value]) => [field, Number(value)])
}

const keyOf = ({ streamId, type, field }: Value): string => `${streamId ?? ''}\n${type}\n${field}`

function groupsOf(values: readonly Value[]): Value[][] {
  const groups = new Map<string, Value[]>()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return [...groups].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1)).map(([, group]) => group)
}

const numbersOf = (group: readonly Value[]): number[] => group.flatMap(({ value }) => (value === undefined ? [] : [value]))
const meanOf = (numbers: readonly number[]): unknown => (numbers.length === 0 ? null : (expect.closeTo(numbers.reduce((sum, value) => sum + value, 0) / numbers.length, 6) as unknown))

function figuresOf(group: Value[], bucketOf: (time: number) => number): unknown {
  const [first] = group
  const last = group.at(-1)
  const numbers = numbersOf(group)
  const filled = new Map<number, Value[]>()
  for (const value of group) {
    const bucket = bucketOf(value.event.time)
    if (bucket >= 0) filled.set(bucket, [...(filled.get(bucket) ?? []), value])
  }
  const buckets = [...filled].map(([index, values]) => ({ index, values, numbers: numbersOf(values) }))
  const extreme = (of: (...values: number[]) => number): (number | null)[] => buckets.map((bucket) => (bucket.numbers.length === 0 ? null : of(...bucket.numbers)))
  return {
    ...(first?.streamId === undefined ? {} : { streamId: first.streamId }),
    type: first?.type,
    field: first?.field,
    count: group.length,
    ...(numbers.length === 0 ? {} : { min: Math.min(...numbers), max: Math.max(...numbers), mean: meanOf(numbers) }),
    last: { id: last?.event.id, time: last?.event.time, ...(last?.value === undefined ? {} : { value: last.value }) },
    buckets: {
      index: buckets.map(({ index }) => index),
      count: buckets.map(({ values }) => values.length),
      ...(numbers.length === 0 ? {} : { min: extreme(Math.min), max: extreme(Math.max), mean: buckets.map((bucket) => meanOf(bucket.numbers)) }),
    },
  }
}

function periodsOf(values: readonly Value[], gap: number, now: number): unknown[] {
  const kinds = new Map<string, { streamId?: string; type: string; from: number; to: number; count: number }[]>()
  const seen = new Set<string>()
  for (const { streamId, type, event } of values) {
    const key = `${streamId ?? ''}\n${type}`
    const { id, time, duration } = event
    if (duration === undefined || duration === 0 || seen.has(`${key}\n${id}`)) continue
    seen.add(`${key}\n${id}`)
    const to = duration === null ? Math.max(time, now) : time + duration
    const periods = kinds.get(key) ?? []
    kinds.set(key, periods)
    const open = periods.at(-1)
    if (open !== undefined && (time <= open.to || time - open.to < gap)) {
      open.to = Math.max(open.to, to)
      open.count += 1
    } else periods.push({ ...(streamId === undefined ? {} : { streamId }), type, from: time, to, count: 1 })
  }
  const order = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)
  return [...kinds].sort(order).flatMap(([, periods]) => periods).sort((a, b) => a.from - b.from || (`${a.streamId ?? ''}\n${a.type}` < `${b.streamId ?? ''}\n${b.type}` ? -1 : 1))
}
