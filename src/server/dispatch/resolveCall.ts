/** Resolves the account of a request and creates calls; shared by all transports with client tokens. */
import { accessIdOf, isAlias } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import { trailOf } from './call.js'
import type { Authenticated, Caller } from '../call/caller.js'
import { stillValid } from '../auth/authenticate.js'
import type { Call, Origin } from '../call/method.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Context } from '../call/context.js'
import { relocationFailure, type AccountRequest } from './relocation.js'

/**
 * Returns the account with a username, or with the alias of an access; synchronously when it is in memory.
 * @throws Failure `unknown-resource`; `user-account-relocated` for one that moved
 */
export function resolveAccount(node: Context, input: AccountRequest): LoadedAccount | Promise<LoadedAccount> {
  const { username } = input
  const loaded = node.accounts.peek(username)
  if (loaded !== undefined) return present(node, input, loaded)
  const finding = isAlias(username) ? node.accounts.findByAlias(username) : node.accounts.find(username)
  return finding.then((found) => present(node, input, found))
}

function present(node: Context, input: AccountRequest, loaded: LoadedAccount | undefined): LoadedAccount {
  if (loaded === undefined) throw new Failure('unknown-resource', `Unknown user "${input.username}".`)
  const { username, relocated } = loaded.user
  if (relocated !== undefined) throw relocationFailure(node, username, relocated, input)
  return loaded
}

/** Creates the call of an admitted access. `callerId` was sent by the client. */
export function buildCall<D>(node: Context & D, origin: Origin, { account, user }: LoadedAccount, caller: Caller, callerId?: string): Call<D> {
  const { rights } = account
  const id = accessIdOf(caller.access)
  const call: Call<D> = { node, origin, account, user, caller, author: id, rights }
  if (callerId !== undefined) {
    call.author = `${id} ${callerId}`
    call.callerId = callerId
  }
  return call
}

/**
 * Creates a call for a token from the body of another call, without extending its session.
 * @throws Failure `invalid-access-token`, `forbidden` for an expired access
 */
export async function callWith<D>(node: Context & D, origin: Origin, loaded: LoadedAccount, token: string): Promise<Call<D>> {
  await loaded.account.settledStructure()
  return buildCall(node, origin, loaded, stillValid(node, loaded, token))
}

/** The pseudo access id of calls with an unknown token (docs/interface/audit.md#calls). */
const UNKNOWN_ACCESS = 'invalid'

/**
 * Audits a rejected call under the access of its token; calls with unknown tokens are only counted. Returns that access, even if
 * expired.
 */
export function recordRefused(
  node: Context,
  origin: Origin,
  { account, tokens }: LoadedAccount,
  action: string,
  token: string | undefined,
  error: unknown,
): Authenticated | undefined {
  const known = token === undefined ? undefined : tokens.get(token)
  if (known !== undefined) trailOf({ node, origin, account }, action, known.access, token)?.failed(error)
  else {
    const { source, ip, query } = origin
    const recorded = { access: UNKNOWN_ACCESS, action, source, ip, query, callerId: undefined, delegate: undefined, token }
    node.audit.countRefused(account, recorded, error instanceof Failure ? error : new Failure('unexpected-error'))
  }
  return known
}
