/** Clients that write to a node until it stops answering, each on items of its own, and record every step in a ledger. */
import { request } from '../support/nodes/node.js'
import { ABSENT, type Ledger, type Step } from './ledger.js'

export const eventItem = (user: string, id: string): string => `${user} event ${id}`
export const streamItem = (user: string, id: string): string => `${user} stream ${id}`
export const userItem = (name: string): string => `user ${name}`

export const DELETED = 'deleted'
export const THERE = 'there'

/** Returns the state of an event or stream in the ledger. */
export const stateOf = (text: string, trashed: boolean): string => (trashed ? `${text} (trashed)` : text)

/** Client of an account, with the items that it created; used for all nodes of one home. */
export interface Client {
  name: string
  user: string
  token: string
  /** Returns a random whole number below a limit. */
  next(limit: number): number
  created: number
  /** Its events with their streams, and its streams; trashed ones are not edited. */
  events: { id: string; stream: string; trashed: boolean }[]
  streams: string[]
}

interface Session {
  client: Client
  url: string
  ledger: Ledger
  /** Calls the node and records the step; throws when the node is gone or refuses. */
  step(step: Step, method: string, path: string, body?: unknown): Promise<void>
}

const FAR = 1_700_000_000

/** Stream that all clients share. */
export const BASE = 'base'

/** Writes until the node stops answering; returns a refusal of the node, if any. */
export async function writeUntilGone(client: Client, url: string, ledger: Ledger): Promise<string | undefined> {
  const session: Session = {
    client,
    url,
    ledger,
    async step(step, method, path, body) {
      ledger.requested(step)
      const options = { method, token: client.token, ...(body === undefined ? {} : { body }) }
      const answer = await request(`${url}${path}`, options)
      if (answer.status >= 300) throw new Refused(`${method} ${path}: ${JSON.stringify(answer.body)}`)
      ledger.acknowledged(step)
    },
  }
  try {
    for (;;) await performStep(session)
  } catch (error) {
    return error instanceof Refused ? error.message : undefined
  }
}

class Refused extends Error {}

async function performStep(session: Session): Promise<void> {
  const { client } = session
  const roll = client.next(100)
  if (roll < 30) await createEvent(session)
  else if (roll < 45) await createMany(session)
  else if (roll < 65) await changeEvent(session)
  else if (roll < 75) await deleteEvent(session)
  else if (roll < 83) await createStream(session)
  else if (roll < 90) await renameStream(session)
  else if (roll < 98) await deleteStream(session)
  else await register(session)
}

/** Returns a new id; an event id has 25 characters. `isOf` recognises both by their prefixes. */
const numbered = (client: Client): string => `${client.name}${(client.created += 1)}`
const newEventId = (client: Client): string => `c${client.name}${String((client.created += 1)).padStart(23, '0')}`

/** Tests whether a client created the item; names of clients are single letters. */
export const isOf = (client: Client, id: string): boolean =>
  id.length === 25 ? id.startsWith(`c${client.name}`) : id.startsWith(client.name)

function pick<T>(client: Client, from: readonly T[]): T | undefined {
  return from.length === 0 ? undefined : from[client.next(from.length)]
}

function newEvent(client: Client): { body: Record<string, unknown>; step: Step; event: Client['events'][number] } {
  const id = newEventId(client)
  const stream = client.next(3) === 0 ? (pick(client, client.streams) ?? BASE) : BASE
  const time = FAR + client.next(1_000_000)
  const body = { id, streamIds: [stream], type: 'test/text', content: 'v1', time, duration: client.next(3) * 60 }
  return { body, step: new Map([[eventItem(client.user, id), 'v1']]), event: { id, stream, trashed: false } }
}

const untouched = (client: Client): Client['events'] => client.events.filter(({ trashed }) => !trashed)

async function createEvent(session: Session): Promise<void> {
  const { client } = session
  const { body, step, event } = newEvent(client)
  await session.step(step, 'POST', `${client.user}/events`, body)
  client.events.push(event)
}

/** Creates events in a batch: each of its calls is a step of its own. */
async function createMany({ client, url, ledger }: Session): Promise<void> {
  const news = Array.from({ length: 5 }, () => newEvent(client))
  for (const { step } of news) ledger.requested(step)
  const body = news.map((one) => ({ method: 'events.create', params: one.body }))
  const answer = await request(`${url}${client.user}`, { token: client.token, body })
  const results = answer.body['results']
  if (!Array.isArray(results)) throw new Refused(JSON.stringify(answer.body))
  for (const [i, { step, event }] of news.entries()) {
    if (!('event' in (results[i] as object))) throw new Refused(JSON.stringify(results[i]))
    ledger.acknowledged(step)
    client.events.push(event)
  }
}

async function changeEvent(session: Session): Promise<void> {
  const { client } = session
  const event = pick(client, untouched(client))
  if (event === undefined) return
  const content = `v${client.next(1_000_000)}`
  const change = client.next(2) === 0 ? { content } : { content, time: FAR - client.next(1_000_000), streamIds: [BASE] }
  const step = new Map([[eventItem(client.user, event.id), content]])
  await session.step(step, 'PUT', `${client.user}/events/${event.id}`, change)
  if ('streamIds' in change) event.stream = BASE
}

async function deleteEvent(session: Session): Promise<void> {
  const { client, ledger } = session
  const event = pick(client, untouched(client))
  if (event === undefined) return
  const item = eventItem(client.user, event.id)
  event.trashed = true
  const path = `${client.user}/events/${event.id}`
  await session.step(new Map([[item, stateOf(ledger.stateOf(item), true)]]), 'DELETE', path)
  await session.step(new Map([[item, DELETED]]), 'DELETE', path)
  client.events.splice(client.events.indexOf(event), 1)
}

async function createStream(session: Session): Promise<void> {
  const { client } = session
  const id = numbered(client)
  const body = { id, name: id, ...(client.next(2) === 0 ? {} : { parentId: BASE }) }
  await session.step(new Map([[streamItem(client.user, id), id]]), 'POST', `${client.user}/streams`, body)
  client.streams.push(id)
}

async function renameStream(session: Session): Promise<void> {
  const { client } = session
  const id = pick(client, client.streams)
  if (id === undefined) return
  const name = numbered(client)
  await session.step(new Map([[streamItem(client.user, id), name]]), 'PUT', `${client.user}/streams/${id}`, { name })
}

/** Deletes a stream with its events in one step. */
async function deleteStream(session: Session): Promise<void> {
  const { client, ledger } = session
  const id = pick(client, client.streams)
  if (id === undefined) return
  const within = client.events.filter(({ stream }) => stream === id)
  client.streams.splice(client.streams.indexOf(id), 1)
  client.events = client.events.filter(({ stream }) => stream !== id)
  const item = streamItem(client.user, id)
  const path = `${client.user}/streams/${id}`
  await session.step(new Map([[item, stateOf(ledger.stateOf(item), true)]]), 'DELETE', path)
  const all = new Map([[item, ABSENT]])
  for (const event of within) all.set(eventItem(client.user, event.id), DELETED)
  await session.step(all, 'DELETE', `${path}?mergeEventsWithParent=false`)
}

async function register(session: Session): Promise<void> {
  const { client } = session
  const username = `new-${numbered(client)}`
  const body = { username, password: 'correct horse', email: `${username}@example.org`, appId: 'test-app' }
  await session.step(new Map([[userItem(username), THERE]]), 'POST', 'users', body)
}
