/** Verifies the hash chain of commits and the digests of journal entries in it. */
import { decodeLink, digest, type ChainHead } from '../engine/commit.js'
import { each } from '../engine/database.js'
import { encodeEntry, isErased } from '../engine/journal.js'
import { nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from '../engine/keys.js'
import { createJournalCursors } from './journalCursors.js'
import type { Yielder } from '../engine/yield.js'
import type { CheckContext } from './crossReference.js'

/** State of an account's journal according to the chain. */
export interface LinkedJournal {
  /** Sequence of the latest entry. */
  last: number
  /** True when the latest entry is the deletion of the account. */
  isDeleted: boolean
  /** Number of missing entries, and the sequence of the first. */
  missing: number
  firstMissing: number
}

type Link = NonNullable<ReturnType<typeof decodeLink>>

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/**
 * Verifies the chain from its first commit to `head`: every link, and every journal entry that exists and was not
 * erased. `mark` is the high-water mark. Returns the state of each account's journal.
 */
export async function checkChain(
  context: CheckContext,
  head: ChainHead,
  mark: ChainHead | undefined,
  pause: Yielder,
): Promise<Map<string, LinkedJournal>> {
  const { db, findings } = context
  const journals = new Map<string, LinkedJournal>()
  const cursors = createJournalCursors(db)
  let at: ChainHead = { sequence: 0, hash: new Uint8Array(32) }
  for await (const [key, bytes] of each(db.byteEntries(under(nodeKeys.commits)))) {
    const sequence = orderedToNumber(key, key.length - ORDERED_LENGTH)
    const where = `commit ${sequence}`
    findings.count('commits')
    if (sequence !== at.sequence + 1) findings.report(where, `follows commit ${at.sequence}`)
    const link = decodeLink(bytes)
    if (link === undefined) findings.report(where, 'cannot be read')
    else if (!same(link.previous, at.hash)) findings.report(where, 'does not contain the hash of the previous commit')
    at = { sequence, hash: digest(bytes) }
    if (sequence === mark?.sequence && !same(at.hash, mark.hash)) {
      findings.report(where, 'does not match the high-water mark')
    }
    for (const entry of link?.entries ?? []) {
      const reading = cursors.prepare(entry.account, entry.sequence)
      if (reading !== undefined) await reading
      checkEntry(context, journals, where, entry, cursors.read(entry.account, entry.sequence))
      const turn = pause()
      if (turn !== undefined) await turn
    }
  }
  if (at.sequence !== head.sequence || !same(at.hash, head.hash)) {
    findings.report(`commit ${head.sequence}`, `is not the last commit, which is ${at.sequence}`)
  }
  if (mark !== undefined && mark.sequence > at.sequence) {
    findings.report(`commit ${mark.sequence}`, 'was acknowledged but is missing')
  }
  return journals
}

/** Verifies the last `max` links up to `head`: each follows the previous one, and the last is the acknowledged one. */
export async function checkChainEnd(context: CheckContext, head: ChainHead, mark: ChainHead | undefined, max: number): Promise<void> {
  const { db, findings } = context
  const first = Math.max(1, head.sequence - max + 1)
  let at: ChainHead | undefined = first === 1 ? { sequence: 0, hash: new Uint8Array(32) } : undefined
  for await (const [key, bytes] of each(db.byteEntries({ ...under(nodeKeys.commits), gte: nodeKeys.commit(first) }))) {
    const sequence = orderedToNumber(key, key.length - ORDERED_LENGTH)
    const where = `commit ${sequence}`
    findings.count('commits')
    const link = decodeLink(bytes)
    if (at !== undefined && sequence !== at.sequence + 1) findings.report(where, `follows commit ${at.sequence}`)
    if (link === undefined) findings.report(where, 'cannot be read')
    else if (at !== undefined && !same(link.previous, at.hash)) findings.report(where, 'does not contain the hash of the previous commit')
    at = { sequence, hash: digest(bytes) }
    if (sequence === mark?.sequence && !same(at.hash, mark.hash)) findings.report(where, 'does not match the high-water mark')
  }
  const last = at?.sequence ?? 0
  if (last !== head.sequence || mark === undefined || mark.sequence <= last) return
  findings.report(`commit ${mark.sequence}`, 'was acknowledged but is missing')
}

/** Verifies an entry of a link against `bytes`, the entry in the journal, if there is one. */
function checkEntry(
  { findings }: CheckContext,
  journals: Map<string, LinkedJournal>,
  where: string,
  entry: Link['entries'][number],
  bytes: Uint8Array | undefined,
): void {
  const { account, sequence } = entry
  const journal = journals.get(account) ?? { last: 0, isDeleted: false, missing: 0, firstMissing: 0 }
  journals.set(account, journal)
  findings.count('entries')
  if (sequence !== journal.last + 1) {
    findings.report(where, `has entry ${sequence} of account ${account} after entry ${journal.last}`)
  }
  if (journal.isDeleted) findings.report(where, `has an entry of account ${account} after its deletion`)
  journal.last = sequence
  journal.isDeleted = same(entry.digest, digest(encodeEntry('user', 'delete', account)))
  if (bytes === undefined) {
    if (journal.missing === 0) journal.firstMissing = sequence
    journal.missing += 1
  } else if (isErased(bytes)) {
    findings.count('erased entries')
  } else if (!same(digest(bytes), entry.digest)) {
    findings.report(`account ${account}, entry ${sequence}`, 'differs from the committed entry')
  }
}

/** Reports missing journal entries. Entries of a deleted account may be missing, fully or, during erasure, partly. */
export function checkJournals({ db, findings }: CheckContext, journals: ReadonlyMap<string, LinkedJournal>): void {
  for (const [account, { isDeleted, missing, firstMissing }] of journals) {
    if (isDeleted) findings.count('deleted accounts')
    else if (missing > 0) {
      findings.report(`account ${account}`, `lacks ${missing} journal entries, the first being ${firstMissing}`)
    }
    if (!isDeleted && db.get(nodeKeys.erasing(account)) !== undefined) {
      findings.report(`account ${account}`, 'is being erased, but its journal has no deletion')
    }
  }
}
