/** Shared options and output of commands that plot. */
import type { Context } from '../../command.js'
import { whole } from '../../framework/option.js'
import type { ChartLine, Frame } from './chart.js'
import { chartLines } from './chart.js'
import { isPlain } from './plain.js'

const WIDEST = 120
const HEIGHT = 12

export const sizeOptions = {
  width: whole('Width in characters; default: that of the terminal', { from: 30, to: 500 }),
  height: whole('Height of the plot in lines; default: 12', { from: 3, to: 100 }),
}

/** Returns the frame of a chart on this terminal. */
export function frameOf(context: Context, { width, height }: { width: number | undefined; height: number | undefined }, from: number, to: number): Frame {
  const across = width ?? Math.max(30, Math.min(context.terminal.width, WIDEST))
  return { width: across, height: height ?? HEIGHT, plain: isPlain(context), from, to }
}

/** Draws a chart on the terminal, each line in its own colour. */
export async function writeChart({ terminal }: Context, title: string, lines: readonly ChartLine[], frame: Frame, label: (time: number) => string): Promise<void> {
  const { cyan, yellow, magenta, green, blue, red } = terminal.paintOut
  const colours = [cyan, yellow, magenta, green, blue, red]
  const paint = (line: number, text: string): string => (colours[line % colours.length] ?? cyan)(text)
  for (const line of chartLines(title, lines, frame, label, paint)) await terminal.write(`${line}\n`)
}

/** Converts a line of a chart for `--json`. */
export function lineDocument({ name, bins }: ChartLine): object {
  const columns = bins.columns
    .filter((bin) => bin !== undefined)
    .map(({ least: min, most: max, first, last }) => ({ from: first.time, to: last.time, first: first.value, last: last.value, least: min, most: max }))
  return { name, count: bins.count, columns }
}
