/** Tests of `coffer events plot` and `coffer series plot`: on a terminal, into a pipe and as JSON. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isoTime } from '../../../../src/cli/terminal/output/timestamps.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

let node: TestHome
let series: string

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  const stream = (id: string): object => ({ method: 'streams.create', params: { id, name: id } })
  const event = (id: string, time: number, content: unknown, type = 'mass/kg'): object => ({
    method: 'events.create',
    params: { streamId: id, type, content, time },
  })
  const pressure = { systolic: 120, diastolic: 80 }
  const calls = [
    stream('left'), stream('right'),
    ...[1, 2, 3, 4].map((n) => event('left', 1000 * n, n)),
    event('right', 2000, 9), event('right', 2500, 8),
    event('left', 1, pressure, 'blood-pressure/mmhg-bpm'),
  ]
  await node.json(['api', 'callBatch', JSON.stringify(calls)])
  const created = await node.json('events create --stream left --type series:mass/kg --time 5000')
  series = (created['event'] as { id: string }).id
  const points = [[0, 1], [60, 5], [120, 3]]
  await node.json(['api', 'series.add', JSON.stringify({ id: series, data: { format: 'flatJSON', fields: ['deltaTime', 'value'], points } })])
})
afterAll(() => node.remove())

describe('events plot', () => {
  it('draws streams with a legend, a unit and times', async () => {
    const { code, out, err } = await node.run('events plot --type mass/kg --stream left --stream right --width 50 --height 5', { tty: true })
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines.slice(0, 3)).toEqual(['mass/kg', '* left   + right', `         9 +${' '.repeat(12)}++++`])
    expect(lines).toHaveLength(10)
    expect(err).toContain('6 events')
  })

  it('prints times, streams and numbers into a pipe', async () => {
    expect((await node.run('events plot --type mass/kg --stream right --stream left --from 2000 --to 3000')).out).toBe(
      `${isoTime(2000)}\tright\t9\n${isoTime(2500)}\tright\t8\n${isoTime(2000)}\tleft\t2\n${isoTime(3000)}\tleft\t3\n`,
    )
  })

  it('prints columns with --json', async () => {
    expect(await node.json('events plot --type mass/kg --stream left --width 40')).toMatchObject({
      type: 'mass/kg',
      from: 1000,
      to: 4000,
      lines: [{ name: 'left', count: 4, columns: [{ from: 1000, to: 1000, first: 1, last: 1, least: 1, most: 1 }, {}, {}, {}] }],
    })
  })

  it('plots a field of the content, and counts events without a number', async () => {
    const type = 'blood-pressure/mmhg-bpm'
    expect((await node.run(`events plot --type ${type} --field diastolic`)).out).toBe(`${isoTime(1)}\t\t80\n`)
    const without = await node.run(`events plot --type ${type}`)
    expect(without.out).toBe('')
    expect(without.err).toContain('1 event without a number; use --field to select one')
  })

  it.each([
    ['a missing type', 'events plot', false, 2],
    ['a type without events, on a terminal', 'events plot --type mass/lb', true, 5],
    ['a small width', 'events plot --type mass/kg --width 5', true, 2],
    ['an unknown stream', 'events plot --type mass/kg --stream nope', true, 5],
  ])('refuses %s', async (_, line, tty, code) => {
    expect((await node.run(line, { tty })).code).toBe(code)
  })
})

describe('series plot', () => {
  it('draws the points by time since the event', async () => {
    const { code, out, err } = await node.run(`series plot ${series} --width 42 --height 3`, { tty: true })
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[0]).toMatch(/^series:mass\/kg, value, after 1970-01-01 /)
    expect(lines[1]).toMatch(/^ {9}5 \+ +\*+/)
    expect(lines[3]).toMatch(/^ {9}1 \+\*+/)
    expect(lines[5]).toBe('            0:00:00    0:01:00     0:02:00')
    expect(err).toContain('3 points')
  })

  it('prints lines into a pipe, and columns with --json', async () => {
    expect((await node.run(`series plot ${series} --from 30`)).out).toBe('60\t5\n120\t3\n')
    const { lines } = await node.json(`series plot ${series} --field value --to 100`)
    expect(lines).toMatchObject([{ name: 'value', count: 2, columns: [{ from: 0, first: 1 }, { from: 60, most: 5 }] }])
  })

  it('refuses an unknown field, and a time range without points', async () => {
    const wrong = await node.run(`series plot ${series} --field speed`)
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('Numeric fields: value')
    expect((await node.run(`series plot ${series} --from 1000`)).code).toBe(5)
  })
})
