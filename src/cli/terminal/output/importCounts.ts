/** Prints the numbers of requested and restored items. */
import { differing, type Counts } from '../../../store/backup/manifest.js'
import type { Output } from './out.js'
import { amount } from './format.js'

/** Prints a table of both by noun; marks differences and omits nouns without items. */
export async function writeCounts(out: Output, requested: Counts, restored: Counts): Promise<void> {
  const nouns = Object.keys({ ...requested, ...restored }).filter((noun) => (requested[noun] ?? 0) > 0 || (restored[noun] ?? 0) > 0)
  const rows = [['', 'asked', 'restored'], ...nouns.map((noun) => [noun, amount(requested[noun] ?? 0), amount(restored[noun] ?? 0)])]
  const others = new Set(differing(requested, restored))
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  for (const [noun = '', a = '', b = ''] of rows) {
    const mark = others.has(noun) ? '  ✖' : ''
    await out.line(`  ${noun.padEnd(widths[0] ?? 0)}  ${a.padStart(widths[1] ?? 0)}  ${b.padStart(widths[2] ?? 0)}${mark}`.trimEnd())
  }
}
