/** CRDT changes of an item in the journal: reads them from the latest entry back, and erases them. */
import type { Transaction } from './account.js'
import { decodeEntry, erasedEntry } from './journal.js'
import { accountKeys, ORDERED_LENGTH } from './keys.js'
import { changeElement, zeroDigest, isNodeLocal, xorInto, type DigestElement } from '../model/digestElement.js'
import type { DocumentKind } from './changeRecorder.js'
import type { RecordReader } from './recordReader.js'
import { eraseShareDocuments } from './shareDocuments.js'

/** Returns the sequence of a document's latest journal entry; undefined when the document does not exist here. */
export function latestEntry(
  reader: RecordReader,
  account: string,
  kind: DocumentKind,
  id: string,
): number | undefined {
  switch (kind) {
    case 'event': {
      const place = reader.get(accountKeys.eventPlace(account, id))
      return place === undefined || place.startsWith('{') ? undefined : Number.parseInt(place.slice(ORDERED_LENGTH), 36)
    }
    case 'stream': {
      const place = reader.get(accountKeys.streamPlace(account, id))
      return place === undefined ? undefined : Number.parseInt(place, 36)
    }
  }
}

/** Returns the CRDT change of a journal entry; empty when the entry was erased. */
export function changeAt(t: Pick<Transaction, 'account' | 'getBytes'>, sequence: number): Uint8Array {
  const bytes = t.getBytes(accountKeys.journal(t.account, sequence))
  const entry = bytes === undefined ? undefined : decodeEntry(bytes)
  return entry?.change ?? new Uint8Array(0)
}

/** Returns all changes of an item, latest first, starting from its latest journal entry. */
export function* changesOf(
  t: Pick<Transaction, 'account' | 'getBytes'>,
  latest: number,
): Generator<{ sequence: number; change: Uint8Array }> {
  let at: number | undefined = latest
  while (at !== undefined) {
    const bytes = t.getBytes(accountKeys.journal(t.account, at))
    const entry = bytes === undefined ? undefined : decodeEntry(bytes)
    if (entry === undefined) return
    yield { sequence: at, change: entry.change }
    at = entry.previous
  }
}

/**
 * Erases the content of an item's changes; the chain keeps their digests and stays verifiable. Returns the changes,
 * latest first, and their combined digest element.
 */
export function eraseChanges(
  t: Transaction,
  item: string,
  latest: number,
): { changes: readonly Uint8Array[]; state: DigestElement } {
  const changes: Uint8Array[] = []
  const state = zeroDigest()
  for (const { sequence, change } of changesOf(t, latest)) {
    changes.push(change)
    const element = isNodeLocal(item) ? undefined : changeElement(item, change)
    if (element !== undefined) xorInto(state, element)
    t.put(accountKeys.journal(t.account, sequence), erasedEntry())
  }
  t.delete(accountKeys.docState(t.account, item))
  eraseShareDocuments(t, item)
  return { changes, state }
}
