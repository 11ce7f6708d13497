/**
 * In-memory access requests of this core (docs/interface/access-requests.md#state). They carry tokens, so they are never written
 * to the store and end with the process.
 */
import { createHash, randomBytes } from 'node:crypto'
import { isDecided, type AccessRequest, type AskedAccess, type Outcome } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import { stableText } from '../../../store/model/integrity.js'
import { createDecidedPool } from './decidedPool.js'
import { createDisplaceable } from './displaceable.js'
import { plainOutcome, plainRequest } from './toJson.js'

interface RequestRules {
  /** Limits; 0 means unlimited for each of these. */
  maxLiveRequests: number
  maxLiveRequestsPerIp: number
  maxRequestBytes: number
  /** Milliseconds an answered request keeps its slot; 0: until it expires, counted separately from pending requests. */
  terminalRetentionMs: number
  /** Lifetime of unread requests in seconds; 0: the full lifetime. */
  unopenedRequestTtl: number
}

/** Derives the addresses from the key. */
type AddressesOf = (key: string) => Pick<AccessRequest, 'pollUrl' | 'authUrl'>

interface AccessRequests {
  /**
   * Stores a new request. `client` is the counting key of a client address; absent for uncounted clients. On a full node
   * it evicts a request answered longer ago than the retention time, else one that is not open before a person
   * (never opened, or answered).
   * @throws Failure `too-many-requests`, `payload-too-large`
   */
  create(input: AskedAccess, addresses: AddressesOf, client?: string): AccessRequest
  /** Checks whether a live request has a key. */
  has(key: string): boolean
  /** Finds a live request to answer it; does not shorten its retention. @throws Failure `unknown-access-key` */
  find(key: string): AccessRequest
  /** Finds a live request for its app; the first read of an answer starts the retention time. @throws as `find` */
  poll(key: string): AccessRequest
  /** Finds a live request for the person who may answer it; protects it from eviction until answered. @throws as `find` */
  open(key: string): AccessRequest
  /**
   * Answers a request. Repeating the same answer is a no-op; `given` is the answer as received, when a different form of
   * it is stored.
   * @throws Failure `unknown-access-key`, `invalid-operation` when it has another answer, `payload-too-large`
   */
  decide(key: string, outcome: Outcome, given?: Outcome): AccessRequest
  /** Throws what `decide` would throw now. */
  assertDecidable(key: string, outcome: Outcome): void
  /** Lists all live requests, earliest first. */
  list(): AccessRequest[]
  /** Removes expired requests; the other methods do so implicitly. */
  sweep(): void
}

/** Lifetime of a request in seconds (docs/interface/limits.md#lifetimes). */
const LIFE = 3600
/** 16 characters of the base64url alphabet. */
const KEY_BYTES = 12
const RETRY_AFTER = 60

interface Stored {
  request: AccessRequest
  client: string | undefined
  /** Expiry time in seconds. */
  ends: number
  /** Digest of the answer as received. */
  answer?: string
  /** Time of the answer, in seconds. */
  decidedAt?: number
}

/** Shared key of uncounted clients, which are evicted as one client. */
const UNCOUNTED = ''

/** Hashes an answer for comparison, without revealing its token. */
const digestOf = (outcome: Outcome): string =>
  createHash('sha256').update(stableText(plainOutcome(outcome))).digest('base64')

/** Requests in expiry order: those in one map share a lifetime. */
type Ending = Map<string, Stored>

/** Generates an unguessable key that does not start with `-`, so that command lines do not parse it as an option. */
function freshKey(): string {
  for (;;) {
    const key = randomBytes(KEY_BYTES).toString('base64url')
    if (!key.startsWith('-')) return key
  }
}

const unknown = (): Failure => new Failure('unknown-access-key')

