/** Creates the accounts of the benchmark through the API. */
import { callApi, type RequestSpec } from './client.js'
import type { Server } from './processes.js'

export interface Owner {
  username: string
  token: string
}

/** Seconds between two events of the large account, and time of the first. */
const STEP = 60
const FIRST = 1_600_000_000

export const EVENTS = 100_000
export const STREAMS = 20
export const TREE_STREAMS = 100
/** Streams and events of the account with many streams. */
export const LIBRARY_STREAMS = 500
export const LIBRARY_EVENTS = 20_000
/** Calls in one batch. */
export const BATCH = 1000

let step = 0

/** Returns the next number of a low-discrepancy sequence in [0, 1): multiples of the golden ratio. */
export function spread(): number {
  step += 1
  return (step * 0.618_033_988_749_895) % 1
}

/** Returns the time of the n-th event of the large account. */
export const timeOf = (n: number): number => FIRST + n * STEP

export const streamIdOf = (n: number): string => `stream-${String(n).padStart(2, '0')}`

const TYPES = [
  { type: 'mass/kg', content: (n: number) => 70 + (n % 100) / 10 },
  { type: 'temperature/c', content: (n: number) => 36 + (n % 40) / 10 },
  { type: 'note/txt', content: (n: number) => `Measured in the morning, as on the days before, number ${n}.` },
]

/** Returns an event of one of three types; every hundredth lasts ten minutes. */
function newEvent(n: number): Record<string, unknown> {
  // Streams and types cycle at different speeds, so that every stream has every type.
  const kind = TYPES[Math.floor(n / STREAMS) % TYPES.length]
  const duration = n % 100 === 99 ? { duration: 600 } : {}
  return { streamIds: [streamIdOf(n % STREAMS)], type: kind?.type, content: kind?.content(n), ...duration }
}

/** Password of every account of the benchmark. */
export const PASSWORD = 'correct horse battery'

export async function register(server: Server, username: string): Promise<Owner> {
  const person = { username, password: PASSWORD, email: `${username}@example.org`, appId: 'bench-app' }
  const { token } = await callApi(server, { verb: 'POST', path: 'users', body: JSON.stringify(person) })
  return { username, token: String(token) }
}

/** Runs calls as one batch and returns their results. @throws Error when a call fails. */
export async function batch(server: Server, owner: Owner, calls: readonly unknown[]): Promise<readonly object[]> {
  const { results } = await callApi(server, {
    verb: 'POST',
    path: owner.username,
    token: owner.token,
    body: JSON.stringify(calls),
  })
  if (!Array.isArray(results)) throw new Error('a batch has no results')
  const each = results as object[]
  const failed = each.find((result) => 'error' in result)
  if (failed !== undefined) throw new Error(`a call of a batch failed: ${JSON.stringify(failed)}`)
  return each
}

/** Creates the root streams that the events are distributed over. */
export async function createStreams(server: Server, owner: Owner): Promise<void> {
  const ids = Array.from({ length: STREAMS }, (_, n) => streamIdOf(n))
  await batch(server, owner, ids.map((id) => ({ method: 'streams.create', params: { id, name: `Stream ${id}` } })))
}

/** Creates a tree of streams: ten roots with nine children each. */
export async function createTree(server: Server, owner: Owner): Promise<void> {
  const ids = Array.from({ length: TREE_STREAMS }, (_, n) => streamIdOf(n))
  const calls = ids.map((id, n) => ({
    method: 'streams.create',
    params: { id, name: `Stream ${id}`, ...(n < 10 ? {} : { parentId: streamIdOf(n % 10) }) },
  }))
  await batch(server, owner, calls)
}

/** Creates the events that reads are measured on; returns the rate per second. */
export async function fill(server: Server, owner: Owner, count = EVENTS): Promise<number> {
  const begun = performance.now()
  for (let at = 0; at < count; at += BATCH) {
    const calls = Array.from({ length: Math.min(BATCH, count - at) }, (_, i) => ({
      method: 'events.create',
      params: { ...newEvent(at + i), time: timeOf(at + i) },
    }))
    await batch(server, owner, calls)
  }
  return count / ((performance.now() - begun) / 1000)
}

/** Streams that the guest may read. */
export const GUEST_STREAMS = [7, 77, 377].map(streamIdOf)

/** Fills an account with many streams, and returns an access to three of them. */
export async function createLibrary(server: Server, owner: Owner): Promise<Owner> {
  const ids = Array.from({ length: LIBRARY_STREAMS }, (_, n) => streamIdOf(n))
  await batch(server, owner, ids.map((id) => ({ method: 'streams.create', params: { id, name: `Stream ${id}` } })))
  for (let at = 0; at < LIBRARY_EVENTS; at += BATCH) {
    const calls = Array.from({ length: BATCH }, (_, i) => ({
      method: 'events.create',
      params: { ...newEvent(at + i), streamIds: [streamIdOf((at + i) % LIBRARY_STREAMS)], time: timeOf(at + i) },
    }))
    await batch(server, owner, calls)
  }
  const permissions = GUEST_STREAMS.map((streamId) => ({ streamId, level: 'read' }))
  const body = JSON.stringify({ name: 'guest', permissions })
  const { access } = await callApi(server, { verb: 'POST', path: `${owner.username}/accesses`, token: owner.token, body })
  const token = typeof access === 'object' && access !== null && 'token' in access ? String(access.token) : ''
  return { username: owner.username, token }
}

let accesses = 0

/** Returns the body of an access with a unique name. */
export const newAccess = (): string =>
  JSON.stringify({ name: `Dr Weber ${++accesses}`, permissions: [{ streamId: streamIdOf(1), level: 'read' }] })

/** Returns the body of an event creation without a time. */
export const creation = (): string => JSON.stringify(newEvent(0))

/** Returns the body of a batch of event creations. */
export const creations = (): string =>
  JSON.stringify(Array.from({ length: BATCH }, (_, n) => ({ method: 'events.create', params: newEvent(n) })))

export const FILE_BYTES = 1_000_000
const BOUNDARY = 'boundary-of-coffer-bench'

/** Returns the request that creates an event with a file of a megabyte. */
export function upload({ username, token }: Owner): RequestSpec {
  const line = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=`
  const event = JSON.stringify({ streamIds: [streamIdOf(0)], type: 'file/attached' })
  const file = 'coffer'.repeat(Math.ceil(FILE_BYTES / 6)).slice(0, FILE_BYTES)
  return {
    verb: 'POST',
    path: `${username}/events`,
    token,
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: `${line}"event"\r\n\r\n${event}\r\n${line}"file"; filename="f"\r\n\r\n${file}\r\n--${BOUNDARY}--\r\n`,
  }
}

/** Uploads a file of a megabyte; returns its path. */
export async function attachFile(server: Server, owner: Owner): Promise<string> {
  const { event } = await callApi(server, upload(owner))
  const { id, attachments } = event as { id: string; attachments: { id: string }[] }
  return `${owner.username}/events/${id}/${attachments[0]?.id ?? ''}`
}
