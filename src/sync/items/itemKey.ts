/** Item keys, used in database keys and for digest elements (store/model/digestElement.ts): `e<event>`, `m<series>`. */
import { kindLetter, type EntryKind } from '../../store/engine/journal.js'
import type { ItemKind, ItemRef } from './entry.js'

const KINDS: Record<string, ItemKind> = { e: 'event', s: 'stream', p: 'profile', a: 'access', m: 'series' }

/** Returns the key of an item. */
export const itemKey = ({ kind, id }: { kind: EntryKind; id: string }): string => kindLetter(kind) + id

/** Parses an item key; undefined for an unknown kind letter. */
export function parseItemKey(name: string): ItemRef | undefined {
  const kind = KINDS[name.charAt(0)]
  return kind === undefined ? undefined : { kind, id: name.slice(1) }
}
