/**
 * Stores the digest of an account, so that a start need not read all items. Changed pages are written together with the
 * sequence that they include, without syncing to disk; after a crash the journal is replayed.
 */
import type { Transaction } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { BucketByEntry, BucketDigests } from './buckets.js'
import type { RebuiltDigests } from './rebuild.js'
import type { DigestSource } from './readItem.js'

/** Format version; 2 covers registers of profile sets. */
const FORMAT = 2
/** Parts of the key: the header, the digests of some buckets, the buckets of some entries. */
const HEAD = 'h'
const SUMS = 's'
const PLACES = 'p'

interface Head {
  format: number
  sequence: number
}

/** Stages the pages of a digest that differ from those on disk. */
export function stageState(t: Transaction, { sums, places, upTo }: RebuiltDigests): void {
  const put = (part: string, bytes: Uint8Array | undefined): void => {
    const key = accountKeys.syncState(t.account, part)
    if (bytes === undefined) t.delete(key)
    else t.put(key, bytes)
  }
  for (const page of sums.touched) put(SUMS + page.toString(36), sums.page(page))
  for (const chunk of places.touched) put(PLACES + chunk.toString(36), places.chunk(chunk))
  const head: Head = { format: FORMAT, sequence: upTo }
  t.put(accountKeys.syncState(t.account, HEAD), JSON.stringify(head))
  t.onStaged(() => {
    sums.touched.clear()
    places.touched.clear()
  })
}

/** Loads the saved digest; undefined when there is none to use. */
export async function loadState({ db, account }: DigestSource): Promise<RebuiltDigests | undefined> {
  const text = db.get(accountKeys.syncState(account, HEAD))
  const head = text === undefined ? undefined : (JSON.parse(text) as Head)
  if (head?.format !== FORMAT) return undefined
  const made: RebuiltDigests = { sums: new BucketDigests(), places: new BucketByEntry(), upTo: head.sequence }
  const prefix = accountKeys.syncStates(account)
  let chunks = 0
  for await (const [key, bytes] of each(db.byteEntries(under(prefix)))) {
    const family = key.charAt(prefix.length)
    const number = Number.parseInt(key.slice(prefix.length + 1), 36)
    if (family === SUMS && !made.sums.setPage(number, bytes)) return undefined
    if (family !== PLACES) continue
    if (!made.places.setChunk(number, bytes)) return undefined
    chunks += 1
  }
  return chunks === BucketByEntry.chunksTo(head.sequence) || head.sequence === 0 ? made : undefined
}
