/** Attempts of a call at one member after another, and the circuit breaker for a cluster that does not answer. */
import type { Log } from '../../../base/log.js'
import { EtcdError } from './api.js'
import { CallError, type Connection } from './wire.js'

/** Time after a failed call over all members during which calls fail at once. */
const BREAK_MS = 2000
const PROBE_MS = 1500
/** Pause between two rounds over all members. */
const PAUSE_MS = 100
/** Shortest time for which another attempt is made. */
const MIN_ATTEMPT_MS = 50

/** gRPC status codes. The client itself cancels calls, when it is closed. */
const CANCELLED = 1
const INVALID_ARGUMENT = 3
const NOT_FOUND = 5
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const FAILED_PRECONDITION = 9
const OUT_OF_RANGE = 11
const UNIMPLEMENTED = 12
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

/** Codes by which a member rejects a request, which it has not applied then. */
const REJECTIONS = new Set([INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED, UNAUTHENTICATED])

interface FailedCall {
  applied: 'none' | 'maybe'
  /** True when the member rejected the request: the others would too. */
  isRejection: boolean
}

/** Interprets the error of a call to one member. `none` is only what provably was not applied. */
export function interpretError({ code, message, isSent }: CallError): FailedCall {
  if (REJECTIONS.has(code)) return { applied: 'none', isRejection: !message.endsWith('not leader') }
  if (!isSent) return { applied: 'none', isRejection: false }
  // etcd refuses these before it proposes the change. With the same code, the transport reports a response that is too large.
  if (code === RESOURCE_EXHAUSTED && message.startsWith('etcdserver: mvcc: database space exceeded')) return { applied: 'none', isRejection: true }
  if (code === RESOURCE_EXHAUSTED && message.startsWith('etcdserver: too many requests')) return { applied: 'none', isRejection: false }
  if (code === UNAVAILABLE && /^etcdserver: (no leader|rpc not supported for learner)$/.test(message)) return { applied: 'none', isRejection: false }
  return { applied: 'maybe', isRejection: false }
}

/** The members of a cluster: which one to ask first, and which did not answer lately. */
export interface Members {
  readonly connections: readonly Connection[]
  /** Returns the member that answered last, or the next one after it has failed. */
  preferred(): Connection
  noteAnswer(connection: Connection): void
  noteFailure(connection: Connection): void
  /** True when no member has answered since each of them failed. */
  haveAllFailed(): boolean
}

/** Creates the list of members. @throws Error without connections */
export function createMembers(connections: readonly Connection[]): Members {
  const [first] = connections
  if (first === undefined) throw new Error('etcd has no endpoints')
  let preferred = first
  const failed = new Set<Connection>()
  return {
    connections,
    preferred: () => preferred,
    noteAnswer(connection) {
      failed.clear()
      preferred = connection
    },
    noteFailure(connection) {
      failed.add(connection)
      if (connection === preferred) preferred = connections[connections.indexOf(connection) + 1] ?? first
    },
    haveAllFailed: () => failed.size === connections.length,
  }
}

interface Attempts {
  /** Maximum duration of the call. */
  timeoutMs: number
  /** Maximum duration of one attempt. */
  attemptMs: number
  /** True when a second application does no harm. */
  isRepeatable: boolean
}

/**
 * Makes attempts until one succeeds, a member rejects the request, or the time is over. Rejects at once when the request
 * may have been applied and must not be applied twice.
 * @throws EtcdError
 */
export async function attemptCall<T>(
  members: Members,
  { timeoutMs, attemptMs, isRepeatable }: Attempts,
  attempt: (connection: Connection, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const end = performance.now() + timeoutMs
  let applied: 'none' | 'maybe' = 'none'
  let last = 'no attempt'
  for (let count = 1; ; count++) {
    const connection = members.preferred()
    const rest = end - performance.now()
    if (rest < MIN_ATTEMPT_MS && count > 1) throw new EtcdError(`etcd does not answer: ${last}`, applied, true)
    try {
      const result = await attempt(connection, Math.min(attemptMs, rest))
      members.noteAnswer(connection)
      return result
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      const { isRejection, applied: appliedNow } = interpretError(error)
      if (isRejection) {
        if (error.isSent) members.noteAnswer(connection)
        throw new EtcdError(error.message, applied, false)
      }
      if (appliedNow === 'maybe') applied = 'maybe'
      if (error.code === CANCELLED) throw new EtcdError(error.message, applied, true)
      members.noteFailure(connection)
      last = `${connection.endpoint}: ${error.message}`
      if (applied === 'maybe' && !isRepeatable) throw new EtcdError(`etcd does not answer: ${last}; the change may have been applied`, 'maybe', true)
    }
    if (count % members.connections.length === 0) await pause(Math.min(PAUSE_MS, Math.max(0, end - performance.now())))
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Ignores a rejection, which is an answer. */
function unlessRejected(error: unknown): void {
  if (!(error instanceof CallError && interpretError(error).isRejection)) throw error
}

export interface Breaker {
  /** Runs a call, which gets the milliseconds that it has left; while etcd does not answer, rejects at once without running it. @throws EtcdError */
  run<T>(timeoutMs: number, call: (restMs: number) => Promise<T>): Promise<T>
}

/**
 * Creates a breaker. It opens when a call failed and no member has answered since each of them failed. After 2 s, the next
 * call asks all members by `probe`, and runs when one of them answers.
 */
export function createBreaker(members: Members, log: Log, probe: (connection: Connection, timeoutMs: number) => Promise<unknown>): Breaker {
  let openUntil: number | undefined
  let isProbing = false

  const refuse = (): never => {
    throw new EtcdError('etcd does not answer', 'none', true)
  }

  async function close(timeoutMs: number): Promise<void> {
    isProbing = true
    try {
      members.noteAnswer(
        await Promise.any(members.connections.map((connection) => probe(connection, timeoutMs).catch(unlessRejected).then(() => connection))),
      )
      openUntil = undefined
      log.info('etcd answers again')
    } catch {
      openUntil = performance.now() + BREAK_MS
      refuse()
    } finally {
      isProbing = false
    }
  }

  return {
    async run(timeoutMs, call) {
      const start = performance.now()
      if (openUntil !== undefined) {
        if (isProbing || start < openUntil) refuse()
        await close(Math.min(PROBE_MS, timeoutMs))
      }
      try {
        return await call(timeoutMs - (performance.now() - start))
      } catch (error) {
        if (error instanceof EtcdError && error.isUnavailable && members.haveAllFailed() && openUntil === undefined) {
          openUntil = performance.now() + BREAK_MS
          log.warn('etcd does not answer', { cause: error.message })
        }
        throw error
      }
    },
  }
}
