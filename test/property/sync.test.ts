/**
 * Sync of whole nodes after any writes on any of them, disconnections, delays, repetitions, crashes and restores: once all are
 * connected, all converge, no item is lost that was not deleted, and no deleted item returns.
 */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { run } from './sync/run.js'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const RUNS = Number(process.env['RUNS'] ?? (process.env['SEED'] !== undefined ? 1 : process.env['LONG'] === undefined ? 2 : 300))

describe('nodes with one account', () => {
  it('converge after any operations and failures', { timeout: RUNS * 120_000 }, async () => {
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
