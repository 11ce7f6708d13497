/**
 * The property of sync, on whole nodes: whatever clients write on any of them, whatever is cut, comes late or twice,
 * crashes or is restored from a backup: once all are connected again, all hold the same, nothing is lost that was not
 * deleted, and nothing deleted is back.
 */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { run } from './sync/run.js'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const RUNS = Number(process.env['RUNS'] ?? (process.env['SEED'] !== undefined ? 1 : process.env['LONG'] === undefined ? 2 : 300))

describe('nodes that hold one account', () => {
  it('come to the same, whatever happens to them and between them', { timeout: RUNS * 120_000 }, async () => {
    const failures: string[] = []
    for (let n = 0; n < RUNS; n++) {
      const { problems, story } = await run(SEED + n)
      if (problems.length === 0) continue
      if (process.env['STORY'] !== undefined) console.error(story.join('\n'))
      failures.push(`SEED=${SEED + n}:\n${problems.join('\n')}`)
    }
    expect(failures.length, failures.join('\n\n')).toBe(0)
  })
})
