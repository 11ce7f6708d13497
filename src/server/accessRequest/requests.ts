/**
 * The access requests of this core (accounts supplement 12.1). They are in memory and end with the process: tokens pass
 * through them, and nothing of them ever reaches the store.
 */
import { createHash, randomBytes } from 'node:crypto'
import { isDecided, type AccessRequest, type AskedAccess, type Outcome } from '../../store/model/accessRequest.js'
import { Failure } from '../../store/model/failure.js'
import { stableText } from '../../store/model/integrity.js'
import { plainOutcome, plainRequest } from './plain.js'

export interface RequestRules {
  /** 0 is without limit, for each of these. */
  maxLiveRequests: number
  maxLiveRequestsPerIp: number
  maxRequestBytes: number
  /** 0 keeps answered requests for their whole life. */
  terminalRetentionMs: number
  /** In seconds; 0 gives requests that nobody has read their whole life too. */
  unopenedRequestTtl: number
}

/** Addresses that follow from the key. */
type AddressesOf = (key: string) => Pick<AccessRequest, 'pollUrl' | 'authUrl'>

export interface AccessRequests {
  /**
   * Keeps a new request. `client` is what requests of one client address are counted under; none for clients that are
   * not counted.
   * @throws Failure `too-many-requests`, `payload-too-large`
   */
  create(asked: AskedAccess, addresses: AddressesOf, client?: string): AccessRequest
  /** A live request, for whoever answers it: an answer keeps its time. Throws Failure `unknown-access-key`. */
  find(key: string): AccessRequest
  /** A live request as an app reads it: the first reading of an answer begins its last moments. Throws like `find`. */
  poll(key: string): AccessRequest
  /**
   * Answers a request; its state changes, or this throws. The same answer again is taken as a repetition: as it was given,
   * `given`, where something else is kept of it.
   * @throws Failure `unknown-access-key`, `invalid-operation` when there is another answer, `payload-too-large`
   */
  decide(key: string, outcome: Outcome, given?: Outcome): AccessRequest
  /** Throws what `decide` would throw now. */
  refuseUndecidable(key: string, outcome: Outcome): void
  /** All live requests, the earliest first. */
  list(): AccessRequest[]
  /** Forgets what has ended: so do all others of these, for themselves. */
  sweep(): void
}

/** Seconds that a request lives (specification, "Limits"). */
const LIFE = 3600
/** 16 characters of the base64url alphabet. */
const KEY_BYTES = 12
const RETRY_AFTER = 60

interface Kept {
  request: AccessRequest
  client: string | undefined
  /** When it ends, in seconds. */
  ends: number
  /** The digest of its answer as it was given. */
  answer?: string
}

/** What tells an answer from others, and nothing of the token in it. */
const digestOf = (outcome: Outcome): string =>
  createHash('sha256').update(stableText(plainOutcome(outcome))).digest('base64')

/** Requests in the order of their ends: those that wait for one kind of end all wait equally long. */
type Ending = Map<string, Kept>

/** A key that nobody can guess, and that no command line takes for an option. */
function freshKey(): string {
  for (;;) {
    const key = randomBytes(KEY_BYTES).toString('base64url')
    if (!key.startsWith('-')) return key
  }
}

const unknown = (): Failure => new Failure('unknown-access-key')

/** `now` in seconds. */
export function createAccessRequests(rules: RequestRules, now: () => number): AccessRequests {
  const all: Ending = new Map()
  /** Answered and read. */
  const retained: Ending = new Map()
  const unopened: Ending = new Map()
  /** How many requests wait for an answer, by client. */
  const waiting = new Map<string, number>()

  function count(client: string | undefined, by: 1 | -1): void {
    if (client === undefined) return
    const n = (waiting.get(client) ?? 0) + by
    if (n > 0) waiting.set(client, n)
    else waiting.delete(client)
  }

  function remove(kept: Kept): void {
    const { key } = kept.request
    all.delete(key)
    retained.delete(key)
    unopened.delete(key)
    if (!isDecided(kept.request)) count(kept.client, -1)
  }

  function sweep(): void {
    const time = now()
    for (const ending of [all, retained, unopened]) {
      for (const kept of ending.values()) {
        if (kept.ends > time) break
        remove(kept)
      }
    }
  }

  function keptOf(key: string): Kept {
    sweep()
    const kept = all.get(key)
    if (kept === undefined || kept.ends <= now()) throw unknown()
    return kept
  }

  /** From the first reading on, be it by its app or its page, a request has its whole life. */
  function open(kept: Kept): void {
    if (unopened.delete(kept.request.key)) kept.ends = kept.request.expiresAt
  }

  function refuseTooLarge(request: AccessRequest): void {
    if (rules.maxRequestBytes === 0) return
    if (Buffer.byteLength(JSON.stringify(plainRequest(request))) <= rules.maxRequestBytes) return
    throw new Failure('payload-too-large', 'The access request is larger than this node keeps.')
  }

  function refuseTooMany(client: string | undefined): void {
    const isFull = rules.maxLiveRequests > 0 && all.size >= rules.maxLiveRequests
    const most = rules.maxLiveRequestsPerIp
    const isClientFull = client !== undefined && most > 0 && (waiting.get(client) ?? 0) >= most
    if (!isFull && !isClientFull) return
    throw new Failure('too-many-requests', 'Too many access requests are waiting; try again later.', {
      retryAfterSeconds: RETRY_AFTER,
    })
  }

  /** The request with its answer; undefined when it has this answer already. */
  function answered({ request, answer }: Kept, outcome: Outcome, given: Outcome): AccessRequest | undefined {
    if (isDecided(request)) {
      if (answer === digestOf(given)) return undefined
      throw new Failure('invalid-operation', 'This access request has been answered already.')
    }
    const next = { ...request, outcome }
    refuseTooLarge(next)
    return next
  }

  return {
    create(asked, addresses, client) {
      sweep()
      refuseTooMany(client)
      const createdAt = now()
      const key = freshKey()
      const request: AccessRequest = { ...asked, key, createdAt, expiresAt: createdAt + LIFE, ...addresses(key) }
      refuseTooLarge(request)
      const kept: Kept = { request, client, ends: request.expiresAt }
      all.set(key, kept)
      if (rules.unopenedRequestTtl > 0) {
        // The same object is in both, so that what happens to one is seen in the other.
        kept.ends = createdAt + rules.unopenedRequestTtl
        unopened.set(key, kept)
      }
      count(client, 1)
      return request
    },
    find(key) {
      const kept = keptOf(key)
      open(kept)
      return kept.request
    },
    poll(key) {
      const kept = keptOf(key)
      open(kept)
      if (isDecided(kept.request) && rules.terminalRetentionMs > 0 && !retained.has(key)) {
        kept.ends = Math.min(kept.ends, now() + rules.terminalRetentionMs / 1000)
        retained.set(key, kept)
      }
      return kept.request
    },
    decide(key, outcome, given = outcome) {
      const kept = keptOf(key)
      const next = answered(kept, outcome, given)
      if (next === undefined) return kept.request
      kept.request = next
      kept.answer = digestOf(given)
      open(kept)
      if (isDecided(next)) count(kept.client, -1)
      return next
    },
    refuseUndecidable(key, outcome) {
      answered(keptOf(key), outcome, outcome)
    },
    list() {
      sweep()
      return [...all.values()].map(({ request }) => request)
    },
    sweep,
  }
}
