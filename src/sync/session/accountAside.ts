/**
 * Items that are not exchanged with a peer because of a limit. Both sides exclude them from the comparison, so that all
 * other items compare equal. Status and conflicts report them.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { xorInto, type DigestElement } from '../../store/model/digestElement.js'
import { ASIDE_DELETED, forgetAside, noteAside } from '../../store/engine/mergeState.js'
import type { MergeState } from '../../store/engine/mergeStateMaps.js'
import { itemKey, parseItemKey, type ItemRef } from '../wire/entry.js'
import { isLimit, type AsideItem } from '../wire/limits.js'
import type { ItemSet } from '../wire/itemSet.js'
import type { Aside } from './replica.js'

/** Returns the names of the items excluded from comparisons with a peer: not sent, or not accepted. */
function* asideNames({ aside, refused }: MergeState, peer: number): Generator<string> {
  if (aside.size > 0) for (const [name, peers] of aside) if (peers.has(peer)) yield name
  if (refused.size === 0) return
  for (const [name, reasons] of refused) {
    if (isLimit(reasons.get(peer) ?? '') && aside.get(name)?.has(peer) !== true) yield name
  }
}

/** Counts the items put aside between an account and a peer, without deleted ones. */
export function countAside({ mergeState }: Pick<Account, 'mergeState'>, peer: number): number {
  let count = 0
  for (const name of asideNames(mergeState, peer)) if (!name.startsWith(ASIDE_DELETED)) count += 1
  return count
}

interface AccountAsideOptions {
  account: Account
  peer: number
  /** Time, in seconds. */
  now(): number
}

export interface AccountAside extends Aside {
  /** Returns the set without these items in its digest; `stateOf` returns the state with which the set includes an item. */
  without(set: ItemSet, stateOf: (item: ItemRef) => DigestElement | undefined): ItemSet
}

export function accountAside({ account, peer, now }: AccountAsideOptions): AccountAside {
  const { db, prefix, mergeState } = account
  const write = async (run: (t: Transaction) => void): Promise<void> => account.write(run)

  /** Returns the recorded name of an item: that of its deletion when nothing else is left. */
  function noteOne(t: Transaction, { item, reason, message }: AsideItem): void {
    const name = itemKey(item)
    const isDeleted = item.kind === 'stream' && !account.tree.has(item.id)
    noteAside(t, peer, isDeleted ? ASIDE_DELETED + name : name, { reason, message, at: now() })
  }

  return {
    has: (item) => mergeState.aside.size > 0 && mergeState.aside.get(itemKey(item))?.has(peer) === true,
    note: (items) => write((t) => items.forEach((item) => noteOne(t, item))),
    forget: (items) => write((t) => items.forEach((item) => forgetAside(t, itemKey(item), peer))),
    async list(before) {
      const family = accountKeys.asideFor(prefix, peer)
      const items: ItemRef[] = []
      for await (const [key, text] of each(db.entries(under(family)))) {
        const item = parseItemKey(key.slice(family.length))
        if (item !== undefined && (JSON.parse(text) as { at: number }).at <= before) items.push(item)
      }
      return items
    },
    without(set, stateOf) {
      return { ...set, digest: async () => {
        const { state, sequence } = await set.digest()
        let left: Uint8Array | undefined
        for (const name of asideNames(mergeState, peer)) {
          const item = parseItemKey(name.startsWith(ASIDE_DELETED) ? name.slice(ASIDE_DELETED.length) : name)
          const own = item === undefined ? undefined : stateOf(item)
          if (own === undefined) continue
          left ??= new Uint8Array(state)
          xorInto(left, own)
        }
        return { state: left ?? state, sequence }
      } }
    },
  }
}
