/** A year of measurements goes in, out, and into another home, by the real binary alone. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coffer, folder, json, start } from './support/coffer.js'
import type { Outcome } from './support/coffer.js'

/** The long programme takes as many as a person who comes from elsewhere may bring. */
const rows = process.env['LONG'] === '1' ? 100_000 : 20_000
const minutes = 60_000

const place = folder(afterAll)
const table = join(place, 'measurements.csv')
const exportFile = join(place, 'one.ndjson')
const [one, two] = [join(place, 'one'), join(place, 'two')]

/** Runs a command that is to succeed. */
async function done(home: string, words: readonly string[], stdin = ''): Promise<Outcome> {
  const ran = await coffer([...words, '--home', home], { stdin })
  if (ran.code !== 0) throw new Error(`coffer ${words.join(' ')} exits ${ran.code}: ${ran.err}`)
  return ran
}

async function makeHome(home: string): Promise<void> {
  await done(home, ['init', '--no-input', '--json'])
  const words = ['users', 'create', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin', '--json']
  await done(home, words, 'correct horse\n')
}

/** Numbers from 0 to 1, the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The measurements of a person, out of order here and there, with equal rows and some lines that are no measurements. */
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
    // Devices send twice what they are not sure of.
    if (n % 5_000 === 4_999) {
      lines.push(line)
      at += line.split('\n').length
      time -= 3_600
    }
  }
  return { csv: `\ufeff${lines.join('\r\n')}\r\n`, bad }
}

type Line = Record<string, unknown>

/** Long imports say each second how far they are. */
const isNoProgress = (line: Line): boolean => line['event'] !== 'progress'

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

const tracking = ['created', 'createdBy', 'modified', 'modifiedBy', 'integrity']
const said = (event: Line): string =>
  JSON.stringify(Object.fromEntries(Object.entries(event).filter(([field]) => !tracking.includes(field))))

const fromCsv = [
  ['--time-column', 'time', '--value-column', 'value'],
  ['--stream-column', 'sensor', '--type-column', 'type'],
].flat()

describe(`${rows} measurements`, () => {
  const { csv, bad } = measurements(20261121)
  // One of the broken lines is empty, which is no line.
  const good = rows + rows / 5_000 - bad.length - 1
  let exported: string

  beforeAll(async () => {
    await writeFile(table, csv)
    await makeHome(one)
    await makeHome(two)
  }, minutes)

  it('go into a closed store, but for the lines that are none', async () => {
    const words = ['events', 'import', table, ...fromCsv, '--create-streams', '--json', '--home', one]
    const { code, out } = await coffer(words)
    const lines = linesOf(out).filter(isNoProgress)
    expect(lines.at(-1)).toEqual({ event: 'done', created: good, unchanged: 0, refused: bad.length })
    expect(lines.slice(0, -1).map((line) => [line['event'], line['line']])).toEqual(bad.map((line) => ['refused', line]))
    expect(code).toBe(3)
  }, 2 * minutes)

  it('are listed', async () => {
    const ids = await done(one, ['events', 'list', '-q', '--from', '1'])
    const own = ids.out.split('\n').filter((id) => id !== '' && !id.startsWith(':'))
    expect([own.length, new Set(own).size]).toEqual([good, good])
    const streams = await done(one, ['streams', 'tree', '-q'])
    const roots = streams.out.split('\n').filter((id) => id !== '' && !id.startsWith(':'))
    expect(roots).toEqual(['diary', 'heart-rate', 'temperature', 'weight'])
    const notes = json(await done(one, ['events', 'list', '--stream', 'diary', '--limit', '1', '--json']))
    expect(notes).toMatchObject({ events: [{ type: 'note/txt', content: expect.stringMatching(/\nthen é😀$/) as string }] })
  }, minutes)

  it('come out in the order of time, alike by a node and without', async () => {
    await done(one, ['events', 'export', '--output', exportFile])
    exported = await readFile(exportFile, 'utf8')
    const times = linesOf(exported).map((event) => Number(event['time']))
    expect(times.length).toBe(good)
    expect(times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0))).toBe(true)
    const node = await start(one)
    expect((await done(one, ['events', 'export'])).out === exported).toBe(true)
    expect((await node.stop()).err).not.toContain('Warning')
  }, minutes)

  it('are not made again by importing again through a node', async () => {
    const node = await start(one)
    const { out } = await coffer(['events', 'import', table, ...fromCsv, '--json', '--home', one])
    expect(linesOf(out).at(-1)).toEqual({ event: 'done', created: 0, unchanged: good, refused: bad.length })
    await node.stop()
  }, 2 * minutes)

  it('go into another home through its node, and are the same there', async () => {
    const node = await start(two)
    const words = ['events', 'import', exportFile, '--create-streams', '--json']
    expect(linesOf((await done(two, words)).out).filter(isNoProgress)).toEqual([{ event: 'done', created: good, unchanged: 0, refused: 0 }])
    await node.stop()
    const there = linesOf((await done(two, ['events', 'export'])).out)
    const expected = linesOf(exported)
    expect(there.length).toBe(expected.length)
    const different = there.filter((event, index) => said(event) !== said(expected[index] ?? {}))
    expect(different).toEqual([])
  }, 2 * minutes)

  it('are not made again by importing again without a node', async () => {
    const words = ['events', 'import', exportFile, '--json']
    expect(linesOf((await done(two, words)).out).filter(isNoProgress)).toEqual([{ event: 'done', created: 0, unchanged: good, refused: 0 }])
  }, 2 * minutes)
})
