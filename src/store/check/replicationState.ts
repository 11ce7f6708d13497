/** Checks the stored replication state: journal epochs, digests, and shared items. */
import { ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import { textToArrivalWindow } from '../engine/remoteArrivals.js'
import { objectIn, textOf, type CheckContext, type Entry } from './crossReference.js'

/** Checks an epoch: the ordered sequence of its first entry → ids of processes. `last` is the latest journal entry. */
export function checkEpoch({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('epochs')
  const from = orderedToNumber(rest)
  const where = `account ${account}, epoch ${from}`
  if (rest.length !== ORDERED_LENGTH || !Number.isSafeInteger(from) || from < 1 || from > last + 1) {
    findings.report(where, 'does not begin at a journal entry')
  }
  if (!/^[\w-]+( [\w-]+)*$/.test(textOf(entry))) findings.report(where, 'has no valid process id')
}

/** Checks an arrival window of remote changes: its entries are in the journal. */
export function checkReceived({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('times of receipt')
  const time = orderedToNumber(rest)
  const span = textToArrivalWindow(textOf(entry))
  if (rest.length === ORDERED_LENGTH && Number.isFinite(time) && span !== undefined && span.last <= last) return
  findings.report(`account ${account}, receipt at ${time}`, 'does not refer to journal entries')
}

/**
 * Checks the stored digests: head, sums and positions of entries. Only checks that they belong to this journal; replicas
 * that differ compare the content with the items.
 */
export function checkSyncState({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('parts of kept states')
  const where = `account ${account}, digest state ${rest}`
  if (rest === 'h') {
    const sequence = objectIn(textOf(entry))?.['sequence']
    if (typeof sequence !== 'number') findings.report(where, 'cannot be read')
    else if (!(sequence >= 0 && sequence <= last)) findings.report(where, 'refers to a missing journal entry')
  } else if (!/^[sp][0-9a-z]+$/.test(rest)) {
    findings.report(where, 'is not part of a digest state')
  }
}

/** Checks the entry of a shared item: `<peer>/<item>`. */
export function checkShared({ findings }: CheckContext, { account, rest }: Entry): void {
  findings.count('shared items')
  if (!/^[0-9a-z]+\/[esm].+$/s.test(rest)) findings.report(`account ${account}, shared ${rest}`, 'does not name an item')
}

/** Checks the share documents of an item. */
export function checkShareDocuments({ findings }: CheckContext, entry: Entry): void {
  const { account, rest } = entry
  findings.count('documents of shares')
  const isSound = /^[es].+$/s.test(rest) && objectIn(textOf(entry)) !== undefined
  if (!isSound) findings.report(`account ${account}, share document ${rest}`, 'cannot be read')
}
