import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { listAccesses, releaseAccesses, type LiveAccess } from '../../../store/accesses/accesses.js'
import { Failure } from '../../../store/model/failure.js'
import { namesOf, readUser, type User } from '../../../store/accounts/users.js'
import { listActiveOf, releaseWebhooks } from '../../../store/accesses/webhooks.js'
import { failureOfAbsent } from '../../platform/cores/wrongCore.js'
import type { Name } from '../../platform/registry/port.js'
import { releaseAliases } from '../accesses/aliases.js'
import { revokeGrants } from '../oauth/revokeGrants.js'
import { isAdminKey } from '../../auth/adminKey.js'
import { authenticate, credentialsOf } from '../../auth/authenticate.js'
import { adminKeyOrOwner, genuineOnly } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'
import { forgetInvited } from './invitations.js'
import type { Account } from '../../../store/engine/account.js'

/** Needed by functions that delete accounts: peers of its delegations are notified. */
interface AccountDeletionDeps {
  readonly delegations: { prepareTeardown(account: Account, user: Pick<User, 'username'>): Promise<() => Promise<void>> }
}

/**
 * The method auth.delete (docs/interface/registration.md#deletion-of-accounts). Requires the admin key or a personal token of the
 * owner's login. Tokens of apps, delegates and other accounts are rejected, whether the account exists or not.
 */
export const deleteUser = platformMethod({
  id: 'auth.delete',
  summary: 'Deletes an account and everything in it.',
  http: { verb: 'DELETE', path: '/users/:username' },
  caller: adminKeyOrOwner,
  input: z.strictObject({ username: z.string().describe('User name of the account.') }),
  output: () => z.object({ userDeletion: z.object({ username: z.string().describe('Its user name.') }).describe('The deleted account.') }),
  notInBatch: true,
  auditedAs: 'admin',
  fails: ['unknown-resource', 'invalid-access-token', 'delegation-genuine-login-required', 'wrong-core', 'platform-unavailable'],
  async run({ node, origin, authorization, queryAuth }: PlatformCall<AccountDeletionDeps>, { username }) {
    const allowed = node.config.get('user-account.delete')
    const byAdmin =
      allowed.includes('adminToken') && (origin.transport === 'control' || isAdminKey(node, authorization))
    if (!byAdmin && !allowed.includes('personalToken')) throw new Failure('unknown-resource')
    const loaded = await node.accounts.find(username)
    if (loaded === undefined) await assertNotElsewhere(node, username)
    if (!byAdmin) assertOwner(node, loaded, credentialsOf(authorization, queryAuth)?.token)
    if (loaded === undefined) throw new Failure('unknown-resource', `Unknown user "${username}".`)
    await erase(node, loaded)
    return { userDeletion: { username: loaded.user.username } }
  },
})

/** @throws WrongCore for an account of another core, before its token is checked: this core cannot check it */
async function assertNotElsewhere(node: Context, username: string): Promise<void> {
  const failure = await failureOfAbsent(node, { field: 'username', value: username }, username)
  if (failure.id !== 'unknown-resource') throw failure
}

function assertOwner(node: Context, loaded: LoadedAccount | undefined, token: string | undefined): void {
  const refused = new Failure('invalid-access-token', undefined, undefined, 'refused')
  if (loaded === undefined || token === undefined) throw refused
  const caller = authenticate(node, loaded, token)
  if (caller.access.type !== 'personal') throw refused
  genuineOnly.assertAllows({ caller })
}

/** The names of the account changed after they were read for the deletion. */
class NamesMoved extends Error {}

/**
 * Deletes an account: codes that OAuth clients could still exchange, then names and tokens, so that it disappears at once, then
 * its records and files. The invitation of the account keeps that it was used, without the name. Codes and proofs of e-mail
 * addresses hold keyed hashes only and expire within a day.
 * @throws Failure `unknown-resource` when another deletion came first
 */
export async function erase(node: Context & AccountDeletionDeps, { account, user: former }: LoadedAccount): Promise<void> {
  const { store, registry } = node
  await revokeGrants(node, account.prefix)
  for (;;) {
    const user = readUser(store.db, account.prefix)
    if (user === undefined) throw new Failure('unknown-resource', `Unknown user "${former.username}".`)
    const invitation = user.hidden['invitationToken']
    if (typeof invitation === 'string') await forgetInvited(node, invitation)
    const names = namesOf(user)
    let teardown = (): Promise<void> => Promise.resolve()
    let accesses: LiveAccess[] = []
    const leave: Name[] = [
      ...names.usernames.map((value) => ({ field: 'username', value })),
      ...names.unique.map(([field, value]) => ({ field, value })),
    ]
    try {
      await registry.transfer({ account: user.id, by: 'erasure', leave }, (enter) =>
        store.eraseAccount(account, async () => {
          accesses = await listAccesses(account, store.seal)
          const webhooks = await listActiveOf(account)
          teardown = await node.delegations.prepareTeardown(account, user)
          return (t) => {
            // Another deletion may have come first, and the name may belong to another account by now.
            const present = readUser(t, t.account)
            if (present === undefined) throw new Failure('unknown-resource', `Unknown user "${former.username}".`)
            if (!isDeepStrictEqual(namesOf(present), names)) throw new NamesMoved()
            enter(t)
            releaseAccesses(t, store.seal, accesses)
            releaseWebhooks(t, webhooks)
          }
        }),
      )
      releaseAliases(node, user.id, accesses)
      await teardown()
      return
    } catch (error) {
      if (!(error instanceof NamesMoved)) throw error
    }
  }
}
