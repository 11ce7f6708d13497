import type { Context } from './context.js'
import { forgetCodesOf } from './api/oauth/codes.js'
import { forgetRefreshOf } from './api/oauth/refresh.js'

/** Revokes OAuth codes and refresh tokens of an account that is about to be deleted. `account` is its prefix. */
export async function revokeGrants(node: Context, account: string): Promise<void> {
  await forgetCodesOf(node, account)
  await forgetRefreshOf(node, account)
}
