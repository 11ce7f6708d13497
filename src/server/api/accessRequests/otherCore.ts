/**
 * Access requests of other cores of the platform (docs/interface/access-requests.md#cores). A request is in the memory of the core
 * that made it. The platform knows which core that is, by a digest of the key, so that calls that arrive at another core are
 * passed on.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import type { PlatformCall, Result, Verb } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { forward, silent, type CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { coreOfHolder, type ReachableCore } from '../../platform/cores/wrongCore.js'
import type { AccessRequestDeps } from './requests.js'

/** Family of records: `{ core }` by the digest of a key, until the request expires. */
const FAMILY = 'access-key'
/** Maximum time that the creation of a request waits for its record, in milliseconds. */
const PUBLISH_MS = 1500
/** Timeout of a call to the core of a request, in milliseconds. */
const RELAY_MS = 5000
/** Maximum size of an answer of that core: clients may send large `clientData`. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024

const KEY = /^[A-Za-z0-9_-]{16}$/

const idOf = (key: string): string => createHash('sha256').update(key).digest('base64url')

const unknownKey = (): Failure => new Failure('unknown-access-key')

/** Stores which core has a request. Failures are logged: without the record, only this core answers for the request. */
export async function publishKey({ registry, log }: Context, { key, expiresAt }: AccessRequest): Promise<void> {
  if (!registry.isShared) return
  const published = registry.records
    .change(FAMILY, idOf(key), () => ({ put: { core: registry.core }, expires: expiresAt, result: undefined }))
    .catch((error: unknown) => log.warn('other cores cannot answer for an access request', { error: String(error) }))
  await Promise.race([published, wait(PUBLISH_MS, undefined, { ref: false })])
}

/**
 * Returns the other core that has a request.
 * @throws Failure `unknown-access-key` when none has it, or it left the platform; `platform-unavailable`
 */
export async function coreOfRequest(node: Context, key: string): Promise<ReachableCore> {
  const { registry } = node
  const record = registry.isShared && KEY.test(key) ? ((await registry.records.get(FAMILY, idOf(key))) as { core: string } | undefined) : undefined
  const view = record === undefined || record.core === registry.core ? undefined : registry.cores.get(record.core)
  if (view === undefined || view.state === 'lost') throw unknownKey()
  return coreOfHolder(node, { core: view.id })
}

/** Returns the failure of a core without an answer. The requests of a core whose process ended are lost. */
export const unanswered = (core: ReachableCore) => (): Failure => (core.isLive ? silent(core) : unknownKey())

/** The states of requests are results, although that of a refused one is answered with 403. */
export const isState = ({ status, body }: { status: number; body: Record<string, unknown> }): boolean =>
  typeof body['status'] === 'string' && (status < 300 || status === 403)

/** A call about a request. */
interface RequestCall {
  key: string
  verb: Verb
  body?: object
}

/**
 * Runs `here` for a request of this core. Otherwise makes the call at the core that has the request, and returns its result.
 * @throws Failure `unknown-access-key`, `platform-unavailable`; of the other core
 */
export async function atRequest(
  { node, origin, fromCore }: PlatformCall<AccessRequestDeps & CoreCallDeps>,
  { key, verb, body }: RequestCall,
  here: () => Promise<Result> | Result,
): Promise<Result> {
  if (node.accessRequests.has(key)) return here()
  if (fromCore !== undefined) throw unknownKey()
  const core = await coreOfRequest(node, key)
  const client = origin.ip === undefined ? {} : { client: origin.ip }
  const request = { verb, path: `/reg/access/${key}`, ...(body === undefined ? {} : { body }), ...client, timeoutMs: RELAY_MS, maxBytes: MAX_REQUEST_BYTES }
  return forward(node, core, request, { unanswered: unanswered(core), isResult: isState })
}
