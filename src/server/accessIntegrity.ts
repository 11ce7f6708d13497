/** The integrity of accesses, as far as it is on (data supplement 14). */
import type { Access } from '../store/model/access.js'
import { accessIntegrity } from '../store/model/integrity.js'
import type { Secret } from '../store/model/secret.js'
import type { Node } from './node.js'

/** The access with the integrity that it has as it is now. */
export function withAccessIntegrity<A extends Access>(node: Pick<Node, 'config'>, access: A, token: Secret<string>): A {
  const { integrity: _former, ...rest } = access
  const bare = rest as A
  if (!node.config.get('integrity.isActive.accesses')) return bare
  const integrity = accessIntegrity({ ...bare, token: token.reveal() }, node.config.get('integrity.algorithm'))
  return { ...bare, integrity }
}
