/** Collects the current metrics of a node. */
import { countOf } from '../../store/engine/histogram.js'
import type { Context } from '../call/context.js'
import { productVersion } from '../base/version.js'
import type { Figures, Sample } from './text.js'
import { OUTCOMES, PEER_STATES, STORE_STATES, WEBHOOK_RESULTS } from './vocabulary.js'
import type { MetricsDeps } from './counters.js'
import type { CertificateDeps } from '../tls/certificate.js'
import type { ConsentDeps } from '../api/consents/service.js'
import type { SyncDeps } from '../sync/sync.js'

export async function figuresOf(node: Context & CertificateDeps & ConsentDeps & MetricsDeps & SyncDeps): Promise<Figures> {
  const { metrics, store, consents } = node
  const { traffic, webhooks, websockets } = metrics
  const calls = [...metrics.calls].sort(([a], [b]) => (a < b ? -1 : 1))
  const { seconds, entries } = store.commitFigures
  const expiresAt = node.certificates.expiresAt()
  const { behind, ahead, states } = await peersOf(node)
  return {
    coffer_build_info: [{ labels: { version: productVersion() }, value: 1 }],
    coffer_calls_total: calls.flatMap(([method, figures]) =>
      OUTCOMES.map((outcome) => ({ labels: { method, outcome }, value: figures[outcome] })),
    ),
    coffer_call_duration_seconds: calls.map(([method, figures]) => ({ labels: { method }, value: figures.seconds })),
    coffer_commits_total: one(countOf(seconds)),
    coffer_commit_duration_seconds: [{ value: seconds }],
    coffer_commit_entries: [{ value: entries }],
    coffer_store_state: STORE_STATES.map((state) => ({
      labels: { state },
      value: store.state === state ? 1 : 0,
    })),
    coffer_sync_peers: states,
    coffer_sync_behind_entries: one(behind),
    coffer_sync_ahead_entries: one(ahead),
    coffer_sync_sent_bytes_total: one(traffic.sent),
    coffer_sync_received_bytes_total: one(traffic.received),
    coffer_webhook_calls_total: WEBHOOK_RESULTS.map((result) => ({ labels: { result }, value: webhooks[result] })),
    coffer_webhooks_stopped_total: one(webhooks.stopped),
    coffer_websockets_open: one(websockets),
    coffer_consent_messages_waiting: one(consents.waiting),
    coffer_certificate_expiry_timestamp_seconds: expiresAt === undefined ? [] : one(expiresAt / 1000),
    coffer_heap_used_bytes: one(process.memoryUsage().heapUsed),
    coffer_event_loop_utilization: one(performance.eventLoopUtilization().utilization),
    process_cpu_seconds_total: one(processorSeconds()),
    process_resident_memory_bytes: one(process.memoryUsage.rss()),
    process_start_time_seconds: one(performance.timeOrigin / 1000),
  }
}

const one = (value: number): Sample[] => [{ value }]

async function peersOf({ sync }: Context & SyncDeps): Promise<{ behind: number; ahead: number; states: Sample[] }> {
  const statuses = await sync.peers.statuses()
  const sum = (of: 'behind' | 'ahead'): number => statuses.reduce((total, status) => total + (status[of] ?? 0), 0)
  const states = PEER_STATES.map((state) => ({
    labels: { state },
    value: statuses.filter((status) => status.state === state).length,
  }))
  return { behind: sum('behind'), ahead: sum('ahead'), states }
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
