/** Tests of charts as text, at a fixed width. */
import { describe, expect, it } from 'vitest'
import { createBins } from '../../../src/cli/terminal/plot/bins.js'
import { chartLines, columnsFor } from '../../../src/cli/terminal/plot/chart.js'
import type { Frame } from '../../../src/cli/terminal/plot/chart.js'
import { deltaLabel, numberLabel } from '../../../src/cli/terminal/plot/labels.js'

type Point = readonly [time: number, value: number]

function chart(frame: Partial<Frame>, ...lines: ReadonlyArray<readonly Point[]>): string[] {
  const complete: Frame = { width: 42, height: 5, plain: true, from: 0, to: 29, ...frame }
  const series = lines.map((points, line) => {
    const bins = createBins(complete.from, complete.to, columnsFor(complete))
    for (const point of points) bins.add(...point)
    return { name: `s${line + 1}`, bins }
  })
  return chartLines('mass/kg', series, complete, (time) => `${time} s`)
}

const ramp = (from: number, to: number): Point[] => Array.from({ length: to - from }, (_, n) => [from + n, from + n])

describe('a chart', () => {
  it('draws one line in ASCII', () => {
    expect(chart({}, ramp(0, 30))).toEqual([
      'mass/kg',
      '        29 +                          ****',
      '           |                   *******',
      '      14.5 +           ********',
      '           |    *******',
      '         0 +****',
      '           +------------------------------',
      '            0 s         14.5 s        29 s',
    ])
  })

  it('draws one line in braille', () => {
    expect(chart({ plain: false, height: 3 }, ramp(0, 30))).toEqual([
      'mass/kg',
      '        29 ┤                    ⢀⣀⣀⡠⠤⠤⠔⠒⠊⠉',
      '           │          ⣀⣀⠤⠤⠤⠒⠒⠒⠊⠉⠁',
      '         0 ┤⣀⣀⠤⠤⠒⠒⠒⠉⠉⠉',
      '           └──────────────────────────────',
      '            0 s         14.5 s        29 s',
    ])
  })

  it('draws several lines with a legend', () => {
    const flat = (value: number): Point[] => ramp(0, 30).map(([time]) => [time, value])
    expect(chart({ height: 3 }, flat(1), flat(3), flat(2))).toEqual([
      'mass/kg',
      '* s1   + s2   x s3',
      `         3 +${'+'.repeat(30)}`,
      `           |${'x'.repeat(30)}`,
      `         1 +${'*'.repeat(30)}`,
      '           +------------------------------',
      '            0 s         14.5 s        29 s',
    ])
  })

  it('keeps gaps, and joins sparse points', () => {
    const gap = [...ramp(0, 8), ...ramp(22, 30)].map(([time]): Point => [time, 1])
    expect(chart({ height: 3 }, gap)[2]).toBe(`         1 +********${' '.repeat(14)}********`)
    const sparse: Point[] = [0, 10, 19, 29].map((time) => [time, 1])
    expect(chart({ height: 3 }, sparse)[2]).toBe(`         1 +${'*'.repeat(30)}`)
  })

  it('shows all extremes of 100,000 points', () => {
    const bins = createBins(0, 99_999, 30)
    for (let n = 0; n < 100_000; n++) bins.add(n, n === 54_321 ? 1000 : n === 54_322 ? -1000 : 0)
    const drawn = chartLines('t', [{ name: '', bins }], { width: 42, height: 5, plain: true, from: 0, to: 99_999 }, String)
    expect(drawn.slice(1, 6).map((line) => line[12 + 16])).toEqual(['*', '*', '*', '*', '*'])
    expect(drawn[1]?.startsWith('      1000 +')).toBe(true)
    expect(bins.columns.filter((bin) => bin !== undefined)).toHaveLength(30)
  })

  it('draws a single point, and the largest numbers', () => {
    expect(chart({ from: 5, to: 5, height: 3 }, [[5, 7]])).toEqual([
      'mass/kg',
      '           |',
      `         7 +${' '.repeat(15)}*`,
      '           |',
      '           +------------------------------',
      '                         5 s',
    ])
    const [, top, , bottom] = chart({ height: 3 }, [[0, -Number.MAX_VALUE], [29, Number.MAX_VALUE]])
    expect(top).toMatch(/^ 1\.80e\+308 \+ +\*+$/)
    expect(bottom).toMatch(/^-1\.80e\+308 \+\*+$/)
  })

  it('is empty without points', () => expect(chart({}, [])).toEqual([]))
})

it.each([
  [72.4, '72.4'],
  [1 / 3, '0.33333'],
  [-1234567, '-1234600'],
  [1e-9, '1e-9'],
  [123456789012, '1.23e+11'],
])('numberLabel formats %d as %s', (value, label) => expect(numberLabel(value)).toBe(label))

it.each([
  [5, 1.2345, '1.234 s'],
  [60, 12.34, '12.3 s'],
  [7200, 3723, '1:02:03'],
  [7200, -61, '-0:01:01'],
])('deltaLabel in a span of %d s formats %d s as %s', (span, seconds, label) => expect(deltaLabel(span)(seconds)).toBe(label))
