/** What a backup has and what was restored of it, for people. */
import type { Comparison } from '../../store/backup/restore.js'
import type { Output } from '../output/out.js'
import { amount } from '../output/words.js'

const MOST_SHOWN = 20

/** A table of asked and restored by noun, and what differs. */
export async function tellComparison(out: Output, { asked, restored, problems }: Comparison): Promise<void> {
  const nouns = Object.keys(asked).filter((noun) => (asked[noun] ?? 0) > 0 || (restored[noun] ?? 0) > 0)
  const rows = nouns.map((noun) => [noun, amount(asked[noun] ?? 0), amount(restored[noun] ?? 0)])
  const all = [['', 'asked', 'restored'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  for (const [noun = '', a = '', b = ''] of all) {
    await out.line(`  ${noun.padEnd(widths[0] ?? 0)}  ${a.padStart(widths[1] ?? 0)}  ${b.padStart(widths[2] ?? 0)}${a === b || noun === '' ? '' : '  ✖'}`.trimEnd())
  }
  for (const problem of problems.slice(0, MOST_SHOWN)) out.warn(problem)
  if (problems.length > MOST_SHOWN) out.warn(`and ${problems.length - MOST_SHOWN} more`)
}
