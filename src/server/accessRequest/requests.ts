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
import { plainOutcome, plainRequest } from './plain.js'

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
  create(asked: AskedAccess, addresses: AddressesOf, client?: string): AccessRequest
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

interface Kept {
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
  const unread: Ending = new Map()
  /** Answered, in the order of the answers. */
  const decided = new Map<string, Kept>()
  /** Those that no person has opened, and those that are answered. */
  const displaceable = createDisplaceable()
  /** Answered, where answers keep for the whole life of a request. */
  const keptDecided = createDecidedPool(rules.maxLiveRequests, rules.maxLiveRequestsPerIp)
  /** Live requests of each client that is counted, the oldest first. */
  const byClient = new Map<string, Set<Kept>>()

  function add(kept: Kept): void {
    const { client, request: { key } } = kept
    all.set(key, kept)
    displaceable.add(key, client ?? UNCOUNTED)
    if (client !== undefined) byClient.set(client, (byClient.get(client) ?? new Set()).add(kept))
  }

  function remove(kept: Kept): void {
    const { request: { key } } = kept
    all.delete(key)
    retained.delete(key)
    unread.delete(key)
    decided.delete(key)
    keptDecided.delete(key)
    uncount(kept)
  }

  /** Takes a request out of those that may give way and of those of its client. */
  function uncount(kept: Kept): void {
    const { client, request: { key } } = kept
    displaceable.delete(key, client ?? UNCOUNTED)
    if (client === undefined) return
    const others = byClient.get(client)
    others?.delete(kept)
    if (others?.size === 0) byClient.delete(client)
  }

  function sweep(): void {
    const time = now()
    for (const ending of [all, retained, unread]) {
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
  function read(kept: Kept): void {
    if (unread.delete(kept.request.key)) kept.ends = kept.request.expiresAt
  }

  /** Holds for requests that were answered so long ago that they keep no place from others. */
  function isOver({ decidedAt }: Kept): boolean {
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
    const most = rules.maxLiveRequestsPerIp
    const held = client === undefined ? undefined : byClient.get(client)
    if (most === 0 || held === undefined || held.size < most) return
    const over = [...held].find(isOver)
    if (over === undefined) throw tooMany()
    remove(over)
  }

  /** Makes room under the limit of all. @throws Failure `too-many-requests` */
  function makeRoom(client: string | undefined): void {
    const most = rules.maxLiveRequests
    if (most === 0 || all.size - keptDecided.size < most) return
    const [longestDecided] = decided.values()
    const displaced = longestDecided !== undefined && isOver(longestDecided) ? longestDecided : all.get(displaceable.nextFor(client ?? UNCOUNTED) ?? '')
    if (displaced === undefined) throw tooMany()
    remove(displaced)
  }

  /** Counts a request as answered. */
  function settle(kept: Kept): void {
    const { client, request: { key } } = kept
    if (rules.terminalRetentionMs > 0) {
      decided.set(key, kept)
      displaceable.add(key, client ?? UNCOUNTED)
      return
    }
    uncount(kept)
    for (const other of keptDecided.add(key, client)) {
      const displaced = all.get(other)
      if (displaced !== undefined) remove(displaced)
    }
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
      const createdAt = now()
      const key = freshKey()
      const request: AccessRequest = { ...asked, key, createdAt, expiresAt: createdAt + LIFE, ...addresses(key) }
      refuseTooLarge(request)
      makeRoomFor(client)
      makeRoom(client)
      const kept: Kept = { request, client, ends: request.expiresAt }
      add(kept)
      if (rules.unopenedRequestTtl > 0) {
        // The same object is in both, so that what happens to one is seen in the other.
        kept.ends = createdAt + rules.unopenedRequestTtl
        unread.set(key, kept)
      }
      return request
    },
    find(key) {
      const kept = keptOf(key)
      read(kept)
      return kept.request
    },
    poll(key) {
      const kept = keptOf(key)
      read(kept)
      if (isDecided(kept.request) && rules.terminalRetentionMs > 0 && !retained.has(key)) {
        kept.ends = Math.min(kept.ends, now() + rules.terminalRetentionMs / 1000)
        retained.set(key, kept)
      }
      return kept.request
    },
    open(key) {
      const kept = keptOf(key)
      read(kept)
      if (!isDecided(kept.request)) displaceable.delete(key, kept.client ?? UNCOUNTED)
      return kept.request
    },
    decide(key, outcome, given = outcome) {
      const kept = keptOf(key)
      const next = answered(kept, outcome, given)
      if (next === undefined) return kept.request
      kept.request = next
      kept.answer = digestOf(given)
      read(kept)
      if (isDecided(next)) {
        kept.decidedAt = now()
        settle(kept)
      }
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
