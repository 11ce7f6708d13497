/**
 * Asks the members of etcd about themselves over plain HTTP, which every member serves on its client port. Needs neither the
 * registry nor gRPC: before a core joins there is no registry yet.
 */
import { rootCertificates } from 'node:tls'
import { parseJsonObject } from '../../../store/model/json.js'
import type { Secret } from '../../../store/model/secret.js'
import { beginRequest } from '../../httpClient/begin.js'
import { responseText } from '../../httpClient/responseText.js'

/** How etcd is reached. Texts are in PEM. */
export interface EtcdAccess {
  endpoints: readonly string[]
  caPem?: string | undefined
  certPem?: string | undefined
  keyPem?: Secret<string> | undefined
}

/** State of a member. Members of unknown value are null: the member did not answer, or does not state them. */
export interface EtcdMember {
  endpoint: string
  /** Cause of an absent answer; null for a member that answered. */
  problem: string | null
  version: string | null
  /** False while an alarm is raised, such as that of a full disk, or there is no leader. */
  healthy: boolean | null
  isLeader: boolean | null
  dbBytes: number | null
}

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Asks every member at once, for at most three seconds each. Never rejects. */
export const probeEtcd = (access: EtcdAccess): Promise<EtcdMember[]> => Promise.all(access.endpoints.map((endpoint) => probeMember(endpoint, access)))

async function probeMember(endpoint: string, access: EtcdAccess): Promise<EtcdMember> {
  const unknown: EtcdMember = { endpoint, problem: null, version: null, healthy: null, isLeader: null, dbBytes: null }
  try {
    const [version, health, metrics] = await Promise.all(['/version', '/health', '/metrics'].map((path) => get(new URL(path, endpoint).href, access)))
    const product = parseJsonObject(version ?? '')?.['etcdserver']
    if (typeof product !== 'string') return { ...unknown, problem: 'it is not etcd' }
    return {
      ...unknown,
      version: product,
      healthy: String(parseJsonObject(health ?? '')?.['health']) === 'true',
      isLeader: flagOf(gauge(metrics, 'etcd_server_is_leader')),
      dbBytes: gauge(metrics, 'etcd_mvcc_db_total_size_in_bytes'),
    }
  } catch (error) {
    return { ...unknown, problem: causeOf(error) }
  }
}

/** Returns the text of an answer. Members answer `/health` with 503 while they are not healthy. */
function get(url: string, { caPem, certPem, keyPem }: EtcdAccess): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = beginRequest(url, {
      verb: 'GET',
      headers: { 'user-agent': 'coffer' },
      ...(caPem === undefined ? {} : { ca: [...rootCertificates, caPem] }),
      ...(certPem === undefined || keyPem === undefined ? {} : { identity: { cert: certPem, key: keyPem.reveal() } }),
      answered: (response) => void responseText(response, MAX_ANSWER_BYTES).then(resolve, reject),
    })
    if (typeof sent === 'string') return reject(new Error(sent))
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(Object.assign(new Error('timeout'), { code: 'timeout' })))
    sent.on('error', reject)
    sent.end()
  })
}

/** Returns the value of a metric in the text format of Prometheus; null when it is absent. */
function gauge(metrics: string | undefined, name: string): number | null {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics ?? '')?.[1]
  return value === undefined || Number.isNaN(Number(value)) ? null : Number(value)
}

const flagOf = (value: number | null): boolean | null => (value === null ? null : value === 1)

function causeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : error instanceof Error ? error.message : 'unreachable'
}
