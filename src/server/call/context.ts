/**
 * Services that every method may use. A feature that needs more declares it beside its service (`MailDeps`, `MfaDeps` …), and its
 * functions take `Context & MailDeps`; only the composition root knows all of them (`Node`, index.ts).
 */
import type { EventTypes } from '../../store/model/eventTypes/types.js'
import type { SystemStreams } from '../../store/model/systemStreams.js'
import type { Store } from '../../store/index.js'
import type { Registry } from '../platform/registry/port.js'
import type { AccountCache } from './accountCache.js'
import type { Auditor } from '../audit/auditor.js'
import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Config } from '../config/config.js'
import type { Revocations } from './caller.js'
import type { UsageTracker } from './usage.js'

/** Counts calls for monitoring. */
export interface CallCounters {
  /** Counts a successful call. `began` is the `performance.now()` of its start. */
  succeeded(method: string, began: number): void
  /** Counts a call that ended with an error. */
  failed(method: string, began: number, error: unknown): void
}

export interface Context {
  readonly store: Store
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly eventTypes: EventTypes
  readonly systemStreams: SystemStreams
  /** Unique names, and records of the platform. */
  readonly registry: Registry
  readonly accounts: AccountCache
  readonly audit: Auditor
  /** Uses of accesses. */
  readonly usage: UsageTracker
  readonly metrics: CallCounters
  /** Revoked OAuth clients and DPoP keys. */
  readonly revocations: Revocations
  newId(): string
  /** Returns the base address by which clients reach this node, without trailing slash. */
  publicBase(): string
}
