/**
 * Background work on series: merges segments as writes arrive, and erases the points of deleted holders. Follows the
 * journal and runs one task at a time. After a crash, merging resumes with the next write, erasing with the next start.
 */
import type { Account } from '../engine/account.js'
import type { Committer } from '../engine/commit.js'
import { each, type Database } from '../engine/database.js'
import type { JournalEntry } from '../engine/journal.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import { Failure } from '../model/failure.js'
import { headOf } from './head.js'
import { mayMerge, mergeStep, type UnmergedSegments } from './mergeSegments.js'

export interface SeriesCompactor {
  /** Resolves when there is nothing to merge or erase. */
  settled(): Promise<void>
  /** Ends the current task and starts no other. */
  stop(): Promise<void>
}

interface CompactorOptions {
  db: Database
  committer: Committer
  /** Returns the account if it is in memory. */
  loaded(prefix: string): Account | undefined
}

/** Maximum number of series whose unmerged rest is remembered. */
const MAX_REMEMBERED = 10_000
/** Number of erased ranges up to which each is compacted by itself; beyond, all points of the account are. */
const MAX_REWRITTEN = 64
/** Segments erased per write. */
const ERASED_AT_ONCE = 500

const NOTHING: UnmergedSegments = { fresh: 0, points: 0 }

/** Creates the compactor; starts with erasures that a crash interrupted. */
export function createSeriesCompactor({ db, committer, loaded }: CompactorOptions): SeriesCompactor {
  /** Unmerged segments of each series when there was nothing to merge. */
  const unmerged = new Map<string, UnmergedSegments>()
  const due = new Set<string>()
  let isErasing = true
  let isStopped = false
  let running: Promise<void> | undefined

  function note({ account, id, action }: JournalEntry): void {
    const series = `${account}/${id}`
    if (action === 'delete') {
      unmerged.delete(series)
      isErasing = true
      return
    }
    if (mayMerge(headOf(db, account, id) ?? NOTHING, unmerged.get(series) ?? NOTHING)) due.add(series)
  }

  async function merge(series: string): Promise<void> {
    const [prefix = '', event = ''] = series.split('/')
    const account = loaded(prefix)
    if (account === undefined) return
    try {
      // Queued again, so that series take turns.
      if (await mergeStep(account, event)) due.add(series)
      else {
        if (unmerged.size >= MAX_REMEMBERED) unmerged.clear()
        unmerged.set(series, headOf(db, prefix, event) ?? NOTHING)
      }
    } catch (error) {
      // Failed writes are retried with later ones; the store check reports damage.
      if (!(error instanceof Failure)) process.emitWarning(error instanceof Error ? error : String(error))
    }
  }

  async function run(): Promise<void> {
    while (!isStopped && committer.state === 'writable') {
      if (isErasing) {
        isErasing = false
        await eraseAll(db, committer, () => isStopped)
        continue
      }
      const [series] = due
      if (series === undefined) return
      due.delete(series)
      await merge(series)
    }
  }

  function start(): void {
    if (running !== undefined || isStopped || !(isErasing || due.size > 0)) return
    running = run()
      // The next start resumes a failed erasure.
      .catch(() => {})
      .finally(() => {
        running = undefined
        if (committer.state === 'writable') start()
      })
  }

  committer.follow((entries) => {
    for (const entry of entries) if (entry.kind === 'series') note(entry)
    start()
  })
  start()

  return {
    async settled() {
      while (running !== undefined) await running
    },
    async stop() {
      isStopped = true
      await running
    },
  }
}

/** Returns the prefixes of all points of a series, and of their summaries. */
const prefixesOf = (account: string, event: string, epoch: number): string[] => [
  accountKeys.pointsOf(account, event, epoch),
  accountKeys.newPointsOf(account, event, epoch),
  accountKeys.pointsSummariesOf(account, event, epoch),
]

/** Erases the points of all removed series, and compacts their ranges, since the files contain the points until then. */
async function eraseAll(db: Database, committer: Committer, isStopped: () => boolean): Promise<void> {
  const erased = new Map<string, string[]>()
  for await (const key of each(db.keys(under(nodeKeys.erasingsSeries)))) {
    const [account = '', event = '', epoch = ''] = key.slice(nodeKeys.erasingsSeries.length).split('/')
    const number = Number.parseInt(epoch, 36)
    for (const prefix of prefixesOf(account, event, number)) {
      const prefixes = erased.get(account) ?? []
      erased.set(account, prefixes)
      prefixes.push(prefix)
      for (;;) {
        if (isStopped()) return
        const source = db.keys(under(prefix), { limit: ERASED_AT_ONCE })
        const keys = await source.next(ERASED_AT_ONCE)
        await source.close()
        if (keys.length === 0) break
        await committer.stage({ operations: new Map(keys.map((one) => [one, null])), entries: [] })
      }
    }
    await committer.stage({ operations: new Map([[key, null]]), entries: [], sync: true })
  }
  for (const [account, prefixes] of erased) {
    const all = [accountKeys.allPoints(account), accountKeys.allNewPoints(account), accountKeys.allPointsSummaries(account)]
    for (const prefix of prefixes.length > MAX_REWRITTEN ? all : prefixes) {
      if (!isStopped()) await db.compact(under(prefix))
    }
  }
}
