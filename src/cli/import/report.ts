/** What an import tells: refused lines on the way, and at last how many lines came to what. */
import type { Context } from '../command.js'
import type { ExitCode } from '../framework/exit.js'
import { listOf, recordOf, textOf } from '../client/answer.js'
import type { Progress } from '../terminal/output/progress.js'
import { amount } from '../terminal/output/format.js'
import type { Problem } from './line.js'
import type { Counts, Outcome } from './outcome.js'

/** What is counted beside the rest because it was asked for. */
export interface ReportOptions {
  update: boolean
  skipEmpty: boolean
  dryRun: boolean
}

export interface Report {
  /** Tells refused lines, and under `--quiet` the ids of events that are there now. */
  print(outcomes: readonly Outcome[]): Promise<void>
  /** Tells the end; answers the exit code. */
  done(counts: Counts): Promise<ExitCode | void>
}

/** A person does not read more lines than this. */
const maxShown = 20

export function importReport({ out, terminal }: Context, options: ReportOptions, progress: Progress): Report {
  let displayed = 0
  const missingStreams = new Set<string>()

  function show(line: number, error: Problem): void {
    displayed += 1
    if (terminal.errIsTerminal && displayed > maxShown) return
    // The bar gives way to the line, and comes again behind it.
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
      if (terminal.errIsTerminal && displayed > maxShown) out.note(`  … and ${amount(displayed - maxShown)} more; --json tells them all`)
      const words = [
        `${amount(created)} created`,
        `${amount(unchanged)} unchanged`,
        ...(options.update ? [`${amount(updated)} changed`] : []),
        ...(options.skipEmpty ? [`${amount(skipped)} left out`] : []),
        `${amount(refused)} refused`,
      ]
      const described = `${options.dryRun ? 'Nothing was written. It would be: ' : ''}${words.join(', ')}`
      if (refused === 0) out.done(described)
      else out.warn(described)
      if (missingStreams.size > 0) {
        const names = [...missingStreams].slice(0, 10).join(', ')
        out.note(`  → Streams that are missing: ${names}. Make them with --create-streams, or: coffer streams create`)
      }
      return refused === 0 ? undefined : 3
    },
  }
}

/** The message with what its data adds: each thing that is wrong with the format. */
function problemText({ message, data }: Problem): string {
  const reasons = Array.isArray(data) ? listOf(data).map((item) => textOf(item['message'])) : []
  const described = reasons.filter((reason) => reason !== '' && reason !== message)
  return described.length === 0 ? message : `${message} ${described.join(' ')}`
}
