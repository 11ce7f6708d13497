/** Computes the integrity hash of accesses, if enabled (docs/interface/integrity.md). */
import type { Access } from '../store/model/access.js'
import { accessIntegrity } from '../store/model/integrity.js'
import type { Secret } from '../store/model/secret.js'
import type { Context } from './context.js'

/** Returns the access with its current integrity hash. */
export function withAccessIntegrity<A extends Access>(node: Pick<Context, 'config'>, access: A, token: Secret<string>): A {
  const { integrity: _former, ...rest } = access
  const bare = rest as A
  if (!node.config.get('integrity.isActive.accesses')) return bare
  const integrity = accessIntegrity({ ...bare, token: token.reveal() }, node.config.get('integrity.algorithm'))
  return { ...bare, integrity }
}
