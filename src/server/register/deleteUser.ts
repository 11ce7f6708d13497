import { z } from 'zod'
import { listAccesses, releaseAccesses } from '../../store/accesses.js'
import { Failure } from '../../store/model/failure.js'
import { namesOf, readUser, releaseUnique, releaseUsername } from '../../store/users.js'
import { isAdminKey } from '../guard/adminKey.js'
import { authenticate } from '../guard/authenticate.js'
import { credentialsOf } from '../guard/token.js'
import { platformMethod } from '../method.js'
import type { LoadedAccount, Node } from '../node.js'

/** Specification, "Registration and lookups"; accounts supplement 17. */
export const deleteUser = platformMethod({
  id: 'auth.delete',
  summary: 'Deletes an account and everything in it.',
  http: { verb: 'DELETE', path: '/users/:username' },
  input: z.strictObject({ username: z.string() }),
  output: z.object({ userDeletion: z.object({ username: z.string() }) }),
  alone: true,
  auditedAs: 'admin',
  fails: ['unknown-resource', 'invalid-access-token'],
  async run({ node, origin, authorization, queryAuth }, { username }) {
    const allowed = node.config.get('user-account.delete')
    const byAdmin =
      allowed.includes('adminToken') && (origin.door === 'control' || isAdminKey(node, authorization))
    if (!byAdmin && !allowed.includes('personalToken')) throw new Failure('unknown-resource')
    const loaded = await node.accounts.find(username)
    if (!byAdmin) refuseUnlessOwner(node, loaded, credentialsOf(authorization, queryAuth)?.token)
    if (loaded === undefined) throw new Failure('unknown-resource', `Unknown user "${username}".`)
    await erase(node, loaded)
    return { userDeletion: { username: loaded.user.username } }
  },
})

function refuseUnlessOwner(node: Node, loaded: LoadedAccount | undefined, token: string | undefined): void {
  const refused = new Failure('invalid-access-token', undefined, undefined, 'refused')
  if (loaded === undefined || token === undefined) throw refused
  if (authenticate(node, loaded, token).access.type !== 'personal') throw refused
}

/** Erases an account: its names and tokens first, so that it is gone for everybody at once, then its records. */
export async function erase(node: Node, { account, user: former }: LoadedAccount): Promise<void> {
  const { store } = node
  const accesses = await listAccesses(account, store.seal)
  await store.eraseAccount(account, (t) => {
    // Another deletion may have been first, and the name another's by now.
    const user = readUser(t, t.account)
    if (user === undefined) throw new Failure('unknown-resource', `Unknown user "${former.username}".`)
    const { usernames, unique } = namesOf(user)
    for (const username of usernames) releaseUsername(t, username)
    for (const [field, value] of unique) releaseUnique(t, store.seal, field, value)
    releaseAccesses(t, store.seal, accesses)
  })
}
