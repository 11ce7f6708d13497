/** Accounts that another core of the platform serves (docs/interface/conventions.md#cores). */
import { Failure, failures, FormedFailure } from '../../../store/model/failure.js'
import type { Config } from '../../config/config.js'
import type { Log } from '../../base/log.js'
import { coreOfSettings, urlOfCore } from './ownCore.js'
import { platformUnavailable, type CoreView, type Holder, type Name, type Registry } from '../registry/port.js'

/** Failure of a call to an account of another core. Clients call that core directly. */
export class WrongCore extends Failure {
  constructor(
    /** URL of the core that serves the account, with a trailing slash. */
    readonly coreUrl: string,
  ) {
    super('wrong-core', undefined, { coreUrl })
  }

  /** Includes the URL twice: clients read it as `error.coreUrl`, the specification places it in `data`. */
  override toJSON(): ReturnType<Failure['toJSON']> & { coreUrl: string } {
    const { id, message, coreUrl } = this
    return { id, message, coreUrl, data: { coreUrl } }
  }
}

/** Failure of a lookup that another core answers: 307 to the same route there, with its URL as the body. */
export class AnsweredElsewhere extends FormedFailure {
  constructor(
    /** URL of the core, with a trailing slash. */
    server: string,
    /** URL of the route there. */
    readonly location: string,
  ) {
    super('wrong-core', failures['wrong-core'], () => ({ server }), { coreUrl: server }, 'elsewhere')
  }
}

interface Parts {
  config: Config
  registry: Pick<Registry, 'core' | 'isShared' | 'cores' | 'peek' | 'lookUp'>
  log: Log
}

/** A core with its URL, which has a trailing slash. */
export type ReachableCore = CoreView & { url: string }

/** Returns the URL of this core, with a trailing slash. */
export const ownCoreUrl = ({ config, publicBase }: { config: Config; publicBase(): string }): string => coreOfSettings(config, publicBase()).url

/** Returns the core of a holder with its URL. @throws Failure `platform-unavailable` when its URL is unknown */
export function coreOfHolder({ config, registry }: Pick<Parts, 'config' | 'registry'>, { core }: Pick<Holder, 'core'>): ReachableCore {
  const view = registry.cores.get(core)
  const url = view === undefined ? undefined : urlOfCore(config, view)
  if (view === undefined || url === undefined) throw platformUnavailable()
  return { ...view, url }
}

/**
 * Returns the failure of a call to an account that this core does not have: `wrong-core`, or `unknown-resource` when no core has
 * it, or `platform-unavailable` when that cannot be found out. `shown` is the name as requested.
 */
export async function failureOfAbsent({ config, registry, log }: Parts, name: Name, shown: string): Promise<Failure> {
  const unknown = new Failure('unknown-resource', `Unknown user "${shown}".`)
  if (!registry.isShared) return unknown
  try {
    const known = registry.peek(name)
    const isOwn = known?.core === registry.core
    const holder = known === undefined || isOwn ? await registry.lookUp(name, isOwn ? { isFresh: true } : {}) : known
    if (holder === null || holder === undefined) return unknown
    if (holder.core !== registry.core) return new WrongCore(coreOfHolder({ config, registry }, holder).url)
    // The access of an alias was deleted, but not yet released in the registry.
    if (name.field === 'alias') return unknown
    log.error('the registry names this core as the home of an account that it does not have', { account: holder.account })
    return platformUnavailable()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Returns the failure of an operator's call for an account that this core does not have; for another core's it says which. */
export async function failureForOperator(parts: Parts, username: string): Promise<Failure> {
  const failure = await failureOfAbsent(parts, { field: 'username', value: username }, username)
  if (failure.id === 'unknown-resource') return new Failure('unknown-user', `Unknown user "${username}".`)
  if (!(failure instanceof WrongCore)) return failure
  return new Failure('wrong-core', `The account "${username}" is on another core, ${failure.coreUrl}: run the command there.`, { coreUrl: failure.coreUrl })
}
