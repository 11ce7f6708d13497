/**
 * The part of etcd's API that the registry uses, as an interface (etcd API v3: KV, Lease, Watch, Maintenance, Cluster). `client.ts`
 * implements it over gRPC. Keys and values are text; revisions are safe integers; ids of leases are decimal text, since they
 * use all 64 bits.
 */
import type { StoreMember } from '../port.js'

/** A key with its value, as of one revision. */
export interface KeyValue {
  key: string
  value: string
  /** Revision of the latest change of the key; compared by `ifRevision`. */
  revision: number
  /** Id of the lease that the key ends with; absent for keys without one. */
  lease?: string
}

/** Condition of a transaction: if all hold, it runs `then`, otherwise `else`. */
export type Condition =
  | { key: string; isAbsent: true }
  | { key: string; isPresent: true }
  /** The key was not changed since this revision. */
  | { key: string; ifRevision: number }

/** Reads a key, or all keys with a prefix in order. */
export interface RangeRequest {
  key: string
  isPrefix?: true
  /** Start within the prefix, exclusive: the last key of the page before. */
  after?: string
  /** Maximum number of keys; all by default. */
  limit?: number
  keysOnly?: true
  countOnly?: true
  /** Reads the member's own state, which may be behind. By default a read sees every acknowledged change. */
  isSerializable?: true
  /** Reads the state as of an earlier revision. */
  revision?: number
}

export interface RangeResult {
  items: KeyValue[]
  /** Number of keys in the range, also beyond `limit`. */
  count: number
  /** Revision of the whole store at the time of the read. */
  revision: number
}

export type Operation =
  | { put: string; value: string; lease?: string }
  | { delete: string; isPrefix?: true }
  | { range: RangeRequest }

export interface TransactionRequest {
  /** All must hold; none: `then` runs. */
  if?: readonly Condition[]
  then: readonly Operation[]
  else?: readonly Operation[]
}

export interface TransactionResult {
  /** True when the conditions held. */
  succeeded: boolean
  revision: number
  /** Results of the operations that ran, in their order. */
  results: ({ put: true } | { deleted: number } | RangeResult)[]
}

/** Change of a key: `item` is absent for a removal. */
export interface WatchEvent {
  key: string
  revision: number
  item?: KeyValue
}

export interface WatchListener {
  /** Receives the changes of a prefix in the order of their revisions, each exactly once, also over reconnections. */
  changed(events: readonly WatchEvent[]): void
  /**
   * Called when changes may be missing because etcd compacted them: the listener reads the prefix again, and continues from the
   * revision that it returns.
   */
  lost(): Promise<number>
}

interface CallOptions {
  /** Milliseconds until the call fails, over all attempts; the default is that of the client. */
  timeoutMs?: number
}

/**
 * Error of a call to etcd. `maybe`: the change may have been applied or not. `none`: it was not.
 * `isUnavailable` is true when etcd gave no answer or has no majority, false when it rejected the request.
 */
export class EtcdError extends Error {
  constructor(
    message: string,
    readonly applied: 'none' | 'maybe',
    readonly isUnavailable: boolean,
  ) {
    super(message)
  }
}

/** Client of one etcd cluster. Every call has a deadline, and rejects with EtcdError. */
export interface EtcdClient {
  range(request: RangeRequest, options?: CallOptions): Promise<RangeResult>
  transaction(request: TransactionRequest, options?: CallOptions): Promise<TransactionResult>
  compact(revision: number, options?: CallOptions): Promise<void>
  /** Grants a lease of some seconds; resolves with its id. */
  grant(seconds: number, options?: CallOptions): Promise<string>
  revoke(lease: string, options?: CallOptions): Promise<void>
  /** Renews a lease; resolves with the seconds that it now has, 0 when it has ended. */
  keepAlive(lease: string, options?: CallOptions): Promise<number>
  /** Follows the changes of a prefix after a revision. Returns a function that stops. */
  watch(prefix: string, afterRevision: number, listener: WatchListener): () => void
  /** Asks every member. Never rejects. */
  status(timeoutMs?: number): Promise<StoreMember[]>
  close(): void
}
