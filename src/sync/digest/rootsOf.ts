/** Root changes of items, which identify copies of the same item. */
import type { Database } from '../../store/engine/database.js'
import { findTombstone } from '../../store/streams/tombstones.js'
import type { ItemRef } from '../items/entry.js'
import { parseChange } from '../crdt/parseChange.js'
import { changesOfItem } from './itemStates.js'

/**
 * Returns the hashes of the first changes of a document, hexadecimal: of the stored one, and of streams also of deleted
 * ones. Deleted events have none.
 * @throws Failure `corrupted-data` when a change cannot be read
 */
export function rootsOf(db: Database, account: string, item: ItemRef): string[] {
  const firsts = changesOfItem(db, account, item).map(parseChange).filter(({ deps }) => deps.length === 0)
  const buried = item.kind === 'stream' ? (findTombstone(db, account, item.id)?.roots ?? []) : []
  return [...new Set([...firsts.map(({ hash }) => hash), ...buried])]
}
