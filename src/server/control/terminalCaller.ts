import { accessIdOf, type Access } from '../../store/model/access.js'
import { compileScope } from '../../store/model/permission.js'
import { Secret } from '../../store/model/secret.js'
import type { Caller } from '../guard/authenticate.js'
import type { Call, Origin } from '../method.js'
import type { LoadedAccount, Node } from '../node.js'

/** What tracking fields say of the owner at the terminal. */
export const TERMINAL = 'system'

/** The rights of the owner of an account at the terminal: everything is allowed. */
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

/** Where calls from the terminal come from; `ip` is the address of another machine on which it is. */
export function terminalOrigin(node: Node, ip?: string): Origin {
  return { transport: 'control', source: 'control', base: node.publicBase(), ...(ip === undefined ? {} : { ip }) }
}

/** A call from the terminal by the owner of an account, or with the rights of another `caller`. */
export function terminalCall(node: Node, loaded: LoadedAccount, caller: Caller = ownerOf(loaded), origin: Origin = terminalOrigin(node)): Call {
  const { account, user } = loaded
  return { node, origin, account, user, caller, author: accessIdOf(caller.access) }
}
