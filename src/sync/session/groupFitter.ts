/** Keeps groups within the protocol limits: puts aside items that exceed them and splits groups that are too large. */
import { itemKey, type Entry } from '../wire/entry.js'
import { entryBytes, entryObjection, idObjection, type AsideItem } from '../wire/limits.js'
import type { Group } from '../wire/message.js'
import { inPieces } from './itemReader.js'

/** Bytes after which a group takes no further entry. */
const ENOUGH_BYTES = 4 * 1024 * 1024

interface FittedGroups {
  /** Groups in order; the last one carries the data that applies to all. */
  groups: Group[]
  aside: AsideItem[]
}

interface GroupFitter {
  fit(group: Group): FittedGroups
}

export function createGroupFitter(): GroupFitter {
  /** Items with a change put aside in this session: the receiver cannot apply changes that build on it. */
  const dropped = new Set<string>()

  function isWithinLimits(entry: Entry, aside: AsideItem[]): boolean {
    const name = itemKey(entry)
    const objection = entryObjection(entry)
    if (objection === undefined) {
      if ('deleted' in entry) dropped.delete(name)
      return !('changes' in entry) || !dropped.has(name)
    }
    dropped.add(name)
    aside.push({ item: { kind: entry.kind, id: entry.id }, ...objection })
    return false
  }

  return {
    fit(group) {
      const aside: AsideItem[] = []
      const offers = group.offers.filter(({ item }) => {
        const objection = idObjection(item)
        if (objection !== undefined) aside.push({ item, ...objection })
        return objection === undefined
      })
      const entries = group.entries.filter((entry) => isWithinLimits(entry, aside)).flatMap(inPieces)
      const parts = inParts(entries)
      const last = parts.pop() ?? []
      // The receiver has no item with an id beyond the limit, so it needs no withdrawal.
      const named = aside.filter(({ item }) => idObjection(item) === undefined)
      const { position: _, ...rest } = group
      const first = parts.map((part): Group => ({ ...rest, entries: part, offers: [], lacking: [], aside: [], answers: false, reconciled: false }))
      return { groups: [...first, { ...group, entries: last, offers, aside: [...group.aside, ...named] }], aside }
    },
  }
}

function inParts(entries: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = []
  let part: Entry[] = []
  let bytes = 0
  for (const entry of entries) {
    const length = entryBytes(entry)
    if (part.length > 0 && bytes + length > ENOUGH_BYTES) {
      parts.push(part)
      part = []
      bytes = 0
    }
    part.push(entry)
    bytes += length
  }
  parts.push(part)
  return parts
}
