/** Compares the content of a backup with what was restored. */
import type { Comparison } from '../../store/backup/restore.js'
import { writeCounts } from '../terminal/output/importCounts.js'
import type { Output } from '../terminal/output/out.js'

const MAX_SHOWN = 20

/** Prints a table of expected and restored numbers by noun, and the differences. */
export async function writeComparison(out: Output, { asked: options, restored, problems }: Comparison): Promise<void> {
  await writeCounts(out, options, restored)
  for (const problem of problems.slice(0, MAX_SHOWN)) out.warn(problem)
  if (problems.length > MAX_SHOWN) out.warn(`and ${problems.length - MAX_SHOWN} more`)
}
