/**
 * All metrics of `GET /metrics`: names, types, help, and label values. The list is closed and excludes user names, ids and
 * addresses, so that metrics reveal no personal data.
 */
import type { PeerState } from '../../sync/peers/status.js'
import type { Store } from '../../store/index.js'

/**
 * Outcomes of a call. `refused`: a failure on the caller's side; `unavailable`: one on the node's side, such as a full disk;
 * `failed`: an unexpected error.
 */
export const OUTCOMES = ['ok', 'refused', 'unavailable', 'failed'] as const
export type CallOutcome = (typeof OUTCOMES)[number]

/** Label of HTTP requests that match no method. */
export const NO_METHOD = 'none'

export const PEER_STATES: readonly PeerState[] = ['in-sync', 'syncing', 'behind', 'offline', 'refused']
export const STORE_STATES: readonly Store['state'][] = ['writable', 'full', 'read-only']
export const WEBHOOK_RESULTS = ['sent', 'failed'] as const

/** Values of a label; `methods` are the ids of methods.ts and NO_METHOD; `version` is that of the product. */
type Values = readonly string[] | 'methods' | 'version'

interface Described {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: Readonly<Record<string, Values>>
}

const counter = (help: string, labels: Described['labels'] = {}): Described => ({ type: 'counter', help, labels })
const gauge = (help: string, labels: Described['labels'] = {}): Described => ({ type: 'gauge', help, labels })
const histogram = (help: string, labels: Described['labels'] = {}): Described => ({ type: 'histogram', help, labels })

export const vocabulary = {
  coffer_build_info: gauge('Version of the node; always 1.', { version: 'version' }),
  coffer_calls_total: counter('Calls of methods over all transports, including batches and the calls in them.', {
    method: 'methods',
    outcome: OUTCOMES,
  }),
  coffer_call_duration_seconds: histogram('Duration of methods until their result, for all outcomes.', {
    method: 'methods',
  }),
  coffer_commits_total: counter('Commits written to disk.'),
  coffer_commit_duration_seconds: histogram('Duration of commits until they are on disk.'),
  coffer_commit_entries: histogram('Journal entries per commit; commits without any hold data that may be lost in a crash.'),
  coffer_store_state: gauge('1 for the current state of the store, else 0.', { state: STORE_STATES }),
  coffer_sync_peers: gauge('Peers of all accounts, by state.', { state: PEER_STATES }),
  coffer_sync_behind_entries: gauge('Known journal entries still to receive from peers.'),
  coffer_sync_ahead_entries: gauge('Known journal entries that peers have not acknowledged.'),
  coffer_sync_sent_bytes_total: counter('Bytes sent to other nodes.'),
  coffer_sync_received_bytes_total: counter('Bytes received from other nodes.'),
  coffer_webhook_calls_total: counter('Calls of webhooks, by result.', { result: WEBHOOK_RESULTS }),
  coffer_webhooks_stopped_total: counter('Webhooks stopped after too many failures, or because their access ended.'),
  coffer_websockets_open: gauge('Connections of clients by websocket or long polling.'),
  coffer_consent_messages_waiting: gauge('Messages between accounts in delivery or waiting for a retry.'),
  coffer_certificate_expiry_timestamp_seconds: gauge('Expiry time of the HTTPS certificate of the node, in seconds since 1970; absent without one.'),
  coffer_heap_used_bytes: gauge('Memory in use by JavaScript.'),
  coffer_event_loop_utilization: gauge('Share of time that the event loop was busy since the start, 0 to 1.'),
  process_cpu_seconds_total: counter('Processor time of user and system.'),
  process_resident_memory_bytes: gauge('Memory of the process.'),
  process_start_time_seconds: gauge('Start time of the process, in seconds since the epoch.'),
} as const satisfies Record<string, Described>

export type MetricName = keyof typeof vocabulary
