/** Valid access tokens of OAuth clients (docs/interface/oauth.md#consent). */
import * as z from 'zod'
import { findAccess, listAccesses, listManaged } from '../../../store/accesses/accesses.js'
import { isExpired } from '../../../store/model/access.js'
import { revokeWithManaged } from '../../api/accesses/revoke.js'
import { boundAccessOf } from '../../auth/authenticate.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Node } from '../../index.js'
import { operatorRecord } from '../operatorRecord.js'

/** An access token of a client, without the token. */
export const ClientToken = z.object({
  id: z.string().describe('Id of the access.'),
  username: z.string().describe('User name of the account.'),
  clientId: z.string().describe('Id of the client.'),
  created: z.number().describe('Time of creation, in seconds since 1970.'),
  expires: z.number().nullable().describe('Expiry, in seconds since 1970; null for none.'),
  lastUsed: z.number().nullable().describe('Last use, in seconds since 1970; null for none.'),
  jkt: z.string().nullable().describe('Thumbprint of the key to which it is bound; null for none.'),
})
export type ClientToken = z.output<typeof ClientToken>

/** Lists the currently valid tokens in an account, of one client or of all. Tokens of revoked clients are not valid. */
export async function tokensOf(node: Node, { account, user }: LoadedAccount, clientId?: string): Promise<ClientToken[]> {
  const now = node.clock.now()
  const found: ClientToken[] = []
  for (const { access } of await listAccesses(account, node.store.seal)) {
    const held = access.manager === undefined ? boundAccessOf(access, undefined) : undefined
    const { client, jkt = null } = held ?? {}
    if (held === undefined || client === undefined || (clientId !== undefined && client.id !== clientId)) continue
    if (isExpired(access, now) || node.revocations.isClientRevoked(held)) continue
    if (jkt !== null && node.revocations.isKeyRevoked(jkt)) continue
    const lastUsed = node.usage.read(account, access.id).lastUsed ?? null
    const { id, created, expires = null } = access
    found.push({ id, username: user.username, clientId: client.id, created, expires, lastUsed, jkt })
  }
  return found.sort((a, b) => b.created - a.created)
}

/** Revokes tokens of an account and the accesses created with them, and records it for the owner. */
export async function endTokens(node: Node, { account }: LoadedAccount, ids: readonly string[]): Promise<void> {
  const { seal } = node.store
  if (ids.length === 0) return
  await account.exclusively(async (write) => {
    for (const id of ids) {
      const managed = await listManaged(account, seal, id)
      const trail = operatorRecord(node, account, 'accesses.delete')
      await write((t) => {
        const live = findAccess(t, seal, t.account, id)
        if (live === undefined) return
        revokeWithManaged(node, t, live, managed)
        trail?.stage(t)
      })
      if (trail?.isStaged === true) trail.succeeded()
    }
  })
}
