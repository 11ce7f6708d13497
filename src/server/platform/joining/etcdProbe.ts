/**
 * Checks whether members of etcd answer, over plain HTTP, which every member serves on its client port. Needs neither the registry
 * nor gRPC: before a core joins there is no registry yet.
 */
import { rootCertificates } from 'node:tls'
import type { Secret } from '../../../store/model/secret.js'
import { send } from '../../httpClient/http.js'

/** Addresses and certificates by which etcd is reached. Texts are in PEM. */
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

/** Asks every member at once, for at most three seconds each. Never rejects. */
export const probeEtcd = (access: EtcdAccess): Promise<EtcdMember[]> => Promise.all(access.endpoints.map((endpoint) => probeMember(endpoint, access)))

async function probeMember(endpoint: string, { caPem, certPem, keyPem }: EtcdAccess): Promise<EtcdMember> {
  const answer = await send({
    ...{ verb: 'GET', url: new URL('/version', endpoint).href, timeoutMs: TIMEOUT_MS },
    ...(caPem === undefined ? {} : { ca: [...rootCertificates, caPem] }),
    ...(certPem === undefined || keyPem === undefined ? {} : { identity: { cert: certPem, key: keyPem.reveal() } }),
  })
  if (!('body' in answer)) return { endpoint, problem: answer.cause, version: null }
  const version = answer.body['etcdserver']
  return typeof version === 'string' ? { endpoint, problem: null, version } : { endpoint, problem: 'it is not etcd', version: null }
}
