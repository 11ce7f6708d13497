import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plotLines } from '../../../../src/cli/commands/series/shared/plot.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

let node: TestHome

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  await node.json('streams create s --id s')
})
afterAll(() => node.remove())

async function createSeries(type = 'mass/kg', time = '1000'): Promise<string> {
  const { event } = await node.json(['events', 'create', '--stream', 's', '--type', `series:${type}`, '--time', time])
  return (event as { id: string }).id
}

interface Part {
  fields: string[]
  points: unknown[][]
}

/** Returns the points of a series by `series export --json`. */
async function pointsOf(id: string): Promise<Part> {
  const { code, out } = await node.run(['series', 'export', id, '--json'])
  expect(code).toBe(0)
  const parts = out.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Part)
  return { fields: parts[0]?.fields ?? [], points: parts.flatMap(({ points }) => points) }
}

const file = async (name: string, text: string): Promise<string> => {
  const path = join(node.home, name)
  await writeFile(path, text)
  return path
}

describe('series add', () => {
  it('adds points with times relative to the event, and with absolute times', async () => {
    const id = await createSeries()
    expect(await node.json(['series', 'add', id, '0=36.6', '12.5=-3e2', '1970-01-01T00:20:00Z=37'])).toEqual({ points: 3 })
    expect(await pointsOf(id)).toEqual({ fields: ['deltaTime', 'value'], points: [[0, 36.6], [12.5, -300], [200, 37]] })
  })

  it('adds a value with the current time', async () => {
    const id = await createSeries('mass/kg', 'now')
    const { code, err } = await node.run(['series', 'add', id, '36.6'])
    expect(code).toBe(0)
    expect(err).toContain('✔ 1 point added\n')
    const [[time, value] = []] = (await pointsOf(id)).points
    expect(value).toBe(36.6)
    expect(time).toBeLessThan(60)
  })

  it('adds several values, of the fields of --field', async () => {
    const id = await createSeries('position/wgs84')
    await node.json(['series', 'add', id, '0=46.5,6.6', '1=-46.6,6.7'])
    const fields = ['--field', 'latitude', '--field', 'longitude', '--field', 'speed']
    await node.json(['series', 'add', id, ...fields, '2=1,2,3'])
    const { fields: found, points } = await pointsOf(id)
    expect(found).toEqual(['deltaTime', 'latitude', 'longitude', 'speed'])
    expect(points).toEqual([[0, 46.5, 6.6, null], [1, -46.6, 6.7, null], [2, 1, 2, 3]])
  })

  it('adds texts unchanged, and booleans', async () => {
    const [notes, flags] = [await createSeries('note/txt'), await createSeries('boolean/bool')]
    await node.json(['series', 'add', notes, '0=a, b=c', '1='])
    await node.json(['series', 'add', flags, '0=true', '1=false'])
    expect((await pointsOf(notes)).points).toEqual([[0, 'a, b=c'], [1, '']])
    expect((await pointsOf(flags)).points).toEqual([[0, true], [1, false]])
  })

  it('reads flatJSON from stdin, as one object or one per line', async () => {
    const [id, copy] = [await createSeries(), await createSeries()]
    const stdin = '{"format":"flatJSON",\n"fields":["deltaTime","value"],"points":[[0,1],[1,2]]}'
    expect(await node.json(['series', 'add', id, '-'], { stdin })).toEqual({ points: 2 })
    const { out } = await node.run(['series', 'export', id, '--json'])
    await node.json(['series', 'add', copy, '-'], { stdin: out + out })
    expect((await pointsOf(copy)).points).toEqual([[0, 1], [1, 2]])
  })

  it('adds all points or none', async () => {
    const id = await createSeries()
    const { code, err } = await node.run(['series', 'add', id, '0=1', '1970-01-01T00:00:00Z=2'])
    expect(code).toBe(1)
    expect(err).toContain('timestamp')
    expect((await pointsOf(id)).points).toEqual([])
  })

  it.each([
    [['0=x'], 'is not a number'],
    [['x=1'], 'must start with a time'],
    [['0=1', '--field', 'depth'], 'has no field'],
    [[], 'No points given'],
    [['-'], 'not JSON'],
  ])('refuses %j', async (words, says) => {
    const { code, err } = await node.run(['series', 'add', await createSeries(), ...words], { stdin: '{' })
    expect(code).toBe(2)
    expect(err).toContain(says)
  })

  it('exits 1 for an event without a series, and 5 for an unknown event', async () => {
    const { event } = await node.json('events create --stream s --type mass/kg --content 1')
    expect(await node.run(['series', 'add', (event as { id: string }).id, '0=1'])).toMatchObject({ code: 1 })
    expect(await node.run(['series', 'add', 'nothing', '0=1'])).toMatchObject({ code: 5 })
  })
})

