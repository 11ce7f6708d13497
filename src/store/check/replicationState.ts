/** What is kept for comparing copies of an account: epochs of its journal, its state, and what is shared with whom. */
import { ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import { textToArrivalWindow } from '../engine/remoteArrivals.js'
import { objectIn, textOf, type CheckContext, type Entry } from './crossReference.js'

/** An epoch: the ordered sequence of the first entry → ids of processes. `last` is the latest entry of the journal. */
export function checkEpoch({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('epochs')
  const from = orderedToNumber(rest)
  const where = `account ${account}, epoch ${from}`
  if (rest.length !== ORDERED_LENGTH || !Number.isSafeInteger(from) || from < 1 || from > last + 1) {
    findings.report(where, 'begins at no entry of the journal')
  }
  if (!/^[\w-]+( [\w-]+)*$/.test(textOf(entry))) findings.report(where, 'names no process')
}

/** A span of time in which changes came from other nodes: its entries are those of the journal. */
export function checkReceived({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('times of receipt')
  const time = orderedToNumber(rest)
  const span = textToArrivalWindow(textOf(entry))
  if (rest.length === ORDERED_LENGTH && Number.isFinite(time) && span !== undefined && span.last <= last) return
  findings.report(`account ${account}, receipt at ${time}`, 'names no entries of the journal')
}

/**
 * The kept state: its head, sums and places of entries. Their content is compared with the items when copies differ; here
 * only whether it belongs to this journal.
 */
export function checkSyncState({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('parts of kept states')
  const where = `account ${account}, kept state ${rest}`
  if (rest === 'h') {
    const sequence = objectIn(textOf(entry))?.['sequence']
    if (typeof sequence !== 'number') findings.report(where, 'cannot be read')
    else if (!(sequence >= 0 && sequence <= last)) findings.report(where, 'is that of an entry that is not there')
  } else if (!/^[sp][0-9a-z]+$/.test(rest)) {
    findings.report(where, 'is no part of a state')
  }
}

/** That an item is shared: `<peer>/<item>`. */
export function checkShared({ findings }: CheckContext, { account, rest }: Entry): void {
  findings.count('shared items')
  if (!/^[0-9a-z]+\/[esm].+$/s.test(rest)) findings.report(`account ${account}, shared ${rest}`, 'names no item')
}

/** Share documents of an item. */
export function checkShareDocuments({ findings }: CheckContext, entry: Entry): void {
  const { account, rest } = entry
  findings.count('documents of shares')
  const isSound = /^[es].+$/s.test(rest) && objectIn(textOf(entry)) !== undefined
  if (!isSound) findings.report(`account ${account}, share document ${rest}`, 'cannot be read')
}
