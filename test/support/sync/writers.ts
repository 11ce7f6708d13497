/** Clients that write to paired nodes, each to one node and on items of its own, and record every step in a ledger. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ABSENT, type Ledger, type Step } from '../../crash/ledger.js'
import { eventPart, filePart, MULTIPART, multipartBody, sha256 } from '../http/multipart.js'
import { request } from '../nodes/node.js'
import { USER, type SyncNode } from './nodeProcesses.js'

/** Id of the stream that all clients share, and ids of the events in it that all change. */
export const BASE = 'base'
export const COMMON = Array.from({ length: 4 }, (_, n) => `ccommon${String(n).padStart(18, '0')}`)

export const eventItem = (id: string): string => `event ${id}`
export const streamItem = (id: string): string => `stream ${id}`
export const fileItem = (id: string): string => `file of ${id}`
export const pointItem = (id: string, deltaTime: number): string => `point ${deltaTime} of ${id}`
export const DELETED = 'deleted'
/** State of an event that holds a series. */
export const SERIES = 'series'

export interface Writer {
  /** Letter that its ids begin with. */
  name: string
  node: SyncNode
  token: string
  /** Returns a random whole number below a limit. */
  next(limit: number): number
  made: number
  events: { id: string; stream: string; items: string[] }[]
  streams: string[]
  series: { id: string; points: number }[]
}

/** Shared state of the writers of a test. */
export interface Work {
  ledger: Ledger
  /** Requested contents of common events. */
  common: Map<string, Set<string>>
  /** Calls that a node refused. */
  refused: string[]
  isOver: boolean
}

const FAR = 1_700_000_000

export const newWriter = (name: string, node: SyncNode, token: string, next: (limit: number) => number): Writer => ({
  ...{ name, node, token, next, made: 0, events: [], streams: [], series: [] },
})

/** Writes until the work is over; waits while its node is stopped. Items of interrupted calls are not used again. */
export async function write(writer: Writer, work: Work): Promise<void> {
  while (!work.isOver) {
    const { url } = writer.node
    if (url === undefined) await sleep(10)
    else {
      try {
        await performStep({ writer, work, url })
      } catch (error) {
        if (error instanceof Refused) work.refused.push(error.message)
        // Any stream may contain an event of unknown state, and would delete it too.
        writer.streams = []
      }
    }
  }
}

class Refused extends Error {}

interface Turn {
  writer: Writer
  work: Work
  url: string
}

async function performStep(turn: Turn): Promise<void> {
  const dice = turn.writer.next(100)
  if (dice < 22) await createEvent(turn)
  else if (dice < 30) await createMany(turn)
  else if (dice < 45) await changeEvent(turn)
  else if (dice < 53) await deleteEvent(turn)
  else if (dice < 60) await createStream(turn)
  else if (dice < 64) await renameStream(turn)
  else if (dice < 68) await deleteStream(turn)
  else if (dice < 80) await attach(turn)
  else if (dice < 92) await addPoints(turn)
  else await changeCommon(turn)
}

