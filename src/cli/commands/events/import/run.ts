/** Runs an import over all lines. */
import type { EventLine, ImportLine, Problem } from './line.js'
import type { Counts, Outcome } from './outcome.js'

/** Operations on lines. */
export interface Work {
  /** Returns the reason to refuse a line before writing it. */
  refuse(line: EventLine): Promise<Problem | undefined> | Problem | undefined
  /** Writes lines and returns one outcome for each, in order. */
  write(lines: readonly EventLine[]): Promise<Outcome[]>
  /** Receives the outcomes in the order of the lines. */
  print(outcomes: readonly Outcome[]): Promise<void>
  /** Maximum number of groups written in parallel; 1 when their order matters. */
  atOnce: number
}

/** Bounds of a group of lines: many calls in one commit, with little text in memory. */
const maxLines = 1000
const maxCharacters = 4 * 1024 * 1024

/**
 * Processes all lines. Reading and writing overlap.
 * @param counts is incremented during the run
 */
export async function runImport(
  lines: AsyncIterable<readonly ImportLine[]>,
  work: Work,
  counts: Counts,
): Promise<void> {
  const writing: Promise<void>[] = []
  try {
    for await (const group of groups(lines)) {
      const ready = await prepare(group, work)
      while (writing.length >= work.atOnce) await writing.shift()
      const last = finish(ready, writing[writing.length - 1], work, counts)
      // A failure is thrown when the group is awaited; until then, mark it as handled.
      last.catch(() => undefined)
      writing.push(last)
    }
    for (const last of writing) await last
  } finally {
    // When reading fails or is interrupted, groups that are being written still count.
    await Promise.allSettled(writing)
  }
}

interface Prepared {
  group: readonly ImportLine[]
  /** The lines to write. */
  ready: EventLine[]
  refused: ReadonlyMap<ImportLine, Outcome>
}

async function prepare(group: readonly ImportLine[], work: Work): Promise<Prepared> {
  const refused = new Map<ImportLine, Outcome>()
  const ready: EventLine[] = []
  for (const each of group) {
    if ('skipped' in each) continue
    const error = 'error' in each ? each.error : await work.refuse(each)
    if (error !== undefined) refused.set(each, { kind: 'refused', line: each.line, error })
    else if ('event' in each) ready.push(each)
  }
  return { group, ready, refused }
}

/** Writes a group, and reports it after the group `before` has been reported. */
async function finish(
  { group, ready, refused }: Prepared,
  before: Promise<void> | undefined,
  work: Work,
  counts: Counts,
): Promise<void> {
  const results = await work.write(ready)
  await before
  const written = new Map<ImportLine, Outcome | undefined>(ready.map((line, index) => [line, results[index]]))
  const outcomes = group.flatMap((each) => refused.get(each) ?? written.get(each) ?? [])
  for (const { kind } of outcomes) counts[kind] += 1
  counts.skipped += group.length - outcomes.length
  await work.print(outcomes)
}

async function* groups(lines: AsyncIterable<readonly ImportLine[]>): AsyncGenerator<ImportLine[]> {
  let group: ImportLine[] = []
  let size = 0
  for await (const some of lines) {
    for (const line of some) {
      group.push(line)
      if ('event' in line) size += line.size
      if (group.length < maxLines && size < maxCharacters) continue
      yield group
      group = []
      size = 0
    }
  }
  if (group.length > 0) yield group
}
