/** What there is of items that are no live documents: deletions, accesses, series. Read from the store, as elements. */
import { findDeletion } from '../../store/events.js'
import { findGrave } from '../../store/graves.js'
import { deletionElement, graveElement, type Element } from '../../store/model/element.js'
import type { Seal } from '../../store/seal.js'
import type { ItemKind } from '../exchange/entry.js'

type Reader = { get(key: string): string | undefined }

/** The elements of an item beside those of its live changes. */
export function remainsOf(reader: Reader, seal: Seal, account: string, kind: ItemKind, id: string): Element[] {
  switch (kind) {
    case 'event': {
      const deletion = findDeletion(reader, account, id)
      return deletion === undefined ? [] : [deletionElement(`e${id}`, deletion.deleted)]
    }
    case 'stream': {
      const grave = findGrave(reader, account, id)
      return grave === undefined ? [] : [graveElement(`s${id}`, grave.deleted, grave.roots)]
    }
    case 'access':
    case 'series':
    case 'profile':
      return []
  }
}
