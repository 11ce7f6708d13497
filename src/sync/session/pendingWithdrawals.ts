/**
 * Items that were taken back and stay noted as shared until the other side has said that it gave up its copies: should the
 * session end before, they are taken back again.
 */
import type { Entry, ItemRef } from '../items/entry.js'
import { itemKey } from '../items/itemKey.js'

export interface PendingWithdrawals {
  /** Entries went as the group of a number. What is given after it was taken back is shared again, and does not leave. */
  given(entries: readonly Entry[], group: number): void
  /** The other side has taken so many groups; answers the items that have left with them. */
  acknowledged(groups: number): ItemRef[]
}

export function createPendingWithdrawals(): PendingWithdrawals {
  /** The group in which each was taken back last, by its name, in the order of the groups. */
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
