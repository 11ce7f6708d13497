/** Ctrl-C during long commands: what is reported, and that the command may be run again as the report says. */
import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { interruptedImport } from '../../../src/cli/commands/events/import/report.js'
import { runCommandLine } from '../../../src/cli/program.js'
import { createRowCounter } from '../../../src/cli/terminal/input/preview.js'
import { startTestNode } from '../../support/nodes/node.js'
import { testHome } from '../support/closedHome.js'
import type { TestHome } from '../support/closedHome.js'
import { interruptAtOnce, interruptHandled } from '../support/interrupt.js'
import { screen } from '../support/testTerminal.js'

let node: TestHome
const rows = 1500
/** Long lines, so that few rows are more than the begin from which the format is detected. */
const table = `time,value,note\n${Array.from({ length: rows }, (_, n) => `${1_700_000_000 + n * 60},${n},${'x'.repeat(200)}\n`).join('')}`
const points = 12_000
const pointTable = `timestamp,value\n${Array.from({ length: points }, (_, n) => `${1_700_000_000 + n * 60},${n}\n`).join('')}`
const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]?.replaceAll(',', ''))

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  await node.json('streams create s --id s')
  await node.json('streams create full --id full')
  const { code, err } = await node.run('events import - --stream full --type mass/kg', { stdin: table })
  expect(code, err).toBe(0)
})
afterAll(() => node.remove())
// A process that is interrupted while it opens or reads a store ends without closing it; here the store is closed a little later.
afterEach(() => expect.poll(async () => (await node.run('users list -q')).code, { timeout: 20_000 }).toBe(0))

/** Runs an import of the first bytes of a text from stdin, and interrupts it once it waits for more. */
async function importAndInterrupt(words: readonly string[], text: string): Promise<{ code: number; err: string }> {
  const shown = screen()
  const env = { COFFER_HOME: node.home, NO_COLOR: '1' }
  const handled = interruptHandled()
  const code = runCommandLine(words, { env, terminal: (choices) => shown.terminal({ ...choices, env }) })
  shown.streams.stdin.write(text)
  await handled
  // The import goes on until the rows so far are written, and then waits for more.
  await new Promise((resolve) => setTimeout(resolve, 300))
  process.emit('SIGINT')
  return { code: await code, err: shown.err() }
}

