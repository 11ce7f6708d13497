/** The error of an import that Ctrl-C ended: what was imported, and how to continue. */
import { CommandError } from '../../../framework/exit.js'
import { amount, counted } from '../../../terminal/output/format.js'
import type { Counts } from './outcome.js'

/** Creates the error; `total` is the number of rows in the file, if known. */
export function interruptedImport(counts: Counts, total: number | undefined, { dryRun, file }: { dryRun: boolean; file: string }): CommandError {
  const { created, unchanged, updated, refused, skipped } = counts
  const rows = created + unchanged + updated + refused + skipped
  const of = total === undefined || total <= rows ? counted(rows, 'row') : `${amount(rows)} of about ${amount(total)} rows`
  const message = rows === 0 ? 'Interrupted before the first rows were imported.' : dryRun ? `Interrupted. Checked ${of}; nothing was written.` : `Interrupted. Imported ${of}: ${wordsOf(counts)}.`
  const again = file === '-' ? 'run the same command again with the same input' : 'run the same command again'
  // Ids are the same in each import of a file: import/eventId.ts.
  const hint = dryRun ? `To check all rows, ${again}.` : `To continue, ${again}: rows that are already there are skipped.`
  return new CommandError(message, { exit: 130, hint })
}

function wordsOf({ created, unchanged, updated, refused, skipped }: Counts): string {
  const others = Object.entries({ unchanged, updated, refused, skipped }).filter(([, count]) => count > 0)
  return [`${amount(created)} created`, ...others.map(([word, count]) => `${amount(count)} ${word}`)].join(', ')
}