describe('series import', () => {
  it('reads the output of series export, idempotently', async () => {
    const [id, copy] = [await createSeries('position/wgs84'), await createSeries('position/wgs84')]
    await node.json(['series', 'add', id, '0=46.5,6.6', '1.5=46.6,-6.7'])
    const path = join(node.home, 'out.csv')
    expect((await node.run(['series', 'export', id, '--output', path])).err).toContain('✔ 2 points exported')
    expect(await readFile(path, 'utf8')).toBe('deltaTime,latitude,longitude\n0,46.5,6.6\n1.5,46.6,-6.7\n')
    for (let i = 0; i < 2; i++) expect(await node.json(['series', 'import', copy, path])).toEqual({ points: 2 })
    expect(await pointsOf(copy)).toEqual(await pointsOf(id))
  })

  it('reads absolute times and renamed columns, and ignores unknown columns', async () => {
    const id = await createSeries()
    const path = await file('other.csv', 't;bpm;who\n1000500;60;a\n1001000;61.5;b\n')
    const words = ['--time-column', 't', '--time-unit', 'ms', '--column', 'value=bpm', '--delimiter', ';']
    const { code, err } = await node.run(['series', 'import', id, path, ...words])
    expect(code).toBe(0)
    expect(err).toContain('! Ignoring columns that match no field: who\n✔ 2 points imported\n')
    expect((await pointsOf(id)).points).toEqual([[0.5, 60], [1, 61.5]])
  })

  it('uses the only other column as the value', async () => {
    const id = await createSeries()
    await node.json(['series', 'import', id, '-'], { stdin: 'deltaTime,weight\n1,2\n' })
    await node.json(['series', 'import', id, '-'], { stdin: 'timestamp,kg\n1970-01-01T00:16:50Z,3\n' })
    expect((await pointsOf(id)).points).toEqual([[1, 2], [10, 3]])
  })

  it('skips rows without a value with --skip-empty', async () => {
    const id = await createSeries()
    const stdin = 'deltaTime,value\n1,2\n2,\n,3\n3,4\n'
    expect(await node.json(['series', 'import', id, '-', '--skip-empty'], { stdin })).toEqual({ points: 2 })
    expect((await pointsOf(id)).points).toEqual([[1, 2], [3, 4]])
  })

  it.each([
    ['deltaTime,value\n1,2\n2,x\n', 'Line 3: value: "x" is not a number'],
    ['deltaTime,value\n1,2\nx,1\n', 'Line 3: "x" is not a time'],
    ['deltaTime,value\n1,2\n\n-1,1\n', 'Line 4: The node refused the point (deltaTime)'],
    ['deltaTime,value\n1,2,3\n', 'Line 2: The line has 3 cells'],
    ['timestamp,value\n999,1\n', 'Line 2: The node refused the point (timestamp)'],
  ])('stops at an invalid line, also with --dry-run: %j', async (stdin, says) => {
    for (const options of [[], ['--dry-run']]) {
      const id = await createSeries()
      const { code, err } = await node.run(['series', 'import', id, '-', ...options], { stdin })
      expect(code).toBe(1)
      expect(err).toContain(says)
    }
  })

  it('reports its progress when it stops, and completes when run again', async () => {
    const id = await createSeries()
    const rows = Array.from({ length: 10_500 }, (_, i) => `${i},${i % 7}\n`).join('')
    const stopped = await node.run(['series', 'import', id, '-'], { stdin: `deltaTime,value\n${rows}x,1\n` })
    expect(stopped.code).toBe(1)
    expect(stopped.err).toContain('! 10,000 points imported so far.')
    expect(await node.json(['series', 'import', id, '-'], { stdin: `deltaTime,value\n${rows}` })).toEqual({ points: 10_500 })
    expect((await pointsOf(id)).points).toHaveLength(10_500)
  })

  it('writes nothing with --dry-run', async () => {
    const id = await createSeries()
    const stdin = 'deltaTime,value\n1,2\n'
    expect(await node.json(['series', 'import', id, '-', '--dry-run'], { stdin })).toEqual({ points: 1, dryRun: true })
    expect((await pointsOf(id)).points).toEqual([])
  })

  it.each([
    ['a,b\n1,2\n', '--time-column <column> is missing'],
    ['deltaTime,a,b\n1,2,3\n', '--column value=<column> is missing'],
    ['', 'The file is empty'],
  ])('refuses the header of %j', async (stdin, says) => {
    const { code, err } = await node.run(['series', 'import', await createSeries(), '-'], { stdin })
    expect(code).toBe(2)
    expect(err).toContain(says)
  })
})

