/** Accesses with chosen permissions, written directly to the store: also such as the API would not grant. */
import type { Access, Permission } from '../../../src/store/model/access.js'
import { Secret } from '../../../src/store/model/secret.js'
import { putAccess } from '../../../src/store/accesses/accesses.js'
import type { TestNode } from '../nodes/node.js'

/** Creates an app access of a user with these permissions; returns its token and id. */
export async function grantAccess(
  node: TestNode,
  username: string,
  permissions: Permission[],
  more: Partial<Access> = {},
): Promise<{ token: string; id: string }> {
  const loaded = await node.node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no user ${username}`)
  const { clock, newId, store } = node.node
  const now = clock.now()
  const token = newId()
  const access: Access = {
    id: newId(),
    type: 'app',
    name: `app-${token}`,
    permissions,
    created: now,
    createdBy: 'system',
    modified: now,
    modifiedBy: 'system',
    ...more,
  }
  await loaded.account.write((t) => putAccess(t, store.seal, access, new Secret(token)))
  return { token, id: access.id }
}
