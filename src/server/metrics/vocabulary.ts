/**
 * Everything that `GET /metrics` can say: names, types, help, and the values of each label. The list is closed: user
 * names, ids and addresses have no place in it, so that whoever reads the figures learns nothing about persons.
 */
import type { PeerState } from '../../sync/connections/status.js'
import type { Store } from '../../store/index.js'

/**
 * What becomes of a call. `refused`: by a failure that is the caller's to mend; `unavailable`: by one that is the node's,
 * such as a full disk; `failed`: by none of the catalogue.
 */
export const OUTCOMES = ['ok', 'refused', 'unavailable', 'failed'] as const
export type CallOutcome = (typeof OUTCOMES)[number]

/** The method of an HTTP request that means none. */
export const NO_METHOD = 'none'

export const PEER_STATES: readonly PeerState[] = ['in-sync', 'syncing', 'behind', 'offline', 'refused']
export const STORE_STATES: readonly Store['state'][] = ['writable', 'full', 'read-only']
export const WEBHOOK_RESULTS = ['sent', 'failed'] as const

/** Values of a label; `methods` are the ids of methods.ts, and NO_METHOD; `version` is the one of the product. */
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
  coffer_calls_total: counter('Calls of methods through all doors, those of a batch and the batch itself among them.', {
    method: 'methods',
    outcome: OUTCOMES,
  }),
  coffer_call_duration_seconds: histogram('How long methods ran until their result was there, by whatever it ended.', {
    method: 'methods',
  }),
  coffer_commits_total: counter('Commits that are on disk.'),
  coffer_commit_duration_seconds: histogram('How long commits took to be on disk.'),
  coffer_commit_entries: histogram('Entries of the journal in a commit; those without carry what may be lost in a crash.'),
  coffer_store_state: gauge('1 for the state that the store is in, else 0.', { state: STORE_STATES }),
  coffer_sync_peers: gauge('Peers of all accounts, by state.', { state: PEER_STATES }),
  coffer_sync_behind_entries: gauge('Entries of peers still to come, as far as is known.'),
  coffer_sync_ahead_entries: gauge('Entries that peers have not acknowledged, as far as is known.'),
  coffer_sync_sent_bytes_total: counter('Bytes sent to other nodes.'),
  coffer_sync_received_bytes_total: counter('Bytes received from other nodes.'),
  coffer_webhook_calls_total: counter('Calls of webhooks, by whether the receiver took them.', { result: WEBHOOK_RESULTS }),
  coffer_webhooks_stopped_total: counter('Webhooks that are called no more, after too many failures or without their access.'),
  coffer_websockets_open: gauge('Connections of clients by websocket or long polling.'),
  coffer_consent_messages_waiting: gauge('Messages between accounts that are under way or waiting to be tried again.'),
  coffer_certificate_expiry_timestamp_seconds: gauge('When the certificate of the HTTPS of the node expires, in seconds since 1970; absent without one.'),
  coffer_heap_used_bytes: gauge('Memory in use by JavaScript.'),
  coffer_event_loop_utilization: gauge('Share of its time that the process was busy since it started, 0 to 1.'),
  process_cpu_seconds_total: counter('Processor time of user and system.'),
  process_resident_memory_bytes: gauge('Memory of the process.'),
  process_start_time_seconds: gauge('When the process started, in seconds since the epoch.'),
} as const satisfies Record<string, Described>

export type MetricName = keyof typeof vocabulary