describe('Ctrl-C', () => {
  it('during events import reports the imported rows, and a second import continues', async () => {
    const words = ['events', 'import', '-', '--stream', 's', '--type', 'mass/kg']
    const { code, err } = await importAndInterrupt(words, table)
    expect(code).toBe(130)
    expect(err).toMatch(/✖ Interrupted\. Imported [\d,]+ rows?: [\d,]+ created\.\n {2}→ To continue, run the same command again with the same input: rows that are already there are skipped\.\n/)
    const created = numberIn(err, /([\d,]+) created/)
    const last = (await node.run([...words, '--json'], { stdin: table })).out.trimEnd().split('\n').at(-1)
    expect(JSON.parse(last ?? '')).toEqual({ event: 'done', created: rows - created, unchanged: created, refused: 0 })
  })

  it('during a dry run reports that nothing was written', async () => {
    const words = ['events', 'import', '-', '--stream', 's', '--type', 'mass/g', '-n']
    const { code, err } = await importAndInterrupt(words, table)
    expect([code, err]).toEqual([130, expect.stringMatching(/Interrupted\. Checked [\d,]+ rows?; nothing was written\./) as string])
  })

  it('before the first rows of events import writes nothing', async () => {
    await writeFile(join(node.home, 'full.csv'), table)
    interruptAtOnce()
    const { code, err } = await node.run(['events', 'import', join(node.home, 'full.csv'), '--stream', 's', '--type', 'mass/g'])
    expect([code, err]).toEqual([130, expect.stringContaining('Interrupted before the first rows were imported.\n  → To continue, run the same command again: rows') as string])
  })

  it.each([
    [100_000, false, 'Interrupted. Imported 12,000 of about 100,000 rows: 11,989 created, 10 unchanged, 1 refused.'],
    [12_000, false, 'Interrupted. Imported 12,000 rows: 11,989 created, 10 unchanged, 1 refused.'],
    [undefined, false, 'Interrupted. Imported 12,000 rows: 11,989 created, 10 unchanged, 1 refused.'],
    [100_000, true, 'Interrupted. Checked 12,000 of about 100,000 rows; nothing was written.'],
  ])('during events import of %s rows, dry run: %s', (total, dryRun, message) => {
    const counts = { created: 11_989, unchanged: 10, updated: 0, refused: 1, skipped: 0 }
    expect(interruptedImport(counts, total, { dryRun, file: 'x.csv' }).message).toBe(message)
  })

  it('estimates the rows of a file from the bytes that were read', () => {
    const counter = createRowCounter(1_000_000)
    expect(counter.estimate()).toBeUndefined()
    counter.bytes(100_000)
    counter.rows(1234)
    expect(counter.estimate()).toBe(12_000)
    counter.bytes(900_000)
    counter.rows(11_000)
    expect(counter.estimate()).toBe(12_234)
    expect(createRowCounter(undefined).estimate()).toBeUndefined()
  })

  it('during series import reports the imported points, and a second import completes them', async () => {
    const { event } = await node.json('events create --stream s --type series:mass/kg --time 0')
    const { id } = event as { id: string }
    const { code, err } = await importAndInterrupt(['series', 'import', id, '-'], `${pointTable}1800000000,${'1'.repeat(100_000)}`)
    expect([code, err]).toEqual([130, expect.stringMatching(/Interrupted\. Imported [\d,]+ points\.\n {2}→ To continue, run the same command again with the same input: no point is imported twice\./) as string])
    expect(await node.json(['series', 'import', id, '-'], { stdin: pointTable })).toEqual({ points })
    expect((await node.run(['series', 'export', id])).out.trimEnd().split('\n')).toHaveLength(points + 1)
  })

  it.each([[[]], [['--csv']]])('during events export leaves no file: %j', async (more) => {
    const path = join(node.home, 'out.ndjson')
    interruptAtOnce()
    const { code, err } = await node.run(['events', 'export', '--stream', 'full', '--output', path, ...more])
    expect([code, err]).toEqual([130, expect.stringContaining(`Interrupted after 0 events; ${path} was not written.`) as string])
    expect(readdirSync(node.home).filter((name) => name.startsWith('out.'))).toEqual([])
  })

  it('during an export to stdout reports that the output is incomplete', async () => {
    interruptAtOnce()
    const { code, err } = await node.run('events export --stream full')
    expect([code, err]).toEqual([130, expect.stringMatching(/Interrupted after [\d,]+ events; the output is incomplete\.\n {2}→ To export everything, run the same command again/) as string])
  })

  it('during series export leaves no file', async () => {
    const { event } = await node.json('events create --stream s --type series:mass/kg --time 0')
    const path = join(node.home, 'out.csv')
    interruptAtOnce()
    const { code, err } = await node.run(['series', 'export', (event as { id: string }).id, '--output', path])
    expect([code, err]).toEqual([130, expect.stringContaining(`Interrupted after 0 points; ${path} was not written.`) as string])
    expect(readdirSync(node.home).filter((name) => name.startsWith('out.'))).toEqual([])
  })

  it('during users export leaves no folder', async () => {
    const folder = join(node.home, 'exported')
    interruptAtOnce()
    const { code, err } = await node.run(['users', 'export', 'ana-lovelace', '--to', folder])
    expect([code, err]).toEqual([130, expect.stringContaining(`Nothing was written to ${folder}.\n  → To export the account, run the same command again`) as string])
    expect(existsSync(folder)).toBe(false)
    expect(readdirSync(node.home).filter((name) => name.includes('unfinished'))).toEqual([])
  })

  it.each([[[]], [['--user', 'ana-lovelace']]])('during backup create leaves no backup: %j', async (more) => {
    const folder = join(node.home, 'backups')
    interruptAtOnce()
    const { code, err } = await node.run(['backup', 'create', '--to', folder, '--unsealed', ...more])
    expect([code, err]).toEqual([130, expect.stringContaining(`No backup was written; earlier ones in ${folder} are unchanged.\n  → To make the backup, run the same command again`) as string])
    expect(readdirSync(folder)).toEqual([])
  })

  it('during events create with a file of a local node tells to look before a second try', async () => {
    const path = join(node.home, 'picture.png')
    await writeFile(path, 'x')
    interruptAtOnce()
    const { code, err } = await node.run(['events', 'create', '--stream', 's', '--type', 'picture/attached', '--attach', path])
    expect([code, err]).toEqual([130, expect.stringMatching(/Interrupted\. The node may still finish.*\n.*coffer events list --limit 3/) as string])
  })

  it('during sync now reports that the node continues', async () => {
    const running = await startTestNode({}, { home: node.home })
    try {
      interruptAtOnce(1)
      const { code, err } = await node.run('sync now')
      expect([code, err]).toEqual([130, expect.stringMatching(/Interrupted\. The nodes continue to sync in the background.*\n.*coffer sync status/) as string])
    } finally {
      await running.stop()
    }
  })

  it.each(['users list', 'events list', 'store check', 'store stats', 'streams tree --json'])('while the store is opened says that nothing changed: coffer %s', async (line) => {
    interruptAtOnce(1)
    const { code, out, err } = await node.run(line)
    expect([code, out]).toEqual([130, ''])
    expect(err).toContain('Interrupted while the store was being opened; nothing was changed.')
    // The store is closed again once it is open.
    await vi.waitFor(async () => expect((await node.run('users list')).code).toBe(0), { timeout: 20_000 })
  })

  it.each([
    ['store check', 'Interrupted; nothing was changed.'],
    ['store stats', 'Interrupted; nothing was changed.'],
    ['store compact', 'Interrupted; the data is unchanged, and only partly compacted.'],
  ])('during work on the store says what is the case: coffer %s', async (line, message) => {
    interruptAtOnce()
    const { code, out, err } = await node.run(line)
    expect([code, out]).toEqual([130, ''])
    expect(err).toContain(message)
    await vi.waitFor(async () => expect((await node.run('users list')).code).toBe(0), { timeout: 20_000 })
  })
})
