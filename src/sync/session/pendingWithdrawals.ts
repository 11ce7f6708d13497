/**
 * Withdrawn items stay recorded as shared until the peer confirms that it removed its copies. If the session ends before,
 * they are withdrawn again.
 */
import type { Entry, ItemRef } from '../items/entry.js'
import { itemKey } from '../items/itemKey.js'

export interface PendingWithdrawals {
  /** Records the entries of a sent group. An item sent after its withdrawal is shared again and no longer pending. */
  given(entries: readonly Entry[], group: number): void
  /** Handles an acknowledgement up to a group number; returns the items whose withdrawal is confirmed. */
  acknowledged(groups: number): ItemRef[]
}

export function createPendingWithdrawals(): PendingWithdrawals {
  /** Last group that withdrew each item, by item key, in group order. */
  const leaving = new Map<string, { item: ItemRef; group: number }>()
  return {
    given(entries, group) {
      for (const entry of entries) {
        const { kind, id } = entry
        const name = itemKey(entry)
        leaving.delete(name)
        if ('withdrawn' in entry) leaving.set(name, { item: { kind, id }, group })
      }
    },
    acknowledged(groups) {
      const left: ItemRef[] = []
      for (const [name, { item, group }] of leaving) {
        if (group > groups) break
        leaving.delete(name)
        left.push(item)
      }
      return left
    },
  }
}
