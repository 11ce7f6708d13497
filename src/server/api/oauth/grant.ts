/** Grant of a person to a client, as stored in codes and refresh tokens (docs/interface/oauth.md#records). */
import { hash, randomBytes } from 'node:crypto'
import type { Permission } from '../../../store/model/access.js'
import { readUser } from '../../../store/accounts/users.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'

export interface Grant {
  clientId: string
  /** Account prefix and user id, since names change. */
  account: string
  userId: string
  scope: string
  /** Base id of the access of the consent. */
  dataGrantAccessId: string
  /** Chosen permissions of the offer, as in session accesses. */
  permissions: Permission[]
  /** Time of the consent, in seconds. */
  grantedAt: number
  /** Core that issued the grant; only it issues tokens for it. */
  coreId: string
}

/** Returns a new code or refresh token: 256 random bits. */
export const newCredential = (): string => randomBytes(32).toString('base64url')

/** Returns the lookup id of a credential; the credential itself is not stored. */
export const credentialId = (credential: string): string => hash('sha256', credential, 'base64url')

/** Returns the account of a grant; undefined once it is deleted. */
export async function accountOf(node: Context, { account, userId }: Grant): Promise<LoadedAccount | undefined> {
  const user = readUser(node.store.db, account)
  return user === undefined || user.id !== userId ? undefined : node.accounts.find(user.username)
}
