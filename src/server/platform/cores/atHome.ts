/** Calls of the operator for one account: at its core, wherever the call arrives. */
import { Failure } from '../../../store/model/failure.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { PlatformCall, Result, Verb } from '../../call/method.js'
import { platformUnavailable } from '../registry/port.js'
import { forward, type CoreCallDeps } from './coreCalls.js'
import { coreOfHolder } from './wrongCore.js'

/** Timeout of a forwarded call of the operator. */
const TIMEOUT_MS = 15_000

/** The same call at another core. */
interface OperatorRoute {
  verb: Verb
  /** Path and query. */
  path: string
  body?: object
}

interface Home {
  username: string
  route: OperatorRoute
  /** The failure for an unknown account; `unknown-resource` by default. */
  unknown?: Failure
}

/**
 * Runs `here` for an account of this core. For an account of another core, makes the same call there, with the admin key, and
 * returns its result. A call that came from a core is not forwarded again.
 * @throws Failure of the other core; `platform-unavailable` when it, or the registry, does not answer
 */
export async function atHome(call: PlatformCall<CoreCallDeps>, { username, route, unknown }: Home, here: (loaded: LoadedAccount) => Promise<Result> | Result): Promise<Result> {
  const { node, fromCore } = call
  const name = username.toLowerCase()
  const loaded = await node.accounts.find(name)
  if (loaded !== undefined) return here(loaded)
  const holder = node.registry.isShared && fromCore === undefined ? await node.registry.lookUp({ field: 'username', value: name }) : undefined
  if (holder === undefined) throw unknown ?? new Failure('unknown-resource', `Unknown user "${username}".`)
  // The account was created or moved here since it was searched for.
  if (holder.core === node.registry.core) throw platformUnavailable()
  return forward(node, coreOfHolder(node, holder), { ...route, ...operatorOf(call), timeoutMs: TIMEOUT_MS })
}

/** Returns what a call to another core needs to be the operator's: the admin key, and the address of the client. */
export function operatorOf({ node, origin }: PlatformCall): { authorization?: string; client?: string } {
  const key = node.config.get('auth.adminAccessKey')
  return { ...(key === null ? {} : { authorization: key }), ...(origin.ip === undefined ? {} : { client: origin.ip }) }
}
