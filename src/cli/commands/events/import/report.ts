/** Reports an import: refused lines while it runs, and the number of lines by result at the end, also after Ctrl-C. */
import type { Context } from '../../../command.js'
import { CommandError, type ExitCode } from '../../../framework/exit.js'
import { listOf, recordOf, textOf } from '../../../client/answer.js'
import type { Progress } from '../../../terminal/output/progress.js'
import { amount, counted } from '../../../terminal/output/format.js'
import type { Problem } from './line.js'
import type { Counts, Outcome } from './outcome.js'

/** Counters to show because of options. */
interface ReportOptions {
  update: boolean
  skipEmpty: boolean
  dryRun: boolean
}

interface Report {
  /** Prints refused lines, and under `--quiet` the ids of created events. */
  print(outcomes: readonly Outcome[]): Promise<void>
  /** Prints the totals; returns the exit code. */
  done(counts: Counts): Promise<ExitCode | void>
}

/** Maximum number of refused lines shown on a terminal. */
const maxShown = 20

export function importReport({ out, terminal }: Context, options: ReportOptions, progress: Progress): Report {
  let shown = 0
  const missingStreams = new Set<string>()

  function show(line: number, error: Problem): void {
    shown += 1
    if (terminal.errIsTerminal && shown > maxShown) return
    // The bar is removed for the line and drawn again below it.
    progress.end()
    out.warn(`Line ${line}: ${problemText(error)}`)
  }

  function noteMissing({ id, data }: Problem): void {
    const ids: unknown = recordOf(data)['streamIds']
    if (id === 'unknown-referenced-resource' && Array.isArray(ids)) for (const each of ids) missingStreams.add(textOf(each))
  }

  return {
    async print(outcomes) {
      for (const outcome of outcomes) {
        if (outcome.kind === 'refused') {
          const { line, error } = outcome
          noteMissing(error)
          if (out.json) await out.item({ event: 'refused', line, error })
          else show(line, error)
        } else if (out.quiet && outcome.kind === 'created') await out.line(outcome.line.event.id)
      }
    },
    async done(counts) {
      const { created, unchanged, updated, refused, skipped } = counts
      if (out.json) {
        const more = {
          ...(options.update ? { updated } : {}),
          ...(options.skipEmpty ? { skipped } : {}),
          ...(options.dryRun ? { dryRun: true } : {}),
        }
        await out.item({ event: 'done', created, unchanged, refused, ...more })
      }
      progress.end()
      if (terminal.errIsTerminal && shown > maxShown) out.note(`  … and ${amount(shown - maxShown)} more; see all with --json`)
      const words = [
        `${amount(created)} created`,
        `${amount(unchanged)} unchanged`,
        ...(options.update ? [`${amount(updated)} updated`] : []),
        ...(options.skipEmpty ? [`${amount(skipped)} skipped`] : []),
        `${amount(refused)} refused`,
      ]
      const summary = `${options.dryRun ? 'Dry run, nothing was written: ' : ''}${words.join(', ')}`
      if (refused === 0) out.done(summary)
      else out.warn(summary)
      if (missingStreams.size > 0) {
        const names = [...missingStreams].slice(0, 10).join(', ')
        out.note(`  → Missing streams: ${names}. Create them with --create-streams, or: coffer streams create`)
      }
      return refused === 0 ? undefined : 3
    },
  }
}

/** Returns the message with the details in its data: each violation of the schema. */
function problemText({ message, data }: Problem): string {
  const reasons = Array.isArray(data) ? listOf(data).map((item) => textOf(item['message'])) : []
  const details = reasons.filter((reason) => reason !== '' && reason !== message)
  return details.length === 0 ? message : `${message} ${details.join(' ')}`
}

/**
 * Creates the error of an import that Ctrl-C ended: what was imported, and how to continue.
 * @param total number of rows in the file, if known
 */
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
