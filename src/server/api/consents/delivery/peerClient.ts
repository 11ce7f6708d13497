/**
 * Client for other accounts: regular API calls with the token of the peer (docs/interface/messages.md#calls-between-accounts).
 * Accounts of this node are called in process.
 */
import { hash } from 'node:crypto'
import type { EventPageDeps } from '../../../../store/events/eventPageCache.js'
import { coreOf, coreUrlIn, type CoresDeps } from '../../../platform/cores/cores.js'
import { info } from '../../accesses/info.js'
import { create } from '../../events/create.js'
import { get } from '../../events/get.js'
import type { Context } from '../../../call/context.js'
import { callAccountHereParsed } from '../../../dispatch/here.js'
import { endpointParts } from '../../../base/endpointParts.js'
import { usernameIn } from '../address.js'
import { send, type Answer, type Outgoing } from '../../../httpClient/http.js'
import { createTargets } from '../../../httpClient/targets.js'
import { objectOf } from '../objects.js'
import type { ConsentDeps } from '../service.js'
import type { QueryCacheDeps } from '../../events/queryCache.js'

const TIMEOUT_MS = 15_000
/** Size limit of an offer. */
const MAX_OFFER_BYTES = 262_144

/** Result of a delivery: accepted, permanently rejected, or failed this time. */
export type Delivered =
  | { is: 'taken'; eventId: string; event: Record<string, unknown> }
  | { is: 'rejected'; status: number; body: Record<string, unknown> }
  | { is: 'failed'; status?: number; cause: string }

/** An event for another account. */
export interface Message {
  /** Identical for every delivery of a message, so that it arrives once: see `messageId`. */
  id: string
  streamIds: string[]
  type: string
  content: Record<string, unknown>
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Returns the id of a message, derived from the parts that identify it. */
export function messageId(...parts: readonly string[]): string {
  const bytes = hash('sha256', JSON.stringify(parts), 'buffer')
  let id = 'c'
  for (const byte of bytes.subarray(0, 24)) id += LETTERS.charAt(byte % LETTERS.length)
  return id
}

/** Needed by functions that call other accounts: those of this node are called in process. */
export interface PeerDeps extends ConsentDeps, CoresDeps, EventPageDeps, QueryCacheDeps {}

/** Account that calls others. `signal` aborts calls. */
export interface Caller {
  node: Context & PeerDeps
  signal?: AbortSignal
}

/** Creates an event on another account at its endpoint. Never rejects. */
export async function deliver({ node, signal }: Caller, endpoint: string, message: Message): Promise<Delivered> {
  const parts = endpointParts(endpoint)
  if (parts === undefined) return { is: 'rejected', status: 0, body: { cause: 'endpoint without a token' } }
  const call = { verb: 'POST', path: 'events', authorization: parts.token, body: message } as const
  const answer = await answerOf({ node, signal }, parts.base, call, (username) => callAccountHereParsed(node, username, parts.token, create, message, 1))
  return deliveredBy(answer, message.id)
}

function deliveredBy(answer: Answer, id: string): Delivered {
  if (!('body' in answer)) return { is: 'failed', cause: answer.cause }
  const { status, body } = answer
  if (status >= 200 && status < 300) {
    const event = objectOf(body['event'])
    return { is: 'taken', eventId: typeof event['id'] === 'string' ? event['id'] : id, event }
  }
  if (status >= 500) return { is: 'failed', status, cause: `status ${status}` }
  const error = objectOf(body['error'])
  // An earlier delivery was accepted, but its reply was lost.
  if (error['id'] === 'item-already-exists' && objectOf(error['data'])['id'] === id) return { is: 'taken', eventId: id, event: {} }
  return { is: 'rejected', status, body }
}

/** Reads the events of a type that a token can see, up to the size limit of an offer. Never rejects. */
export async function readEvents({ node, signal }: Caller, endpoint: string, type: string): Promise<Answer> {
  const parts = endpointParts(endpoint)
  if (parts === undefined) return { status: 0, cause: 'endpoint without a token' }
  const call = { verb: 'GET', path: `events?types[]=${encodeURIComponent(type)}`, authorization: parts.token, maxBytes: MAX_OFFER_BYTES } as const
  return answerOf({ node, signal }, parts.base, call, async (username) => {
    const answer = await callAccountHereParsed(node, username, parts.token, get, { types: [type] }, 100)
    const isCut = 'body' in answer && JSON.stringify(answer.body).length > MAX_OFFER_BYTES
    return isCut ? { status: answer.status, body: {}, isCut } : answer
  })
}

/** Options for reading access-info of another account. */
interface AccessReading {
  timeoutMs: number
  /** Wraps an HTTP call, to limit concurrency. */
  limited(call: () => Promise<Answer>): Promise<Answer>
}

/** Reads the access and account of an endpoint's token. Rejects only if `limited` does. */
export async function readAccess({ node, signal }: Caller, endpoint: string, { timeoutMs, limited }: AccessReading): Promise<Answer> {
  const parts = endpointParts(endpoint)
  if (parts === undefined) return { status: 0, cause: 'endpoint without a token' }
  const call = { verb: 'GET', path: 'access-info', authorization: parts.token, timeoutMs } as const
  return answerOf({ node, signal }, parts.base, call, (username) => callAccountHereParsed(node, username, parts.token, info, {}, 1), limited)
}

/** A call to another account: `path` is that below its root. */
type AccountCall = Omit<Outgoing, 'url' | 'targets' | 'signal'> & { path: string }

/**
 * Calls the account at an address: in process, at its core as the platform knows it, or at the address itself for other platforms.
 * Follows one answer of a core of the platform that the account is on another core.
 */
async function answerOf(
  { node, signal }: { node: Context & CoresDeps; signal: AbortSignal | undefined },
  base: string,
  { path, ...call }: AccountCall,
  here: (username: string) => Promise<Answer>,
  limited: AccessReading['limited'] = (send) => send(),
): Promise<Answer> {
  const username = usernameIn(node, base)
  const home = username === undefined ? undefined : await coreOf(node.cores, username)
  if (home === 'nowhere') return { status: 404, body: {} }
  if (username !== undefined && home === 'here') return here(username)
  const outgoing = { timeoutMs: TIMEOUT_MS, ...call, ...(signal === undefined ? {} : { signal }) }
  // Clients choose addresses of other platforms; cores are chosen by the operator.
  const targets = createTargets(node.config)
  return limited(async () => {
    const answer = await send({ ...outgoing, ...(home === undefined || home === 'here' ? { url: base + path, targets } : { url: `${home.url}${username}/${path}` }) })
    const moved = username === undefined ? undefined : coreUrlIn(node, answer)
    return moved === undefined ? answer : send({ ...outgoing, url: `${moved}${username}/${path}` })
  })
}

/**
 * Finds the account of this node for an address; `nowhere` for an address of this platform without an account. Undefined for
 * accounts called over HTTP: on other cores or other platforms.
 */
export async function accountHere(node: Context & CoresDeps, base: string): Promise<{ username: string } | 'nowhere' | undefined> {
  const username = usernameIn(node, base)
  const home = username === undefined ? undefined : await coreOf(node.cores, username)
  if (home === 'nowhere') return home
  return username !== undefined && home === 'here' ? { username } : undefined
}
