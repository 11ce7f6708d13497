/** What a person has given a client: the part that codes and refresh tokens carry on (consent supplement 4.9). */
import { hash, randomBytes } from 'node:crypto'
import type { Permission } from '../../store/model/access.js'
import { readUser } from '../../store/accounts/users.js'
import type { LoadedAccount, Node } from '../node.js'

export interface Grant {
  clientId: string
  /** Prefix of the account, and id of its user: names change. */
  account: string
  userId: string
  scope: string
  /** Base id of the access that is the consent itself. */
  dataGrantAccessId: string
  /** What was chosen of the offer, as session accesses have it. */
  permissions: Permission[]
  /** When the person consented, in seconds. */
  grantedAt: number
  /** The core that accepted: nobody else hands out tokens for it. */
  coreId: string
}

/** A code or a refresh token: 256 random bits. */
export const newCredential = (): string => randomBytes(32).toString('base64url')

/** What a credential is found by; the credential itself is kept nowhere. */
export const credentialId = (credential: string): string => hash('sha256', credential, 'base64url')

/** The account of a grant; undefined once it is gone. */
export async function accountOf(node: Node, { account, userId }: Grant): Promise<LoadedAccount | undefined> {
  const user = readUser(node.store.db, account)
  return user === undefined || user.id !== userId ? undefined : node.accounts.find(user.username)
}
