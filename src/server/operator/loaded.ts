import { Failure } from '../../store/model/failure.js'
import type { LoadedAccount, Node } from '../node.js'

/** The account that the parameter `username` of an operator's call names. Throws Failure `unknown-user`. */
export async function loadedOf(node: Node, params: Record<string, unknown>): Promise<LoadedAccount> {
  const username = String(params['username'] ?? '')
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
  return loaded
}
