import type { Context } from '../../call/context.js'
import { forgetCodesOf } from './codes.js'
import { forgetRefreshOf } from './refresh.js'

/** Revokes OAuth codes and refresh tokens of an account that is about to be deleted. `account` is its prefix. */
export async function revokeGrants(node: Context, account: string): Promise<void> {
  await forgetCodesOf(node, account)
  await forgetRefreshOf(node, account)
}
