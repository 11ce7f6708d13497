import { accessIdOf, type Access } from '../../store/model/access.js'
import { compileScope } from '../../store/model/permission.js'
import { Secret } from '../../store/model/secret.js'
import type { Caller } from '../call/caller.js'
import type { Call, Origin } from '../call/method.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Context } from '../call/context.js'

/** Id of the owner at the terminal in tracking fields. */
export const TERMINAL = 'system'

/** Returns the access of the owner at the terminal, with all permissions. */
export const terminalAccess = ({ created }: { created: number }): Access => ({
  id: TERMINAL,
  type: 'personal',
  name: 'coffer',
  created,
  createdBy: TERMINAL,
  modified: created,
  modifiedBy: TERMINAL,
})

function ownerOf({ user }: LoadedAccount): Caller {
  const access = terminalAccess(user)
  return { access, token: new Secret(''), scope: compileScope(access, false) }
}

/** Returns the origin of terminal calls; `ip` is the address of a remote terminal. */
export function terminalOrigin(node: Pick<Context, 'publicBase'>, ip?: string): Origin {
  return { transport: 'control', source: 'control', base: node.publicBase(), ...(ip === undefined ? {} : { ip }) }
}

/** Creates a call from the terminal by the owner of an account, or with the rights of another `caller`. */
export function terminalCall<D>(node: Context & D, loaded: LoadedAccount, caller: Caller = ownerOf(loaded), origin: Origin = terminalOrigin(node)): Call<D> {
  const { account, user } = loaded
  return { node, origin, account, user, caller, author: accessIdOf(caller.access) }
}