describe('series export', () => {
  it('selects a time window, and prints the fields of a series without points', async () => {
    const id = await createSeries()
    expect((await node.run(['series', 'export', id])).out).toBe('deltaTime,value\n')
    await node.json(['series', 'add', id, '0=1', '5=2', '10=3', '9e9=4'])
    expect((await node.run(['series', 'export', id, '--from', '5'])).out).toBe('deltaTime,value\n5,2\n10,3\n9000000000,4\n')
    expect((await node.run(['series', 'export', id, '--to', '5'])).out).toBe('deltaTime,value\n0,1\n')
  })

  it('refuses an access that may not read', async () => {
    const id = await createSeries()
    await node.json('accesses create --name writer --type app --permission s:create-only')
    expect((await node.run(['series', 'add', id, '0=1', '--access', 'writer'])).code).toBe(0)
    expect((await node.run(['series', 'export', id, '--access', 'writer'])).code).toBe(4)
    expect((await node.run(['series', 'show', id, '--access', 'writer'])).code).toBe(4)
  })
})

describe('series show', () => {
  it('prints a summary and points into a pipe', async () => {
    const id = await createSeries()
    await node.json(['series', 'add', id, '0=1', '5=2', '10=6'])
    const { out } = await node.run(['series', 'show', id, '--limit', '2'])
    expect(out.split('\n')).toEqual([
      id,
      '  Type      series:mass/kg',
      expect.stringMatching(/^ {2}Time {6}19/),
      '  Fields    deltaTime, value',
      '  Points    3',
      '  Span      0 to 10 s (10 s)',
      '  Range     value 1 to 6, mean 3',
      '',
      '5\t2',
      '10\t6',
      '',
    ])
  })

  it('draws a plot on a terminal', async () => {
    const id = await createSeries()
    const points = Array.from({ length: 200 }, (_, i) => `${i}=${i % 20}`)
    await node.json(['series', 'add', id, ...points])
    const { out } = await node.run(['series', 'show', id], { tty: true })
    expect(out).toContain('█')
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('returns statistics of a time window and a field as JSON', async () => {
    const id = await createSeries('position/wgs84')
    await node.json(['series', 'add', id, '0=1,10', '5=2,20', '10=3,60'])
    const about = await node.json(['series', 'show', id, '--from', '5', '--field', 'longitude', '--limit', '1'])
    expect(about).toMatchObject({
      fields: ['latitude', 'longitude'],
      count: 2,
      first: 5,
      final: 10,
      last: 10,
      sum: { count: 2, mean: 40, least: 20, most: 60 },
      points: [[10, 3, 60]],
    })
    expect((await node.run(['series', 'show', id, '--field', 'x'])).code).toBe(1)
  })

  it('accepts a series without points', async () => {
    const { out } = await node.run(['series', 'show', await createSeries('note/txt')])
    expect(out).toContain('  Points    0\n')
  })
})

describe('a plot', () => {
  it('fills columns from below, by eighths', () => {
    expect(plotLines([0, 1, 2, undefined, 15], 2)).toEqual(['    █', '▁▂▃ █'])
    expect(plotLines([5, 5], 1)).toEqual(['▄▄'])
  })
})
