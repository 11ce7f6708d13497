/** Tests of the screen of `coffer restore`: its lines and how it ends. */
import { describe, expect, it } from 'vitest'
import { wordsOf } from '../../../src/cli/screens/line.js'
import { restoreLines, type RestoreView } from '../../../src/cli/screens/restore/lines.js'
import { restoreScreen, type RestoreScreen } from '../../../src/cli/screens/restore/restoreScreen.js'
import { screen } from '../support/testTerminal.js'
import { drawnTerminal, type Drawn } from '../support/drawn.js'

const about = { from: '/mnt/disk/2026-11-22T203000Z', into: '/srv/coffer', asked: ['       3 accounts', '  41,209 events'] }
const restoring: RestoreView = {
  ...about,
  phases: [
    { label: 'restoring', done: 5e7, total: 5e7 },
    { label: 'comparing', done: 1e7, total: 4e7 },
  ],
  isOver: false,
}

function openRestore(): { drawn: Drawn; shows: RestoreScreen } {
  const drawn = drawnTerminal(80, 24)
  const terminal = { ...screen({}).terminal(), streams: drawn.streams }
  return { drawn, shows: restoreScreen({ terminal }, about) }
}

describe('the screen of restore', () => {
  it('draws a bar for each phase, and the requested counts', () => {
    expect(restoreLines(restoring, { columns: 78, rows: 23 }).map(wordsOf)).toEqual([
      'RestoreView  /mnt/disk/2026-11-22T203000Z',
      'into       /srv/coffer',
      '',
      '✔ restoring  50 MB',
      '  comparing  ██████░░░░░░░░░░░░░░░░░░  25 %  10 MB of 40 MB',
      '',
      '         3 accounts',
      '    41,209 events',
      '',
      'q quit; nothing is restored until everything is compared',
    ])
    expect(restoreLines({ ...restoring, phases: [] }, { columns: 78, rows: 23 }).map(wordsOf)).toContain('Opening …')
  })

  it.each([
    [38, 23],
    [78, 7],
    [20, 10],
  ])('fits into %d columns and %d lines', (columns, rows) => {
    const lines = restoreLines(restoring, { columns, rows }).map(wordsOf)
    expect(lines.length).toBeLessThanOrEqual(rows)
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(columns)
  })

  it('prints its phases and restores the terminal at the end', async () => {
    const { drawn, shows } = openRestore()
    await drawn.shows('Opening')
    expect(drawn.stdin.isRaw).toBe(true)
    shows.phase('restoring')(10, 100)
    shows.done()
    shows.end()
    shows.end()
    await drawn.shows('✔ restoring  100 B')
    expect(drawn.stdin.isRaw).toBe(false)
  })

  it.each(['q', '\u0003'])('cancels the restore when it is quit by the key %j', async (key) => {
    const { drawn, shows } = openRestore()
    await drawn.shows('q quit')
    const step = shows.phase('restoring')
    step(10, 100)
    drawn.type(key)
    await new Promise(setImmediate)
    expect(() => step(10, 100)).toThrow('Cancelled; nothing was restored.')
    shows.end()
    expect(drawn.stdin.isRaw).toBe(false)
  })
})
