/** What a backup has and what was restored of it, for people. */
import type { Comparison } from '../../store/backup/restore.js'
import { tellAsked } from '../output/asked.js'
import type { Output } from '../output/out.js'

const MOST_SHOWN = 20

/** A table of asked and restored by noun, and what differs. */
export async function tellComparison(out: Output, { asked, restored, problems }: Comparison): Promise<void> {
  await tellAsked(out, asked, restored)
  for (const problem of problems.slice(0, MOST_SHOWN)) out.warn(problem)
  if (problems.length > MOST_SHOWN) out.warn(`and ${problems.length - MOST_SHOWN} more`)
}
