/** Tests of import and export of a year of measurements between homes with the real binary. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coffer, folder, json, start } from './support/coffer.js'
import type { Outcome } from './support/coffer.js'

/** Number of measurements; the long run imports as many as a migrating user may have. */
const rows = process.env['LONG'] === '1' ? 100_000 : 10_000
const minutes = 60_000

const place = folder(afterAll)
const table = join(place, 'measurements.csv')
const exportFile = join(place, 'one.ndjson')
const [one, two] = [join(place, 'one'), join(place, 'two')]

/** Runs a command; throws when it fails. */
async function run(home: string, words: readonly string[], stdin = ''): Promise<Outcome> {
  const outcome = await coffer([...words, '--home', home], { stdin })
  if (outcome.code !== 0) throw new Error(`coffer ${words.join(' ')} exits ${outcome.code}: ${outcome.err}`)
  return outcome
}

async function createHome(home: string): Promise<void> {
  await run(home, ['init', '--no-input', '--json'])
  const words = ['users', 'create', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin', '--json']
  await run(home, words, 'correct horse\n')
}

/** Returns a pseudorandom generator of numbers from 0 to 1, by a seed. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Creates measurements as CSV, partly out of order, with equal rows and some malformed lines. */
function measurements(seed: number): { csv: string; bad: number[] } {
  const random = numbersFrom(seed)
  const sensors = [
    { stream: 'heart-rate', type: 'frequency/bpm', share: 0.8, value: () => String(50 + Math.floor(random() * 110)) },
    { stream: 'temperature', type: 'temperature/c', share: 0.95, value: () => (36 + random() * 2).toFixed(1) },
    { stream: 'weight', type: 'mass/kg', share: 0.99, value: () => (62 + random() * 4).toFixed(2) },
    { stream: 'diary', type: 'note/txt', share: 1, value: () => `"Slept ${random() < 0.5 ? '""well""' : 'badly, again'}\nthen é😀"` },
  ]
  const broken = [
    '',
    'yesterday?,heart-rate,frequency/bpm,60',
    '1700000000,weight,mass/kg,heavy',
    '1700000000,weight,mass/kg',
    '1700000000,weight,mass/kg,"6"2',
  ]
  const apart = rows / broken.length
  const between = Math.floor((apart * 2) / 3)
  const lines = ['time,sensor,type,value']
  const bad: number[] = []
  let at = 1
  let time = 1_690_000_000
  for (let n = 0; n < rows; n++) {
    const share = random()
    const sensor = sensors.find((each) => share < each.share) ?? sensors[0]
    const wrong = n % apart === between ? broken[(n - between) / apart] : undefined
    time += Math.floor(random() * 600)
    const moment = random() < 0.5 ? String(time + Math.floor(random() * 1000) / 1000) : new Date(time * 1000).toISOString()
    const line = wrong ?? `${moment},${sensor?.stream ?? ''},${sensor?.type ?? ''},${sensor?.value() ?? ''}`
    at += 1
    if (wrong !== undefined && wrong !== '') bad.push(at)
    lines.push(line)
    at += line.split('\n').length - 1
    // Devices send unacknowledged measurements twice.
    if (n % 5_000 === 4_999) {
      lines.push(line)
      at += line.split('\n').length
      time -= 3_600
    }
  }
  return { csv: `\ufeff${lines.join('\r\n')}\r\n`, bad }
}

type Line = Record<string, unknown>

/** Omits the progress lines of long imports. */
const isNoProgress = (line: Line): boolean => line['event'] !== 'progress'

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

const tracking = ['created', 'createdBy', 'modified', 'modifiedBy', 'integrity']
const untracked = (event: Line): string =>
  JSON.stringify(Object.fromEntries(Object.entries(event).filter(([field]) => !tracking.includes(field))))

const fromCsv = [
  ['--time-column', 'time', '--value-column', 'value'],
  ['--stream-column', 'sensor', '--type-column', 'type'],
].flat()

describe(`${rows} measurements`, () => {
  const { csv, bad } = measurements(20261121)
  // One of the malformed lines is empty and is skipped.
  const good = rows + rows / 5_000 - bad.length - 1
  let exported: string

  beforeAll(async () => {
    await writeFile(table, csv)
    await createHome(one)
    await createHome(two)
  }, minutes)

  it('are imported into a closed store, except malformed lines', async () => {
    const words = ['events', 'import', table, ...fromCsv, '--create-streams', '--json', '--home', one]
    const { code, out } = await coffer(words)
    const lines = linesOf(out).filter(isNoProgress)
    expect(lines.at(-1)).toEqual({ event: 'done', created: good, unchanged: 0, refused: bad.length })
    expect(lines.slice(0, -1).map((line) => [line['event'], line['line']])).toEqual(bad.map((line) => ['refused', line]))
    expect(code).toBe(3)
  }, 2 * minutes)

  it('are listed', async () => {
    const ids = await run(one, ['events', 'list', '-q', '--from', '1'])
    const own = ids.out.split('\n').filter((id) => id !== '' && !id.startsWith(':'))
    expect([own.length, new Set(own).size]).toEqual([good, good])
    const streams = await run(one, ['streams', 'tree', '-q'])
    const roots = streams.out.split('\n').filter((id) => id !== '' && !id.startsWith(':'))
    expect(roots).toEqual(['diary', 'heart-rate', 'temperature', 'weight'])
    const notes = json(await run(one, ['events', 'list', '--stream', 'diary', '--limit', '1', '--json']))
    expect(notes).toMatchObject({ events: [{ type: 'note/txt', content: expect.stringMatching(/\nthen é😀$/) as string }] })
  }, minutes)

  it('are exported ordered by time, equally with and without a running node', async () => {
    await run(one, ['events', 'export', '--output', exportFile])
    exported = await readFile(exportFile, 'utf8')
    const times = linesOf(exported).map((event) => Number(event['time']))
    expect(times.length).toBe(good)
    expect(times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0))).toBe(true)
    const node = await start(one)
    expect((await run(one, ['events', 'export'])).out === exported).toBe(true)
    expect((await node.stop()).err).not.toContain('Warning')
  }, minutes)

  it('are not duplicated by a second import with a running node', async () => {
    const node = await start(one)
    const { out } = await coffer(['events', 'import', table, ...fromCsv, '--json', '--home', one])
    expect(linesOf(out).at(-1)).toEqual({ event: 'done', created: 0, unchanged: good, refused: bad.length })
    await node.stop()
  }, 2 * minutes)

  it('are imported into another home with a running node, and are equal there', async () => {
    const node = await start(two)
    const words = ['events', 'import', exportFile, '--create-streams', '--json']
    expect(linesOf((await run(two, words)).out).filter(isNoProgress)).toEqual([{ event: 'done', created: good, unchanged: 0, refused: 0 }])
    await node.stop()
    const imported = linesOf((await run(two, ['events', 'export'])).out)
    const expected = linesOf(exported)
    expect(imported.length).toBe(expected.length)
    const different = imported.filter((event, index) => untracked(event) !== untracked(expected[index] ?? {}))
    expect(different).toEqual([])
  }, 2 * minutes)

  it('are not duplicated by a second import without a running node', async () => {
    const words = ['events', 'import', exportFile, '--json']
    expect(linesOf((await run(two, words)).out).filter(isNoProgress)).toEqual([{ event: 'done', created: 0, unchanged: good, refused: 0 }])
  }, 2 * minutes)
})
