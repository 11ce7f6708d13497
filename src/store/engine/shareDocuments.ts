/**
 * Share documents: the changes that a share peer has of an item instead of this node's, which contain private data. They are
 * stored by item and deleted with it.
 */
import type { Transaction } from './account.js'
import { each, type Database } from './database.js'
import { accountKeys, under } from './keys.js'
import type { RecordReader } from './recordReader.js'

export interface ShareDocument {
  /** Hashes of all initial changes of the item that either side ever sent. */
  roots: readonly string[]
  /** Hashes covered by a deletion, for streams, whose ids may be reused. */
  dead: readonly string[]
  /** Hashes of this node's initial changes that the peer's document replaces. */
  standsFor: readonly string[]
  /** Absent while the peer has no copy of the item. */
  changes?: readonly Uint8Array[]
  /** Changes of this node made from the peer's: peer's hash → own hash, or '' when nothing changed. */
  taken: Readonly<Record<string, string>>
  /** Sequence of the latest entry processed for the peer, of the item or of a stream that it is in. */
  upTo?: number
}

/** Stored form, by number of the peer. */
type Stored = Record<string, StoredEntry & { changes?: readonly string[]; taken?: Readonly<Record<string, string>>; upTo?: number }>

/** Hashes that remain when the peer has no copy any more. */
type StoredEntry = Pick<ShareDocument, 'roots' | 'dead' | 'standsFor'>

const entriesOf = ({ roots, dead, standsFor }: StoredEntry): StoredEntry => ({ roots, dead, standsFor })

const storedOf = (reader: RecordReader, account: string, item: string): Stored | undefined => {
  const text = reader.get(accountKeys.shareDocuments(account, item))
  return text === undefined ? undefined : (JSON.parse(text) as Stored)
}

function put(t: Transaction, item: string, stored: Stored): void {
  const key = accountKeys.shareDocuments(t.account, item)
  if (Object.keys(stored).length === 0) t.delete(key)
  else t.put(key, JSON.stringify(stored))
}

/** Reads a peer's document of an item, named as in keys (`e<event>`); undefined when the peer has this node's changes. */
export function readShareDocument(reader: RecordReader, account: string, item: string, peer: number): ShareDocument | undefined {
  const stored = storedOf(reader, account, item)?.[peer]
  if (stored === undefined) return undefined
  const { changes, taken = {}, upTo } = stored
  return { ...entriesOf(stored), taken, ...(upTo === undefined ? {} : { upTo }), ...(changes === undefined ? {} : { changes: changes.map((one) => Buffer.from(one, 'base64')) }) }
}

/** Stages a peer's document of an item. */
export function putShareDocument(t: Transaction, item: string, peer: number, document: ShareDocument): void {
  const { changes, taken, upTo } = document
  const encoded = changes?.map((change) => Buffer.from(change).toString('base64'))
  const saved = encoded === undefined ? entriesOf(document) : { ...entriesOf(document), changes: encoded, taken, ...(upTo === undefined ? {} : { upTo }) }
  put(t, item, { ...storedOf(t, t.account, item), [peer]: saved })
}

/** Erases the content of an item's documents. Keeps the hashes of a stream's initial changes, which the deletion covers. */
export function eraseShareDocuments(t: Transaction, item: string): void {
  const stored = storedOf(t, t.account, item)
  if (stored === undefined) return
  const isStream = item.startsWith('s')
  put(t, item, isStream ? Object.fromEntries(Object.entries(stored).map(([peer, of]) => [peer, { ...entriesOf(of), dead: of.roots }])) : {})
}

/** Ends the document of a peer that dropped its copy. Keeps the hashes of initial changes, to recognise a returning copy. */
export function endShareDocument(t: Transaction, item: string, peer: number): void {
  const stored = storedOf(t, t.account, item)
  const of = stored?.[peer]
  if (of?.changes !== undefined) put(t, item, { ...stored, [peer]: entriesOf(of) })
}

/** Removes a peer from an account's documents, one page of keys at a time. */
export async function forgetShareDocuments(db: Database, account: string, peer: number, write: (run: (t: Transaction) => void) => Promise<void>): Promise<void> {
  const range = accountKeys.allShareDocuments(account)
  for await (const [key, text] of each(db.entries(under(range)))) {
    if (!Object.hasOwn(JSON.parse(text) as Stored, peer)) continue
    await write((t) => {
      const item = key.slice(range.length)
      const { [String(peer)]: _, ...others } = storedOf(t, account, item) ?? {}
      put(t, item, others)
    })
  }
}

/** Lists the items of which a peer has a share document, each with its last processed entry. */
export async function* shareDocumentsOf(db: Database, account: string, peer: number): AsyncGenerator<{ item: string; upTo: number }> {
  const range = accountKeys.allShareDocuments(account)
  for await (const [key, text] of each(db.entries(under(range)))) {
    const of = (JSON.parse(text) as Stored)[peer]
    if (of?.changes !== undefined) yield { item: key.slice(range.length), upTo: of.upTo ?? 0 }
  }
}
