/** How items are named in keys and among the elements of a state (store/model/digestElement.ts): `e<event>`, `m<series>`. */
import { kindLetter, type EntryKind } from '../../store/engine/journal.js'
import type { ItemKind, ItemRef } from './entry.js'

const KINDS: Record<string, ItemKind> = { e: 'event', s: 'stream', p: 'profile', a: 'access', m: 'series' }

/** The name of an item. */
export const itemKey = ({ kind, id }: { kind: EntryKind; id: string }): string => kindLetter(kind) + id

/** The item of a name; undefined for a letter that no item has. */
export function parseItemKey(name: string): ItemRef | undefined {
  const kind = KINDS[name.charAt(0)]
  return kind === undefined ? undefined : { kind, id: name.slice(1) }
}
