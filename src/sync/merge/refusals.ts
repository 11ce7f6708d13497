/** Records refused entries with their content, so that nothing is dropped silently. */
import type { Transaction } from '../../store/engine/account.js'
import { kindLetter } from '../../store/engine/journal.js'
import { MAX_ID_LENGTH } from '../../store/model/slug.js'
import type { Seconds } from '../../store/model/event.js'
import { forgetRefusals, noteRefusal } from '../../store/engine/mergeState.js'
import type { Entry, Outcome } from '../wire/entry.js'
import type { MergeSource } from './context.js'

/** Maximum bytes of a stored entry; longer ones are recorded without their content. */
const MAX_STORED = 64 * 1024
/** Returns the name under which the item of an entry is recorded: the letter of its kind and its id. */
export const itemOf = ({ kind, id }: Pick<Entry, 'kind' | 'id'>): string =>
  kindLetter(kind) + id.slice(0, MAX_ID_LENGTH).replaceAll('/', '%')

/** Records a refused entry, and removes earlier refusals of an item once it is applied. */
export function noteOutcome(t: Transaction, entry: Entry, outcome: Outcome, from: MergeSource, now: Seconds): void {
  const item = itemOf(entry)
  if (outcome.is === 'applied' || outcome.is === 'known') {
    if (t.mergeState.refused.has(item)) forgetRefusals(t, item, from.peer)
  } else if (outcome.is === 'refused') {
    const { reason, message } = outcome
    const stored = storedOf(entry)
    noteRefusal(t, from.peer, item, { reason, message, at: now, ...(stored === undefined ? {} : { entry: stored }) })
  }
}

/** Returns an entry as JSON without values of accesses, series and profile sets, since those hold tokens and erasable data. */
function storedOf(entry: Entry): unknown {
  if (entry.kind === 'access' || entry.kind === 'series' || entry.kind === 'profile') return undefined
  if (!('changes' in entry)) return entry
  const { kind, id, changes, files } = entry
  if (changes.reduce((sum, { length }) => sum + length, 0) > MAX_STORED) return undefined
  const encoded = changes.map((change) => Buffer.from(change).toString('base64'))
  return { kind, id, changes: encoded, ...(files === undefined ? {} : { files: [...files] }) }
}
