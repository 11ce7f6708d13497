/** Client of an etcd cluster over gRPC: each call has a deadline, and moves on from members that do not answer. */
import { randomBytes } from 'node:crypto'
import type { Log } from '../../../base/log.js'
import { EtcdError, type EtcdClient, type Operation, type TransactionRequest } from './api.js'
import type { StoreMember } from '../port.js'
import { attemptCall, createBreaker, createMembers, type Breaker } from './attempts.js'
import { COMPACT, GRANT, KEEP_ALIVE, RANGE, REVOKE, STATUS, TRANSACTION, type Method } from './etcdMessages.js'
import { startWatch } from './watcher.js'
import { createConnection, type Connection, type TlsFiles } from './wire.js'

const TIMEOUT_MS = 6000
const ATTEMPT_MS = 1500
const STATUS_MS = 1500

export interface EtcdClientOptions {
  /** Addresses of the members, such as `https://10.0.0.1:2379`. */
  endpoints: readonly string[]
  /** Required for certificates of an own authority, and where members ask for one of their clients. */
  tls?: TlsFiles
  log: Log
  /** Milliseconds until a call fails, over all attempts. */
  timeoutMs?: number
  /** Milliseconds until an attempt moves on to the next member. */
  attemptMs?: number
}

interface CallRules {
  timeoutMs: number | undefined
  /** True when a second application does no harm. */
  isRepeatable: boolean
  /** True when a single member can answer. */
  isSerializable?: boolean
}

/** Creates a client. It connects at the first call. */
export function createEtcdClient({ endpoints, tls = {}, log, timeoutMs: defaultMs = TIMEOUT_MS, attemptMs }: EtcdClientOptions): EtcdClient {
  const connections = endpoints.map((endpoint) => createConnection(endpoint, tls))
  /** Members as seen by calls that need a majority, by reads of a single member, and by watches: each may fail for itself. */
  const members = createMembers(connections)
  const readable = createMembers(connections)
  const watched = createMembers(connections)
  const breaker = createBreaker(members, log, createProbe(false))
  const readBreaker = createBreaker(readable, log, createProbe(true))
  const watches = new Set<() => void>()
  let isClosed = false
  // With a single member, there is no other one to move on to: a slow answer is better than an unknown outcome.
  const maxAttemptMs = (timeoutMs: number): number => attemptMs ?? (connections.length === 1 ? Math.max(ATTEMPT_MS, timeoutMs / 2) : ATTEMPT_MS)

  function call<Request, Response>(method: Method<Request, Response>, request: Request, rules: CallRules): Promise<Response> {
    const { timeoutMs = defaultMs, isRepeatable, isSerializable = false } = rules
    if (isClosed) return Promise.reject(new EtcdError('The client is closed', 'none', true))
    const gate: Breaker = isSerializable ? readBreaker : breaker
    return gate.run(timeoutMs, (restMs) =>
      attemptCall(isSerializable ? readable : members, { timeoutMs: restMs, attemptMs: maxAttemptMs(timeoutMs), isRepeatable }, (connection, ms) =>
        connection.call(method, request, { timeoutMs: ms, needsLeader: !isSerializable }),
      ),
    )
  }

  const client: EtcdClient = {
    range: (request, { timeoutMs } = {}) =>
      call(RANGE, request, { timeoutMs, isRepeatable: true, isSerializable: request.isSerializable === true }),

    transaction: (request, { timeoutMs } = {}) => call(TRANSACTION, request, { timeoutMs, isRepeatable: isReadOnly(request) }),

    async compact(revision, { timeoutMs } = {}) {
      await call(COMPACT, revision, { timeoutMs, isRepeatable: true }).catch(unlessRejected('required revision has been compacted'))
    },

    async grant(seconds, { timeoutMs } = {}) {
      // An id of its own: a repetition of the call grants no second lease.
      const lease = newLeaseId()
      await call(GRANT, { lease, seconds }, { timeoutMs, isRepeatable: true }).catch(unlessRejected('lease already exists'))
      return lease
    },

    async revoke(lease, { timeoutMs } = {}) {
      await call(REVOKE, lease, { timeoutMs, isRepeatable: true }).catch(unlessRejected('requested lease not found'))
    },

    keepAlive: (lease, { timeoutMs } = {}) => call(KEEP_ALIVE, lease, { timeoutMs, isRepeatable: true }),

    watch(prefix, afterRevision, listener) {
      const currentRevision = async (): Promise<number> => (await client.range({ key: prefix, countOnly: true })).revision
      const stop = startWatch({ members: watched, log, currentRevision }, prefix, afterRevision, listener)
      watches.add(stop)
      return () => {
        watches.delete(stop)
        stop()
      }
    },

    status: (timeoutMs = STATUS_MS) => Promise.all(connections.map((connection) => memberStatus(connection, timeoutMs))),

    close() {
      isClosed = true
      for (const stop of watches) stop()
      for (const connection of connections) connection.close()
    },
  }
  return client
}

/** Returns a call that any member answers: `isSerializable` from its own state, otherwise with a majority. */
function createProbe(isSerializable: boolean) {
  return (connection: Connection, timeoutMs: number): Promise<unknown> =>
    connection.call(RANGE, { key: 'probe', countOnly: true, ...(isSerializable ? { isSerializable } : {}) }, { timeoutMs, needsLeader: !isSerializable })
}

function isReadOnly({ then, else: otherwise = [] }: TransactionRequest): boolean {
  return [...then, ...otherwise].every((operation: Operation) => 'range' in operation)
}

/** Returns a handler that ignores a rejection which says that there is nothing left to do. */
function unlessRejected(reason: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof EtcdError && !error.isUnavailable && error.message.includes(reason))) throw error
  }
}

/** Draws the id of a lease: 62 random bits, in decimal, never 0. */
const newLeaseId = (): string => ((randomBytes(8).readBigUInt64BE() >> 2n) | 1n).toString()

async function memberStatus(connection: Connection, timeoutMs: number): Promise<StoreMember> {
  const { endpoint } = connection
  try {
    const { header, version, dbBytes, leaderId, errors } = await connection.call(STATUS, undefined, { timeoutMs, needsLeader: false })
    const alarms = new Set(errors.flatMap((error) => /\balarm:(\w+)/.exec(error)?.[1] ?? []))
    return {
      endpoint, version, dbBytes, revision: header.revision, isLeader: leaderId === header.memberId, alarms: [...alarms],
      ...(leaderId === '0' ? { problem: 'The member has no leader' } : {}),
    }
  } catch (error) {
    return { endpoint, problem: error instanceof Error ? error.message : String(error) }
  }
}
