/**
 * Documents of shares: the changes that a peer of a share has of an item in place of those of this node, because these
 * hold what was never shared. They are kept by item, so that they go with it.
 */
import type { Transaction } from '../account.js'
import { each, type Database } from '../database.js'
import { accountKeys, under } from '../keys.js'

export interface ShareDocument {
  /** Hashes of all first changes that the peer was ever given of the item, or gave. */
  roots: readonly string[]
  /** Those among them that a deletion covers: of streams, whose ids may come again. */
  dead: readonly string[]
  /** Hashes of the first changes of this node in place of which the peer was given others. */
  standsFor: readonly string[]
  /** Absent when the peer has none of the item at the moment. */
  changes?: readonly Uint8Array[]
  /** What changes of the peer became here: hash → hash of the change of this node, or '' when it changed nothing. */
  taken: Readonly<Record<string, string>>
  /** Sequence of the latest entry of the item that was looked at for the peer. */
  upTo?: number
}

/** As it is stored, by the number of the peer. */
type Stored = Record<string, Kept & { changes?: readonly string[]; taken?: Readonly<Record<string, string>>; upTo?: number }>

/** What stays when the peer has no copy any more. */
type Kept = Pick<ShareDocument, 'roots' | 'dead' | 'standsFor'>

const keptOf = ({ roots, dead, standsFor }: Kept): Kept => ({ roots, dead, standsFor })

type Reader = { get(key: string): string | undefined }

const storedOf = (reader: Reader, account: string, item: string): Stored | undefined => {
  const text = reader.get(accountKeys.shareDocuments(account, item))
  return text === undefined ? undefined : (JSON.parse(text) as Stored)
}

function put(t: Transaction, item: string, stored: Stored): void {
  const key = accountKeys.shareDocuments(t.account, item)
  if (Object.keys(stored).length === 0) t.delete(key)
  else t.put(key, JSON.stringify(stored))
}

/** Reads what a peer has of an item, which is named as keys name it (`e<event>`); undefined when it has the changes of this node. */
export function readShareDocument(reader: Reader, account: string, item: string, peer: number): ShareDocument | undefined {
  const stored = storedOf(reader, account, item)?.[peer]
  if (stored === undefined) return undefined
  const { changes, taken = {}, upTo } = stored
  return { ...keptOf(stored), taken, ...(upTo === undefined ? {} : { upTo }), ...(changes === undefined ? {} : { changes: changes.map((one) => Buffer.from(one, 'base64')) }) }
}

/** Stages what a peer has of an item. */
export function putShareDocument(t: Transaction, item: string, peer: number, document: ShareDocument): void {
  const { changes, taken, upTo } = document
  const encoded = changes?.map((change) => Buffer.from(change).toString('base64'))
  const kept = encoded === undefined ? keptOf(document) : { ...keptOf(document), changes: encoded, taken, ...(upTo === undefined ? {} : { upTo }) }
  put(t, item, { ...storedOf(t, t.account, item), [peer]: kept })
}

/** Erases the content of an item's documents; of streams the first changes stay, which the deletion covers. */
export function eraseShareDocuments(t: Transaction, item: string): void {
  const stored = storedOf(t, t.account, item)
  if (stored === undefined) return
  const isStream = item.startsWith('s')
  put(t, item, isStream ? Object.fromEntries(Object.entries(stored).map(([peer, of]) => [peer, { ...keptOf(of), dead: of.roots }])) : {})
}

/** Ends the document of a peer that has given up its copy; the first changes stay, by which a copy is known that comes back. */
export function endShareDocument(t: Transaction, item: string, peer: number): void {
  const stored = storedOf(t, t.account, item)
  const of = stored?.[peer]
  if (of?.changes !== undefined) put(t, item, { ...stored, [peer]: keptOf(of) })
}

/** Removes a peer from the documents of an account, a page of keys at a time. */
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

/** Lists the items of which a peer has a document of its own, each with the entry up to which that was brought. */
export async function* shareDocumentsOf(db: Database, account: string, peer: number): AsyncGenerator<{ item: string; upTo: number }> {
  const range = accountKeys.allShareDocuments(account)
  for await (const [key, text] of each(db.entries(under(range)))) {
    const of = (JSON.parse(text) as Stored)[peer]
    if (of?.changes !== undefined) yield { item: key.slice(range.length), upTo: of.upTo ?? 0 }
  }
}
