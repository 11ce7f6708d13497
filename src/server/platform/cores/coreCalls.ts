/**
 * Calls from core to core of a platform (docs/interface/conventions.md#cores). The header `Coffer-Core` names the calling core and
 * holds its signature of the call: `<id>;<seconds>;<nonce>;<signature>`, base64url. The signature covers both cores, method, path,
 * query, body, time, nonce and the header `Coffer-Client`, the address of the client on whose behalf the core calls. Nonces are in
 * memory: a restarted core would accept a call of the last seconds again.
 */
import { hash, randomBytes } from 'node:crypto'
import { Failure } from '../../../store/model/failure.js'
import { isSignedBy, nodeBytes, type Signer } from '../../../sync/channel/signer.js'
import { PassedFailure } from '../../base/passedFailure.js'
import type { Verb } from '../../call/method.js'
import { send, type Answer } from '../../httpClient/http.js'
import { platformUnavailable, type Registry } from '../registry/port.js'
import type { ReachableCore } from './wrongCore.js'

export const CORE_HEADER = 'coffer-core'
export const CLIENT_HEADER = 'coffer-client'

/** Age at which a signature expires, and the maximum difference of clocks, in seconds. */
const MAX_AGE_SECONDS = 30
/** Maximum number of nonces in memory: a thousand calls a second. */
const MAX_NONCES = 60_000
const HEADER = /^([a-z0-9-]{1,63});(\d{1,12});([A-Za-z0-9_-]{22});([A-Za-z0-9_-]{86})$/

/** A call to another core. */
export interface CoreRequest {
  verb: Verb
  /** Path below the root of the core, with the query: `/users`. */
  path: string
  body?: object
  /** Sent as `Authorization`: the admin key, for operator routes. */
  authorization?: string
  /** Address of the client on whose behalf this core calls. */
  client?: string
  timeoutMs: number
  /** Maximum size of the answer; 64 KB by default. */
  maxBytes?: number
}

/** A received call, as it is signed. */
interface ReceivedCall {
  /** The header `Coffer-Core`. */
  header: string
  /** The header `Coffer-Client`. */
  client: string | undefined
  verb: string
  /** Path and query of the request. */
  path: string
  body: Uint8Array
}

interface CoreCalls {
  /** Calls a core. Never rejects. */
  call(core: Pick<ReachableCore, 'id' | 'url'>, request: CoreRequest): Promise<Answer>
  /**
   * Returns the core that signed a call.
   * @throws Failure `forbidden` unless a core of the platform signed exactly this call for this core, at most 30 s ago, and it was
   *   not received before
   */
  verify(received: ReceivedCall): string
}

/** Needed by functions that call other cores. */
export interface CoreCallDeps {
  readonly coreCalls: CoreCalls
}

interface Parts {
  registry: Pick<Registry, 'core' | 'cores'>
  /** Key pair of this core; absent on a platform of one core, which calls no other. */
  signer?: Signer | undefined
  /** Seconds. */
  now(): number
}

/** Creates the calls of a core. */
export function createCoreCalls({ registry, signer, now }: Parts): CoreCalls {
  /** Expiry of each nonce, in seconds, in the order of arrival. */
  const nonces = new Map<string, number>()

  function assertNew(nonce: string): void {
    for (const [oldest, expires] of nonces) {
      if (expires > now()) break
      nonces.delete(oldest)
    }
    if (nonces.has(nonce)) throw refused('The call was received before.')
    if (nonces.size >= MAX_NONCES) throw platformUnavailable()
    nonces.set(nonce, now() + 2 * MAX_AGE_SECONDS)
  }

  return {
    async call({ id: to, url }, { verb, path, body, authorization, client, timeoutMs, maxBytes }) {
      if (signer === undefined) return { status: 0, cause: 'no key' }
      const text = body === undefined ? '' : JSON.stringify(body)
      const time = String(Math.round(now()))
      const nonce = randomBytes(16).toString('base64url')
      const parts = { from: registry.core, to, verb, path, client, body: Buffer.from(text), time, nonce }
      const signature = Buffer.from(signer.sign(signedText(parts))).toString('base64url')
      const headers = { [CORE_HEADER]: [registry.core, time, nonce, signature].join(';'), ...(client === undefined ? {} : { [CLIENT_HEADER]: client }) }
      return send({
        ...{ verb, url: url + path.slice(1), headers, timeoutMs },
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { body: text }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
      })
    },
    verify({ header, ...received }) {
      const [, from = '', time = '', nonce = '', signature = ''] = HEADER.exec(header) ?? []
      const caller = from === registry.core ? undefined : registry.cores.get(from)
      const key = caller?.state === 'lost' || caller?.identity == null ? undefined : nodeBytes(caller.identity)
      if (key === undefined) throw refused('The calling core is unknown.')
      const text = signedText({ ...received, from, to: registry.core, time, nonce })
      if (!isSignedBy(key, text, Buffer.from(signature, 'base64url'))) throw refused('The signature of the calling core does not match the call.')
      if (Math.abs(now() - Number(time)) > MAX_AGE_SECONDS) throw refused('The signature of the calling core has expired: check that the clocks of the cores agree.')
      assertNew(`${from};${nonce}`)
      return from
    },
  }
}

const refused = (message: string): Failure => new Failure('forbidden', message)

interface Signed extends Omit<ReceivedCall, 'header'> {
  from: string
  to: string
  time: string
  nonce: string
}

const signedText = ({ from, to, verb, path, client = '', body, time, nonce }: Signed): Buffer =>
  Buffer.from(['coffer core call', from, to, verb, path, client, hash('sha256', body), time, nonce].join('\n'))

/** Options of `forward`. */
interface Forwarding {
  /** Returns the failure for a core without a usable answer; `status` is 0 for none at all. */
  unanswered?(status: number): Failure
  /** Checks whether an answer is a result; by default, one with a status of 200 to 299. */
  isResult?(answer: { status: number; body: Record<string, unknown> }): boolean
}

const isSuccess = ({ status }: { status: number }): boolean => status >= 200 && status < 300

/**
 * Calls another core, and returns its answer without `meta`.
 * @throws PassedFailure when that core refuses; Failure `platform-unavailable` when it does not answer
 */
export async function forward(
  { coreCalls }: CoreCallDeps,
  core: Pick<ReachableCore, 'id' | 'url'>,
  request: CoreRequest,
  { unanswered = () => silent(core), isResult = isSuccess }: Forwarding = {},
): Promise<Record<string, unknown>> {
  const answer = await coreCalls.call(core, request)
  if (!('body' in answer)) throw unanswered(0)
  const { meta: _, ...body } = answer.body
  if (answer.isCut !== true && isResult(answer)) return body
  const { id, message, data } = Object(body['error']) as Record<string, unknown>
  if (answer.status < 400 || typeof id !== 'string') throw unanswered(answer.status)
  throw new PassedFailure(answer.status, { id, message: String(message ?? id), ...(data === undefined ? {} : { data }) })
}

/** Returns the failure of a call that needs a core that does not answer. */
export const silent = ({ id }: { id: string }): Failure =>
  new Failure('platform-unavailable', `The core ${id} does not answer.`, { retryAfterSeconds: 5 })