/** Creates the request registry. `now` returns seconds. */
export function createAccessRequests(rules: RequestRules, now: () => number): AccessRequests {
  const all: Ending = new Map()
  /** Answered and read. */
  const retained: Ending = new Map()
  const unread: Ending = new Map()
  /** Answered, in the order of the answers. */
  const decided = new Map<string, Stored>()
  /** Requests that may be evicted: unopened or answered. */
  const displaceable = createDisplaceable()
  /** Answered requests, when answers are retained until expiry. */
  const decidedPool = createDecidedPool(rules.maxLiveRequests, rules.maxLiveRequestsPerIp)
  /** Live requests of each counted client, oldest first. */
  const byClient = new Map<string, Set<Stored>>()

  function add(stored: Stored): void {
    const { client, request: { key } } = stored
    all.set(key, stored)
    displaceable.add(key, client ?? UNCOUNTED)
    if (client !== undefined) byClient.set(client, (byClient.get(client) ?? new Set()).add(stored))
  }

  function remove(stored: Stored): void {
    const { request: { key } } = stored
    all.delete(key)
    retained.delete(key)
    unread.delete(key)
    decided.delete(key)
    decidedPool.delete(key)
    uncount(stored)
  }

  /** Removes a request from the eviction order and from its client's count. */
  function uncount(stored: Stored): void {
    const { client, request: { key } } = stored
    displaceable.delete(key, client ?? UNCOUNTED)
    if (client === undefined) return
    const others = byClient.get(client)
    others?.delete(stored)
    if (others?.size === 0) byClient.delete(client)
  }

  function sweep(): void {
    const time = now()
    for (const ending of [all, retained, unread]) {
      for (const stored of ending.values()) {
        if (stored.ends > time) break
        remove(stored)
      }
    }
  }

  function storedOf(key: string): Stored {
    sweep()
    const stored = all.get(key)
    if (stored === undefined || stored.ends <= now()) throw unknown()
    return stored
  }

  /** Extends a request to its full lifetime at its first read, by the app or the page. */
  function read(stored: Stored): void {
    if (unread.delete(stored.request.key)) stored.ends = stored.request.expiresAt
  }

  /** True for answered requests past their retention time, which no longer hold a slot. */
  function isOver({ decidedAt }: Stored): boolean {
    const { terminalRetentionMs } = rules
    return decidedAt !== undefined && terminalRetentionMs > 0 && decidedAt + terminalRetentionMs / 1000 <= now()
  }

  function assertSize(request: AccessRequest): void {
    if (rules.maxRequestBytes === 0) return
    if (Buffer.byteLength(JSON.stringify(plainRequest(request))) <= rules.maxRequestBytes) return
    throw new Failure('payload-too-large', 'The access request exceeds the maximum size on this node.')
  }

  const tooMany = (): Failure =>
    new Failure('too-many-requests', 'Too many access requests are pending; try again later.', { retryAfterSeconds: RETRY_AFTER })

  /** Frees a slot under the limit of a client. @throws Failure `too-many-requests` */
  function makeRoomFor(client: string | undefined): void {
    const max = rules.maxLiveRequestsPerIp
    const keys = client === undefined ? undefined : byClient.get(client)
    if (max === 0 || keys === undefined || keys.size < max) return
    const over = [...keys].find(isOver)
    if (over === undefined) throw tooMany()
    remove(over)
  }

  /** Frees a slot under the total limit. @throws Failure `too-many-requests` */
  function makeRoom(client: string | undefined): void {
    const max = rules.maxLiveRequests
    if (max === 0 || all.size - decidedPool.size < max) return
    const [longestDecided] = decided.values()
    const displaced = longestDecided !== undefined && isOver(longestDecided) ? longestDecided : all.get(displaceable.nextFor(client ?? UNCOUNTED) ?? '')
    if (displaced === undefined) throw tooMany()
    remove(displaced)
  }

  /** Moves a request to the answered ones. */
  function settle(stored: Stored): void {
    const { client, request: { key } } = stored
    if (rules.terminalRetentionMs > 0) {
      decided.set(key, stored)
      displaceable.add(key, client ?? UNCOUNTED)
      return
    }
    uncount(stored)
    for (const other of decidedPool.add(key, client)) {
      const displaced = all.get(other)
      if (displaced !== undefined) remove(displaced)
    }
  }

  /** Returns the request with its answer; undefined when it already has this answer. */
  function answered({ request, answer }: Stored, outcome: Outcome, given: Outcome): AccessRequest | undefined {
    if (isDecided(request)) {
      if (answer === digestOf(given)) return undefined
      throw new Failure('invalid-operation', 'This access request has been answered already.')
    }
    const next = { ...request, outcome }
    assertSize(next)
    return next
  }

  return {
    create(input, addresses, client) {
      sweep()
      const createdAt = now()
      const key = freshKey()
      const request: AccessRequest = { ...input, key, createdAt, expiresAt: createdAt + LIFE, ...addresses(key) }
      assertSize(request)
      makeRoomFor(client)
      makeRoom(client)
      const stored: Stored = { request, client, ends: request.expiresAt }
      add(stored)
      if (rules.unopenedRequestTtl > 0) {
        // The same object is in both maps, so that updates show in both.
        stored.ends = createdAt + rules.unopenedRequestTtl
        unread.set(key, stored)
      }
      return request
    },
    has(key) {
      sweep()
      return all.has(key)
    },
    find(key) {
      const stored = storedOf(key)
      read(stored)
      return stored.request
    },
    poll(key) {
      const stored = storedOf(key)
      read(stored)
      if (isDecided(stored.request) && rules.terminalRetentionMs > 0 && !retained.has(key)) {
        stored.ends = Math.min(stored.ends, now() + rules.terminalRetentionMs / 1000)
        retained.set(key, stored)
      }
      return stored.request
    },
    open(key) {
      const stored = storedOf(key)
      read(stored)
      if (!isDecided(stored.request)) displaceable.delete(key, stored.client ?? UNCOUNTED)
      return stored.request
    },
    decide(key, outcome, given = outcome) {
      const stored = storedOf(key)
      const next = answered(stored, outcome, given)
      if (next === undefined) return stored.request
      stored.request = next
      stored.answer = digestOf(given)
      read(stored)
      if (isDecided(next)) {
        stored.decidedAt = now()
        settle(stored)
      }
      return next
    },
    assertDecidable(key, outcome) {
      answered(storedOf(key), outcome, outcome)
    },
    list() {
      sweep()
      return [...all.values()].map(({ request }) => request)
    },
    sweep,
  }
}

/** Needed by functions that read or answer access requests of apps. */
export interface AccessRequestDeps {
  readonly accessRequests: AccessRequests
}
