import type { Node } from './node.js'
import { forgetCodesOf } from './oauth/codes.js'
import { forgetRefreshOf } from './oauth/refresh.js'

/** Ends what OAuth clients could still fetch of an account that is about to be deleted. `account` is its prefix. */
export async function revokeGrants(node: Node, account: string): Promise<void> {
  await forgetCodesOf(node, account)
  await forgetRefreshOf(node, account)
}
