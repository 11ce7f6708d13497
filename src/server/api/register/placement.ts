/** Chooses the core of a new account, and passes registrations on to it (docs/interface/registration.md#cores). */
import { isJsonObject } from '../../../store/model/json.js'
import { PassedFailure } from '../../base/passedFailure.js'
import type { PlatformCall, Result } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import type { Config } from '../../config/config.js'
import { operatorOf } from '../../platform/cores/atHome.js'
import { forward, type CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { coreOfHolder, type ReachableCore } from '../../platform/cores/wrongCore.js'
import type { CoreView, Registry } from '../../platform/registry/port.js'
import { reservedCore } from '../shared/reservations.js'

/** Timeout of a forwarded registration. */
const TIMEOUT_MS = 30_000
/** Key of the only hosting of a platform without the setting `hostings`. */
const DEFAULT_HOSTING = 'default'

/** Checks whether a core accepts new accounts. */
export const acceptsAccounts = ({ available, isLive, state }: CoreView): boolean => available && isLive && state === 'active'

/** Checks whether a core belongs to a hosting. Without the setting `hostings`, all cores belong to `default`. */
export const isOfHosting = (config: Config, { hosting }: CoreView, key: string): boolean =>
  hosting === key || (key === DEFAULT_HOSTING && config.get('hostings') === null)

/** Returns the core with the fewest accounts; of equal ones this core, or else the first. Undefined for an empty list. */
export async function emptiestOf({ core: own, homes }: Pick<Registry, 'core' | 'homes'>, cores: readonly CoreView[]): Promise<CoreView | undefined> {
  if (cores.length <= 1) return cores[0]
  const counted = await Promise.all(cores.map(async (core) => ({ core, users: await homes.count(core.id) })))
  const rank = ({ id }: CoreView): number => (id === own ? 0 : 1)
  counted.sort((a, b) => a.users - b.users || rank(a.core) - rank(b.core) || (a.core.id < b.core.id ? -1 : 1))
  return counted[0]?.core
}

/**
 * Returns the core of a new account; undefined for this one. A reservation decides, else the number of accounts of the cores that
 * accept some, of the hosting if there is one.
 * @throws Failure `platform-unavailable`
 */
export async function coreForNewAccount(node: Context, { username, hosting }: { username: string; hosting?: string }): Promise<ReachableCore | undefined> {
  const { registry, config } = node
  if (!registry.isShared) return undefined
  const reserved = await reservedCore(node, username)
  const candidates = registry.cores.list().filter((core) => acceptsAccounts(core) && (hosting === undefined || isOfHosting(config, core, hosting)))
  const core = reserved ?? (await emptiestOf(registry, candidates))?.id
  return core === undefined || core === registry.core ? undefined : coreOfHolder(node, { core })
}

/** Route and credentials of a forwarded registration. */
type RegistrationRoute = { path: '/users' } | { path: '/system/create-user'; by: 'operator' }

/**
 * Registers an account at another core, with the whole body of the request; returns its answer.
 * @throws Failure of that core, with its status; `cross-core-registration-failed` without a usable answer
 */
export async function registerAt(call: PlatformCall<CoreCallDeps>, core: ReachableCore, body: unknown, { path, ...by }: RegistrationRoute): Promise<Result> {
  const { client, ...credentials } = operatorOf(call)
  const request = { verb: 'POST', path, body: isJsonObject(body) ? body : {}, timeoutMs: TIMEOUT_MS } as const
  const from = { ...(client === undefined ? {} : { client }), ...('by' in by ? credentials : {}) }
  const answer = await forward(call.node, core, { ...request, ...from }, { unanswered: (status) => notRegistered(core, status) })
  // This core may still remember that the name was free.
  if (isJsonObject(body)) await call.node.registry.lookUp({ field: 'username', value: String(body['username']) }, { isFresh: true }).catch(() => undefined)
  return answer
}

function notRegistered({ id }: ReachableCore, status: number): PassedFailure {
  const message =
    status === 0
      ? `The core ${id}, on which the account was to be created, did not answer. If it answered too late, the account exists: try to sign in before registering again.`
      : `The core ${id} could not create the account.`
  return new PassedFailure(status >= 400 ? status : 502, { id: 'cross-core-registration-failed', message })
}
