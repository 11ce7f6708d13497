/** Calls to accounts of other cores of the platform, with tokens of these accounts (docs/interface/conventions.md#cores). */
import type { Config } from '../../config/config.js'
import { apiEndpoint, hostDomain } from '../../config/apiEndpoint.js'
import { send, type Answer, type Outgoing } from '../../httpClient/http.js'
import type { Registry } from '../registry/port.js'
import { coreOf, coreUrlIn, type CoresDeps } from './cores.js'

interface Parts {
  readonly registry: Pick<Registry, 'core' | 'cores'>
  readonly config: Config
  publicBase(): string
}

/** A call to an account; `path` is that below its root. */
type AccountRequest = Omit<Outgoing, 'url' | 'targets'> & { path: string }

/**
 * Calls an account at a core. Follows one answer that the account is on another core of the platform: the account may have moved
 * since its core was looked up. Never rejects.
 */
export async function callAccountAt(node: Parts, core: { url: string }, username: string, { path, ...outgoing }: AccountRequest): Promise<Answer> {
  const answer = await send({ ...outgoing, url: `${core.url}${username}/${path}` })
  const moved = coreUrlIn(node, answer)
  return moved === undefined ? answer : send({ ...outgoing, url: `${moved}${username}/${path}` })
}

/**
 * Returns the address of an account of any core, with a token as user information. For an account whose core is unknown, returns
 * the address on this core, which answers with the right one.
 */
export async function endpointOnPlatform(node: Parts & CoresDeps, username: string, token?: string): Promise<string> {
  const core = hostDomain(node) === undefined ? await coreOf(node.cores, username) : undefined
  const base = typeof core === 'object' ? { config: node.config, publicBase: () => core.url.replace(/\/+$/, '') } : node
  return apiEndpoint(base, username, token)
}
