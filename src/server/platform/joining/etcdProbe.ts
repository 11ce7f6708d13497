/**
 * Checks whether members of etcd answer, over plain HTTP, which every member serves on its client port. Needs neither the registry
 * nor gRPC: before a core joins there is no registry yet.
 */
import { rootCertificates } from 'node:tls'
import { parseJsonObject } from '../../../store/model/json.js'
import type { Secret } from '../../../store/model/secret.js'
import { beginRequest } from '../../httpClient/begin.js'
import { responseText } from '../../httpClient/responseText.js'

/** How etcd is reached. Texts are in PEM. */
interface EtcdAccess {
  endpoints: readonly string[]
  caPem?: string | undefined
  certPem?: string | undefined
  keyPem?: Secret<string> | undefined
}

/** A member that was asked. */
export interface EtcdMember {
  endpoint: string
  /** Cause of an absent answer; null for a member that answered. */
  problem: string | null
  version: string | null
}

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 64 * 1024

/** Asks every member at once, for at most three seconds each. Never rejects. */
export const probeEtcd = (access: EtcdAccess): Promise<EtcdMember[]> => Promise.all(access.endpoints.map((endpoint) => probeMember(endpoint, access)))

async function probeMember(endpoint: string, access: EtcdAccess): Promise<EtcdMember> {
  try {
    const version = parseJsonObject(await get(new URL('/version', endpoint).href, access))?.['etcdserver']
    return typeof version === 'string' ? { endpoint, problem: null, version } : { endpoint, problem: 'it is not etcd', version: null }
  } catch (error) {
    return { endpoint, problem: causeOf(error), version: null }
  }
}

/** Returns the text of an answer. */
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

function causeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : error instanceof Error ? error.message : 'unreachable'
}
