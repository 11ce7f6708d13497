/** Invites between accounts, as both sides keep them (consent supplement 6.3, 6.4). */
import type { Account, Transaction } from '../../store/engine/account.js'
import { controlleds, delegates } from '../../store/accesses/delegations.js'
import type { Controlled } from '../../store/model/delegation.js'
import type { Node } from '../node.js'
import { isSameIdentity, presentIdentity } from './identity.js'
import { endManaged } from './managedAccess.js'
import { controlledsOf } from './rules.js'

/** Takes an invite of a controlled account back, with its capability. What has been accepted meanwhile stays. */
export function dropInvite(node: Node, t: Transaction, relId: string): void {
  const anchor = delegates.find(t, node.store.seal, t.account, relId)
  if (anchor === undefined || anchor.status !== 'invite') return
  endManaged(node, t, 'invite-capability', relId)
  // What was made for it before a crash goes too.
  endManaged(node, t, 'control', relId)
  delegates.remove(t, relId)
}

/** Removes a mirror, with the access by which its end would be told. */
export function dropMirror(node: Node, t: Transaction, relId: string): void {
  if (controlleds.find(t, node.store.seal, t.account, relId) === undefined) return
  endManaged(node, t, 'notify', relId)
  controlleds.remove(t, relId)
}

/**
 * Keeps a mirror in the place of whatever the account knew of the controlled account before: that has one relationship
 * with a delegate at most, so that former ones have ended there.
 */
export async function putMirror(
  node: Node,
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
    controlleds.put(t, node.store.seal, mirror)
  })
}
