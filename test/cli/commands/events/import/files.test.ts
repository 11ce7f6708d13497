/** Imports of files as spreadsheet programs and devices write them, into a closed store. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHome } from '../../../support/closedHome.js'
import type { TestHome } from '../../../support/closedHome.js'

let node: TestHome
beforeAll(async () => {
  node = await testHome('ana-lovelace')
})
afterAll(() => node.remove())

let streams = 0
/** Creates a stream and returns the words that import into it. */
async function target(): Promise<{ stream: string; into: string[] }> {
  const stream = `s${++streams}`
  await node.json(['streams', 'create', stream, '--id', stream])
  return { stream, into: ['--stream', stream, '--type', 'mass/kg'] }
}

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(node.home, name)
  await writeFile(path, content)
  return path
}

/** Returns the time and content of the events of a stream, in order. */
async function eventsOf(stream: string): Promise<Array<[string, unknown]>> {
  const { events } = await node.json(['events', 'list', '--stream', stream, '--from', '0', '--ascending'])
  return (events as Array<{ time: number; content: unknown }>).map(({ time, content }) => [new Date(time * 1000).toISOString(), content])
}

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `${new Date(1.7e12 + n * 60_000).toISOString()};${n},5\n`).join('')

describe('events import', () => {
  it('reads what Excel writes in German without options about the format', async () => {
    const { stream, into } = await target()
    const text = 'Datum;Gewicht (kg);Gefühl\r\n24.12.2025 07:30;72,5;müde\r\n03.07.2025 19:05;1.072;"gut; ""sehr"""\r\n05.07.2025 07:00;71;\r\n'
    const path = await file('gewicht.csv', Buffer.from(text, 'latin1'))
    const { code, err } = await node.run(['events', 'import', path, ...into, '--timezone', 'Europe/Zurich'])
    expect(err).toContain(`Reading ${path}: semicolon, decimal comma, Windows-1252, dates dd.MM.yyyy HH:mm (Europe/Zurich)\n`)
    expect(err).toContain('Time from "Datum", value from "Gewicht (kg)"')
    // A full stop and three digits may mean thousands or a fraction.
    expect(err).toContain('Line 3: "1.072" in column Gewicht (kg) is not a number.')
    expect(code).toBe(3)
    expect(await eventsOf(stream)).toEqual([['2025-07-05T05:00:00.000Z', 71], ['2025-12-24T06:30:00.000Z', 72.5]])
  })

  it.each([
    ['UTF-16 with tabs, as Excel saves Unicode text', Buffer.from('\ufeffDatum\tWert\r\n24.12.2025\t72,5\r\n', 'utf16le'), '2025-12-24T00:00:00.000Z'],
    ['a line for Excel', 'sep=;\nDatum;Wert\n24.12.2025;72,5\n', '2025-12-24T00:00:00.000Z'],
    ['American dates', 'Date,Weight\n12/24/2025 7:30 PM,72.5\n', '2025-12-24T19:30:00.000Z'],
    ['British dates and CR as line ends', 'Date,Weight\r24/12/2025 19:30,72.5\r', '2025-12-24T19:30:00.000Z'],
    ['a time of day apart', 'Datum;Uhrzeit;Gewicht\n24.12.2025;19:30;72,5\n', '2025-12-24T19:30:00.000Z'],
    ['milliseconds', 'timestamp|weight\n1766604600000|72.5\n', '2025-12-24T19:30:00.000Z'],
    ['Excel numbers', 'Zeit;Gewicht\n46015,8125;72,5\n', '2025-12-24T19:30:00.000Z'],
    ['empty cells after the last column', 'Datum;Gewicht\n24.12.2025;72,5;;\n', '2025-12-24T00:00:00.000Z'],
  ])('reads %s', async (_, content, time) => {
    const { stream, into } = await target()
    const { code, err } = await node.run(['events', 'import', await file('x.csv', content), ...into, '--timezone', 'UTC'])
    expect(code, err).toBe(0)
    expect(await eventsOf(stream)).toEqual([[time, 72.5]])
  })

  it('uses the options instead of what it would detect', async () => {
    const { stream, into } = await target()
    const path = await file('x.csv', 'when;a;b\n03/04/2025;1.072;9\n')
    const options = ['--value-column', 'a', '--decimal', 'comma', '--date-format', 'MM/dd/yyyy', '--timezone', 'America/New_York', '--encoding', 'utf-8', '--delimiter', 'semicolon']
    const { code, err } = await node.run(['events', 'import', path, ...into, ...options])
    expect(code, err).toBe(0)
    expect(await eventsOf(stream)).toEqual([['2025-03-04T05:00:00.000Z', 1072]])
  })

  it.each([
    ['ambiguous dates', 'Date,Weight\n03/04/2025,72.5\n', ['ambiguous', '--date-format <format> is missing', "Day first: --date-format 'dd/MM/yyyy'", "Month first: --date-format 'MM/dd/yyyy'"]],
    ['ambiguous numbers', 'Date,Steps\n2025-12-24,"1,234"\n', ['"1,234" may be a fraction or thousands; --decimal <sign> is missing']],
    ['several columns of values', 'Date,a,b\n2025-12-24,1,2\n', ['--value-column <column>', 'is missing', 'The columns are: Date, a, b']],
    ['several columns of times', 'von;bis;kg\n24.12.2025;25.12.2025;1\n', ['--time-column <column> is missing', 'The columns are: von, bis, kg']],
    ['a workbook', 'PK\u0003\u0004[Content_Types].xml', ['is an Excel workbook (XLSX)', 'Save As']],
    ['no rows', '', ['The file is empty']],
  ])('refuses %s before anything is written, and names what to do', async (_, content, messages) => {
    const { into } = await target()
    const { code, err } = await node.run(['events', 'import', await file('x.csv', content), ...into])
    for (const message of messages) expect(err).toContain(message)
    expect(code).toBe(2)
  })

  it('asks for a column on a terminal', async () => {
    const { stream, into } = await target()
    const path = await file('x.csv', 'Date,a,b\n2025-12-24,1,2\n')
    const { code, err } = await node.run(['events', 'import', path, ...into, '--timezone', 'UTC'], { tty: true, stdin: '2\n' })
    expect(err).toContain('Which column is the value?\n  1  a\n  2  b\n')
    expect(code, err).toBe(0)
    expect(await eventsOf(stream)).toEqual([['2025-12-24T00:00:00.000Z', 2]])
  })

  describe('of many rows', () => {
    it.each([
      ['imports after a yes', 'y\n', [], 0, 400],
      ['imports nothing after a no', 'n\n', [], 130, 0],
      ['does not ask with --yes', '', ['--yes'], 0, 400],
    ])('%s', async (_, stdin, more, exit, count) => {
      const { stream, into } = await target()
      const path = await file('many.csv', `Zeit;Gewicht\n${lines(400)}`)
      const { code, err } = await node.run(['events', 'import', path, ...into, '--timezone', 'UTC', ...more], { tty: true, stdin })
      expect(code, err).toBe(exit)
      expect(await eventsOf(stream)).toHaveLength(count)
      const asks = more.length === 0
      expect(err.includes('Import 400 rows? [y/N]')).toBe(asks)
      if (!asks) return
      const shown = err.split('\n').filter((line) => line.includes('mass/kg'))
      expect(shown.map((line) => line.trim())).toEqual(
        ['22:13:20', '22:14:20', '22:15:20', '22:16:20', '22:17:20'].map((time, n) => `${n + 2}  2023-11-14 ${time} +00:00  ${n}.5    ${stream}     mass/kg`),
      )
    })

    it.each([['few rows', 300, true], ['a pipe', 400, false]])('does not ask for %s', async (_, count, tty) => {
      const { stream, into } = await target()
      const { code, err } = await node.run(['events', 'import', await file('few.csv', `Zeit;Gewicht\n${lines(count)}`), ...into], { tty })
      expect(code, err).toBe(0)
      expect(await eventsOf(stream)).toHaveLength(count)
    })
  })
})

