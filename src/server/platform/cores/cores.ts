/** Finds the cores that serve accounts of the platform (docs/interface/delegations.md#between-nodes). */
import type { Registry } from '../registry/port.js'
import type { Config } from '../../config/config.js'
import type { Answer } from '../../httpClient/http.js'
import { apiTemplate } from '../../config/apiEndpoint.js'
import { urlOfCore, withSlash } from './ownCore.js'

/** A core: this one, or the base URL of another with a trailing slash. */
export type Core = 'here' | { url: string }

export interface Cores {
  /**
   * Returns the current username and the core of an account; `core` is undefined when its address is unknown. Undefined for an
   * unknown username.
   */
  ofAccount(username: string): Promise<{ username: string; core: Core | undefined } | undefined>
  /** Returns the core with an id or an address; undefined when there is none. */
  named(idOrUrl: string): Core | undefined
}

/** Creates the core lookup of a platform from its registry. */
export function createCores(registry: Pick<Registry, 'core' | 'lookUp' | 'cores'>, config: Config, publicBase: () => string): Cores {
  const isHere = (url: string): boolean => withSlash(url) === withSlash(publicBase())

  /** A core has its advertised URL, or else the host name of its id. */
  function coreOfId(id: string): Core | undefined {
    if (id === registry.core) return 'here'
    const url = urlOfCore(config, { id, url: registry.cores.get(id)?.url ?? null })
    // Requests for another core must not end up on this one.
    return url === undefined || isHere(url) ? undefined : { url }
  }

  return {
    async ofAccount(username) {
      const holder = await registry.lookUp({ field: 'username', value: username.toLowerCase() })
      return holder === undefined ? undefined : { username: holder.username ?? username.toLowerCase(), core: coreOfId(holder.core) }
    },
    named(idOrUrl) {
      const id = coreIdOf({ registry, config, publicBase }, idOrUrl)
      return id === undefined ? undefined : coreOfId(id)
    },
  }
}

/** Returns the id of the core with an id or an address; undefined when there is none. */
export function coreIdOf(
  { registry, config, publicBase }: { registry: Pick<Registry, 'core' | 'cores'>; config: Config; publicBase(): string },
  idOrUrl: string,
): string | undefined {
  const url = withSlash(idOrUrl)
  if (idOrUrl === registry.core || url === withSlash(publicBase())) return registry.core
  return registry.cores.list().find((core) => core.id === idOrUrl || urlOfCore(config, core) === url)?.id
}

/** Returns the templates of the account addresses of all cores, with `{username}`: those of this core first. */
export function accountTemplates(node: { registry: Pick<Registry, 'isShared' | 'cores'>; config: Config; publicBase(): string }): string[] {
  const { registry, config } = node
  const own = apiTemplate(node)
  if (!registry.isShared) return [own]
  const others = registry.cores.list().flatMap((core) => urlOfCore(config, core) ?? []).map((url) => `${url}{username}/`)
  return [own, ...others.filter((template) => template !== own)]
}

/** Returns the URL of another core of the platform to which an answer refers (421); undefined for other answers. */
export function coreUrlIn(node: Parameters<typeof coreIdOf>[0], answer: Answer): string | undefined {
  if (answer.status !== 421 || !('body' in answer)) return undefined
  const { coreUrl } = Object(answer.body['error']) as { coreUrl?: unknown }
  const id = typeof coreUrl === 'string' ? coreIdOf(node, coreUrl) : undefined
  return id === undefined || id === node.registry.core ? undefined : withSlash(String(coreUrl))
}

/** Returns the core of an account of this platform; `nowhere` for unknown accounts, undefined when the lookup fails. */
export async function coreOf(cores: Cores, username: string): Promise<Core | 'nowhere' | undefined> {
  try {
    const found = await cores.ofAccount(username)
    return found === undefined ? 'nowhere' : found.core
  } catch {
    return undefined
  }
}

/** Needed by functions that find the core of an account. */
export interface CoresDeps {
  readonly cores: Cores
}
