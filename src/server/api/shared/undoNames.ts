/**
 * Reverts a change of names that the registry of the platform rejects after it is in the store: this core was out of touch for
 * so long that another core gave one of the names away.
 */
import { listAccesses, releaseAccesses } from '../../../store/accesses/accesses.js'
import { listActiveOf, releaseWebhooks } from '../../../store/accesses/webhooks.js'
import {
  accountOfUnique,
  accountOfUsername,
  claimUnique,
  claimUsername,
  namesOf,
  putUser,
  readUser,
  releaseUnique,
  releaseUsername,
  retireUsername,
  type User,
} from '../../../store/accounts/users.js'
import type { Account, Transaction } from '../../../store/engine/account.js'
import type { Seal } from '../../../store/keyring/seal.js'
import type { LostNames } from '../../platform/registry/port.js'
import type { Context } from '../../call/context.js'
import { writeField } from './accountFields.js'

/** Erases an account whose creation is rejected, or gives a changed user the names of before. */
export async function undoNames(node: Context, { prefix, by, before }: LostNames): Promise<void> {
  const account = await node.store.account(prefix)
  const { seal } = node.store
  if (by === 'creation') {
    if (readUser(node.store.db, prefix) !== undefined) await eraseCreated(node, account)
    return
  }
  if (before === undefined) return
  await account.exclusively((write) =>
    write((t) => {
      const now = readUser(t, prefix)
      if (now === undefined) return
      release(t, seal, now)
      claim(t, seal, before)
      putUser(t, withNamesOf(now, before), 'update')
      for (const [id, value] of Object.entries(before.unique)) {
        const field = node.systemStreams.byName(id)
        if (field !== undefined && field.isShown && now.unique[id] !== value) writeField(node, account, t, field, value, 'system')
      }
    }),
  )
}

/** Returns a user with the names of another state of the same user. */
function withNamesOf(user: User, { username, formerUsernames, unique, emails, identities, usernameChanges }: User): User {
  const { formerUsernames: _, emails: __, identities: ___, usernameChanges: ____, ...rest } = user
  return {
    ...rest,
    username,
    unique,
    ...(formerUsernames === undefined ? {} : { formerUsernames }),
    ...(emails === undefined ? {} : { emails }),
    ...(identities === undefined ? {} : { identities }),
    ...(usernameChanges === undefined ? {} : { usernameChanges }),
  }
}

/** Stages the release of the names of a user in this store, where its account has them. */
function release(t: Transaction, seal: Seal, user: User): void {
  const { usernames, unique } = namesOf(user)
  for (const name of usernames) if (accountOfUsername(t, name) === t.account) releaseUsername(t, name)
  for (const [field, value] of unique) if (accountOfUnique(t, seal, field, value) === t.account) releaseUnique(t, seal, field, value)
}

function claim(t: Transaction, seal: Seal, user: User): void {
  const { usernames, unique } = namesOf(user)
  for (const name of usernames) {
    if (name === user.username) claimUsername(t, name)
    else retireUsername(t, name)
  }
  for (const [field, value] of unique) claimUnique(t, seal, field, value)
}

function eraseCreated({ store }: Context, account: Account): Promise<void> {
  return store.eraseAccount(account, async () => {
    const accesses = await listAccesses(account, store.seal)
    const webhooks = await listActiveOf(account)
    return (t) => {
      const user = readUser(t, t.account)
      if (user !== undefined) release(t, store.seal, user)
      releaseAccesses(t, store.seal, accesses)
      releaseWebhooks(t, webhooks)
    }
  })
}