/** Calls the node and records the step. Throws when the node is gone, or `Refused`. */
async function step({ writer, work, url }: Turn, what: Step, method: string, path: string, body?: unknown): Promise<void> {
  work.ledger.requested(what)
  const answer = await request(`${url}${USER}/${path}`, { method, token: writer.token, ...(body === undefined ? {} : { body }) })
  if (answer.status >= 300) throw new Refused(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  work.ledger.acknowledged(what)
}

function pick<T>({ next }: Writer, from: readonly T[]): T | undefined {
  return from.length === 0 ? undefined : from[next(from.length)]
}

const numbered = (writer: Writer): string => `${writer.name}${(writer.made += 1)}`
const eventId = (writer: Writer): string => `c${writer.name}${String((writer.made += 1)).padStart(23, '0')}`

interface NewEvent {
  body: Record<string, unknown>
  what: Step
  event: Writer['events'][number]
}

function newEvent(writer: Writer, type = 'test/text', content: string | null = 'v1'): NewEvent {
  const id = eventId(writer)
  const stream = writer.next(3) === 0 ? (pick(writer, writer.streams) ?? BASE) : BASE
  const time = FAR + writer.next(1_000_000)
  const body = { id, streamIds: [stream], type, time, ...(content === null ? {} : { content }) }
  return { body, what: new Map([[eventItem(id), content ?? SERIES]]), event: { id, stream, items: [eventItem(id)] } }
}

async function createEvent(turn: Turn): Promise<void> {
  const { body, what, event } = newEvent(turn.writer)
  await step(turn, what, 'POST', 'events', body)
  turn.writer.events.push(event)
}

/** Creates events in a batch: each of its calls is a step of its own. */
async function createMany({ writer, work, url }: Turn): Promise<void> {
  const news = Array.from({ length: 5 }, () => newEvent(writer))
  for (const { what } of news) work.ledger.requested(what)
  const body = news.map((one) => ({ method: 'events.create', params: one.body }))
  const answer = await request(`${url}${USER}`, { token: writer.token, body })
  const results = answer.body['results']
  if (!Array.isArray(results)) throw new Refused(JSON.stringify(answer.body))
  for (const [i, { what, event }] of news.entries()) {
    if (!('event' in (results[i] as object))) throw new Refused(JSON.stringify(results[i]))
    work.ledger.acknowledged(what)
    writer.events.push(event)
  }
}

/** Removes an event from the writer: an interrupted call leaves it in an unknown state. */
function take(writer: Writer): Writer['events'][number] | undefined {
  const event = pick(writer, writer.events)
  if (event !== undefined) writer.events.splice(writer.events.indexOf(event), 1)
  return event
}

async function changeEvent(turn: Turn): Promise<void> {
  const event = take(turn.writer)
  if (event === undefined) return
  const content = `v${turn.writer.next(1_000_000)}`
  const more = turn.writer.next(2) === 0 ? {} : { time: FAR - turn.writer.next(1_000_000), streamIds: [BASE] }
  await step(turn, new Map([[eventItem(event.id), content]]), 'PUT', `events/${event.id}`, { content, ...more })
  turn.writer.events.push('time' in more ? { ...event, stream: BASE } : event)
}

/** Returns the states of an event's items once it is deleted. */
const gone = ({ items: [first = '', ...others] }: Writer['events'][number]): [string, string][] => [
  [first, DELETED],
  ...others.map((item): [string, string] => [item, ABSENT]),
]

async function deleteEvent(turn: Turn): Promise<void> {
  const event = take(turn.writer)
  if (event === undefined) return
  const path = `events/${event.id}`
  await step(turn, trashing(turn, [eventItem(event.id)]), 'DELETE', path)
  await step(turn, new Map(gone(event)), 'DELETE', path)
}

const trashing = ({ work: { ledger } }: Turn, items: string[]): Step =>
  new Map(items.map((item) => [item, `${ledger.stateOf(item)} (trashed)`]))

async function createStream(turn: Turn): Promise<void> {
  const id = numbered(turn.writer)
  const body = { id, name: id, ...(turn.writer.next(2) === 0 ? {} : { parentId: BASE }) }
  await step(turn, new Map([[streamItem(id), id]]), 'POST', 'streams', body)
  turn.writer.streams.push(id)
}

async function renameStream(turn: Turn): Promise<void> {
  const { writer } = turn
  const id = pick(writer, writer.streams)
  if (id === undefined) return
  const name = numbered(writer)
  writer.streams.splice(writer.streams.indexOf(id), 1)
  await step(turn, new Map([[streamItem(id), name]]), 'PUT', `streams/${id}`, { name })
  writer.streams.push(id)
}

/** Deletes a stream with its events in one step. */
async function deleteStream(turn: Turn): Promise<void> {
  const { writer } = turn
  const id = pick(writer, writer.streams)
  if (id === undefined) return
  const within = writer.events.filter(({ stream }) => stream === id)
  writer.streams.splice(writer.streams.indexOf(id), 1)
  writer.events = writer.events.filter(({ stream }) => stream !== id)
  await step(turn, trashing(turn, [streamItem(id)]), 'DELETE', `streams/${id}`)
  const what = new Map([[streamItem(id), ABSENT], ...within.flatMap(gone)])
  await step(turn, what, 'DELETE', `streams/${id}?mergeEventsWithParent=false`)
}

/** Creates an event with a file of its own or a shared one. */
async function attach({ writer, work, url }: Turn): Promise<void> {
  const { body, what, event } = newEvent(writer, 'note/txt')
  const bytes = writer.next(4) === 0 ? `shared ${writer.next(3)}` : `${writer.name} ${writer.next(1e9)} `.repeat(1 + writer.next(20_000))
  const all = new Map([...what, [fileItem(event.id), sha256(bytes)]])
  work.ledger.requested(all)
  const response = await fetch(`${url}${USER}/events`, {
    method: 'POST',
    headers: { ...MULTIPART, authorization: writer.token },
    body: multipartBody([eventPart(body), filePart('file', bytes)]),
  })
  if (response.status >= 300) throw new Refused(`attaching: ${await response.text()}`)
  work.ledger.acknowledged(all)
  writer.events.push({ ...event, items: [...event.items, fileItem(event.id)] })
}

async function addPoints(turn: Turn): Promise<void> {
  const { writer } = turn
  const former = writer.series.length > 2 ? pick(writer, writer.series) : undefined
  if (former === undefined) {
    const { body, what, event } = newEvent(writer, 'series:mass/kg', null)
    await step(turn, what, 'POST', 'events', { ...body, streamIds: [BASE] })
    writer.series.push({ id: event.id, points: 0 })
    return
  }
  const points = Array.from({ length: 1 + writer.next(60) }, () => [(former.points += 1), writer.next(1000)] as const)
  const what = new Map(points.map(([deltaTime, value]) => [pointItem(former.id, deltaTime), String(value)]))
  const body = { format: 'flatJSON', fields: ['deltaTime', 'value'], points }
  await step(turn, what, 'POST', `events/${former.id}/series`, body)
}

/** Changes an event that both nodes change: one of the changes remains. */
async function changeCommon({ writer, work, url }: Turn): Promise<void> {
  const id = pick(writer, COMMON) ?? ''
  const content = numbered(writer)
  const contents = work.common.get(id) ?? new Set()
  work.common.set(id, contents.add(content))
  const answer = await request(`${url}${USER}/events/${id}`, { method: 'PUT', token: writer.token, body: { content } })
  if (answer.status >= 300) throw new Refused(`PUT ${id}: ${JSON.stringify(answer.body)}`)
}
