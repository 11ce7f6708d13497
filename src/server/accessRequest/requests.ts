/**
 * The access requests of this core (accounts supplement 12.1). They are in memory and end with the process: tokens pass
 * through them, and nothing of them ever reaches the store.
 */
import { createHash, randomBytes } from 'node:crypto'
import { isDecided, type AccessRequest, type AskedAccess, type Outcome } from '../../store/model/accessRequest.js'
import { Failure } from '../../store/model/failure.js'
import { stableText } from '../../store/model/integrity.js'
import { createDecidedPool } from './decidedPool.js'
import { createDisplaceable } from './displaceable.js'
import { plainOutcome, plainRequest } from './toJson.js'

export interface RequestRules {
  /** 0 is without limit, for each of these. */
  maxLiveRequests: number
  maxLiveRequestsPerIp: number
  maxRequestBytes: number
  /** Time for which an answered request keeps its place; 0 is its whole life, counted apart from requests that wait. */
  terminalRetentionMs: number
  /** In seconds; 0 gives requests that nobody has read their whole life too. */
  unopenedRequestTtl: number
}

/** Addresses that follow from the key. */
type AddressesOf = (key: string) => Pick<AccessRequest, 'pollUrl' | 'authUrl'>

export interface AccessRequests {
  /**
   * Keeps a new request. `client` is what requests of one client address are counted under; none for clients that are
   * not counted. On a node that is full it takes the place of one that was answered longer ago than answers keep theirs, else of
   * one that no person is looking at: a person has not opened it, or it is answered.
   * @throws Failure `too-many-requests`, `payload-too-large`
   */
  create(input: AskedAccess, addresses: AddressesOf, client?: string): AccessRequest
  /** A live request, for whoever answers it: an answer keeps its time. Throws Failure `unknown-access-key`. */
  find(key: string): AccessRequest
  /** A live request as an app reads it: the first reading of an answer begins its last moments. Throws like `find`. */
  poll(key: string): AccessRequest
  /** A live request that a person looks at who may answer it: until it is answered it gives way to no other. Throws like `find`. */
  open(key: string): AccessRequest
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

interface Stored {
  request: AccessRequest
  client: string | undefined
  /** When it ends, in seconds. */
  ends: number
  /** The digest of its answer as it was given. */
  answer?: string
  /** Time of the answer, in seconds. */
  decidedAt?: number
}

/** Requests of clients that are not counted give way as those of one. */
const UNCOUNTED = ''

/** What tells an answer from others, and nothing of the token in it. */
const digestOf = (outcome: Outcome): string =>
  createHash('sha256').update(stableText(plainOutcome(outcome))).digest('base64')

/** Requests in the order of their ends: those that wait for one kind of end all wait equally long. */
type Ending = Map<string, Stored>

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
  const unread: Ending = new Map()
  /** Answered, in the order of the answers. */
  const decided = new Map<string, Stored>()
  /** Those that no person has opened, and those that are answered. */
  const displaceable = createDisplaceable()
  /** Answered, where answers keep for the whole life of a request. */
  const decidedPool = createDecidedPool(rules.maxLiveRequests, rules.maxLiveRequestsPerIp)
  /** Live requests of each client that is counted, the oldest first. */
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

  /** Takes a request out of those that may give way and of those of its client. */
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

  /** From the first reading on, be it by its app or its page, a request has its whole life. */
  function read(stored: Stored): void {
    if (unread.delete(stored.request.key)) stored.ends = stored.request.expiresAt
  }

  /** Holds for requests that were answered so long ago that they keep no place from others. */
  function isOver({ decidedAt }: Stored): boolean {
    const { terminalRetentionMs } = rules
    return decidedAt !== undefined && terminalRetentionMs > 0 && decidedAt + terminalRetentionMs / 1000 <= now()
  }

  function refuseTooLarge(request: AccessRequest): void {
    if (rules.maxRequestBytes === 0) return
    if (Buffer.byteLength(JSON.stringify(plainRequest(request))) <= rules.maxRequestBytes) return
    throw new Failure('payload-too-large', 'The access request is larger than this node keeps.')
  }

  const tooMany = (): Failure =>
    new Failure('too-many-requests', 'Too many access requests are waiting; try again later.', { retryAfterSeconds: RETRY_AFTER })

  /** Makes room under the limit of a client. @throws Failure `too-many-requests` */
  function makeRoomFor(client: string | undefined): void {
    const max = rules.maxLiveRequestsPerIp
    const held = client === undefined ? undefined : byClient.get(client)
    if (max === 0 || held === undefined || held.size < max) return
    const over = [...held].find(isOver)
    if (over === undefined) throw tooMany()
    remove(over)
  }

  /** Makes room under the limit of all. @throws Failure `too-many-requests` */
  function makeRoom(client: string | undefined): void {
    const max = rules.maxLiveRequests
    if (max === 0 || all.size - decidedPool.size < max) return
    const [longestDecided] = decided.values()
    const displaced = longestDecided !== undefined && isOver(longestDecided) ? longestDecided : all.get(displaceable.nextFor(client ?? UNCOUNTED) ?? '')
    if (displaced === undefined) throw tooMany()
    remove(displaced)
  }

  /** Counts a request as answered. */
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

  /** The request with its answer; undefined when it has this answer already. */
  function answered({ request, answer }: Stored, outcome: Outcome, given: Outcome): AccessRequest | undefined {
    if (isDecided(request)) {
      if (answer === digestOf(given)) return undefined
      throw new Failure('invalid-operation', 'This access request has been answered already.')
    }
    const next = { ...request, outcome }
    refuseTooLarge(next)
    return next
  }

  return {
    create(input, addresses, client) {
      sweep()
      const createdAt = now()
      const key = freshKey()
      const request: AccessRequest = { ...input, key, createdAt, expiresAt: createdAt + LIFE, ...addresses(key) }
      refuseTooLarge(request)
      makeRoomFor(client)
      makeRoom(client)
      const stored: Stored = { request, client, ends: request.expiresAt }
      add(stored)
      if (rules.unopenedRequestTtl > 0) {
        // The same object is in both, so that what happens to one is seen in the other.
        stored.ends = createdAt + rules.unopenedRequestTtl
        unread.set(key, stored)
      }
      return request
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
    refuseUndecidable(key, outcome) {
      answered(storedOf(key), outcome, outcome)
    },
    list() {
      sweep()
      return [...all.values()].map(({ request }) => request)
    },
    sweep,
  }
}
