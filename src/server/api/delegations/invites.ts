/** Stored invites and mirrors of delegations (docs/interface/delegations.md#life-of-a-delegation). */
import type { Account, Transaction } from '../../../store/engine/account.js'
import { controlledAccounts, delegates } from '../../../store/accesses/delegations.js'
import type { Controlled } from '../../../store/model/delegation.js'
import type { Context } from '../../call/context.js'
import { isSameIdentity, presentIdentity } from './identity.js'
import { endManaged } from './managedAccess.js'
import { controlledsOf } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/** Removes a pending invite of a controlled account and its capability. Accepted invites are left unchanged. */
export function dropInvite(node: Context, t: Transaction, relId: string): void {
  const anchor = delegates.find(t, node.store.seal, t.account, relId)
  if (anchor === undefined || anchor.status !== 'invite') return
  endManaged(node, t, 'invite-capability', relId)
  // A crash may have left a control access.
  endManaged(node, t, 'control', relId)
  delegates.remove(t, relId)
}

/** Removes a mirror and its notify access. */
export function dropMirror(node: Context, t: Transaction, relId: string): void {
  if (controlledAccounts.find(t, node.store.seal, t.account, relId) === undefined) return
  endManaged(node, t, 'notify', relId)
  controlledAccounts.remove(t, relId)
}

/**
 * Stores a mirror, replacing earlier ones of the same controlled account. An account has at most one relationship with a
 * delegate, so that earlier ones have ended there.
 */
export async function putMirror(
  node: Context & CoresDeps,
  account: Account,
  write: <R>(change: (t: Transaction) => R) => Promise<R>,
  mirror: Controlled,
): Promise<void> {
  const former = await controlledsOf({ node, account })
  const present = await presentIdentity(node, mirror.controlled)
  await write((t) => {
    for (const { relId, controlled } of former) {
      if (relId !== mirror.relId && isSameIdentity(controlled, present)) dropMirror(node, t, relId)
    }
    controlledAccounts.put(t, node.store.seal, mirror)
  })
}