describe('series import', () => {
  const series = async (): Promise<string> => {
    const { stream } = await target()
    const { event } = await node.json(['events', 'create', '--stream', stream, '--type', 'series:mass/kg', '--time', '2025-12-24T00:00:00Z'])
    return (event as { id: string }).id
  }
  const pointsOf = async (id: string): Promise<string> => (await node.run(['series', 'export', id])).out

  it('reads what Excel writes in German without options about the format', async () => {
    const id = await series()
    const path = await file('gewicht.csv', Buffer.from('Datum;Gewicht (kg);Gefühl\r\n24.12.2025 07:30;72,5;müde\r\n', 'latin1'))
    const { code, err } = await node.run(['series', 'import', id, path, '--timezone', 'Europe/Zurich'])
    expect(code, err).toBe(0)
    expect(err).toContain('semicolon, decimal comma, Windows-1252, dates dd.MM.yyyy HH:mm (Europe/Zurich)')
    expect(await pointsOf(id)).toBe('deltaTime,value\n23400,72.5\n')
  })

  it('reads relative times with a decimal comma', async () => {
    const id = await series()
    await node.json(['series', 'import', id, '-'], { stdin: 'deltaTime;value\n0,5;72,5\n1;73\n' })
    expect(await pointsOf(id)).toBe('deltaTime,value\n0.5,72.5\n1,73\n')
  })

  it('asks before many points on a terminal', async () => {
    const id = await series()
    const path = await file('many.csv', `deltaTime,value\n${Array.from({ length: 400 }, (_, n) => `${n},1\n`).join('')}`)
    const refused = await node.run(['series', 'import', id, path], { tty: true, stdin: 'n\n' })
    expect([refused.code, await pointsOf(id)]).toEqual([130, 'deltaTime,value\n'])
    expect(refused.err).toContain('Import 400 rows?')
    expect((await node.run(['series', 'import', id, path, '--yes'], { tty: true })).code).toBe(0)
  })

  it('names the column that is missing', async () => {
    const { code, err } = await node.run(['series', 'import', await series(), await file('x.csv', 'Date,a,b\n2025-12-24,1,2\n')])
    expect([code, err]).toEqual([2, expect.stringContaining('--column value=<column> is missing') as string])
  })
})
