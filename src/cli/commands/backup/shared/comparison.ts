/** Compares a backup or an import with the restored data, for people. */
import { differing, type Counts } from '../../../../store/backup/manifest.js'
import type { Comparison } from '../../../../store/backup/restore.js'
import { amount } from '../../../terminal/output/format.js'
import type { Output } from '../../../terminal/output/out.js'

const MAX_SHOWN = 20

/** Prints a table of expected and restored numbers by noun, and the differences. */
export async function writeComparison(out: Output, { asked: expected, restored, problems }: Comparison): Promise<void> {
  await writeCounts(out, expected, restored)
  for (const problem of problems.slice(0, MAX_SHOWN)) out.warn(problem)
  if (problems.length > MAX_SHOWN) out.warn(`and ${problems.length - MAX_SHOWN} more`)
}

/** Prints a table of expected and restored numbers by noun; marks differences and omits nouns without items. */
export async function writeCounts(out: Output, requested: Counts, restored: Counts): Promise<void> {
  const nouns = Object.keys({ ...requested, ...restored }).filter((noun) => (requested[noun] ?? 0) > 0 || (restored[noun] ?? 0) > 0)
  const rows = [['', 'expected', 'restored'], ...nouns.map((noun) => [noun, amount(requested[noun] ?? 0), amount(restored[noun] ?? 0)])]
  const others = new Set(differing(requested, restored))
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  for (const [noun = '', a = '', b = ''] of rows) {
    const mark = others.has(noun) ? '  ✖' : ''
    await out.line(`  ${noun.padEnd(widths[0] ?? 0)}  ${a.padStart(widths[1] ?? 0)}  ${b.padStart(widths[2] ?? 0)}${mark}`.trimEnd())
  }
}
