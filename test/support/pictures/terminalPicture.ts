/** Draws the screen of a terminal as SVG. */
import xterm, { type IBufferCell } from '@xterm/headless'

const COLUMNS = 80
const CELL = { width: 8.4, height: 18 }
const MARGIN = 16
const BACKGROUND = '#1b1f24'
const TEXT = '#d7dde4'
const FAINT = '#8b949e'
/** Colours of the palette by number: red, green, yellow and cyan. */
const PALETTE: Readonly<Record<number, string>> = { 1: '#ff7b72', 2: '#7ee787', 3: '#f2cc60', 6: '#76e3ea' }
const FONTS = `ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace`

interface Run {
  column: number
  text: string
  colour: string
  isBold: boolean
}

/** Draws output of a terminal of 80 columns, with its escape sequences; `title` is for people who cannot see it. */
export async function terminalPicture(title: string, output: string): Promise<string> {
  const rows = await screenRows(output)
  const size = { width: MARGIN * 2 + COLUMNS * CELL.width, height: MARGIN * 2 + rows.length * CELL.height }
  const texts = rows.flatMap((runs, row) => runs.map((run) => textElement(run, row)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" font-family="${FONTS}" font-size="14" xml:space="preserve">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n')
}

/** Returns the rows of the screen, with the cells of one style joined; empty rows at the end are left out. */
async function screenRows(output: string): Promise<Run[][]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: 200, allowProposedApi: true })
  await new Promise<void>((resolve) => terminal.write(output, resolve))
  const buffer = terminal.buffer.active
  const rows = Array.from({ length: buffer.length }, (_, y) => {
    const line = buffer.getLine(y)
    return runsOf(Array.from({ length: COLUMNS }, (_, x) => line?.getCell(x)).filter((cell) => cell !== undefined))
  })
  terminal.dispose()
  return rows.slice(0, rows.findLastIndex((runs) => runs.length > 0) + 1)
}

function runsOf(cells: readonly IBufferCell[]): Run[] {
  const runs: Run[] = []
  for (const [column, cell] of cells.entries()) {
    const style = { colour: colourOf(cell), isBold: cell.isBold() !== 0 }
    const text = cell.getChars() || ' '
    const last = runs.at(-1)
    if (last?.colour === style.colour && last.isBold === style.isBold) last.text += text
    else runs.push({ column, text, ...style })
  }
  return runs.map((run) => ({ ...run, text: run.text.trimEnd() })).filter(({ text }) => text !== '')
}

function colourOf(cell: IBufferCell): string {
  if (cell.isDim() !== 0) return FAINT
  return cell.isFgPalette() ? (PALETTE[cell.getFgColor() % 8] ?? TEXT) : TEXT
}

function textElement({ column, text, colour, isBold }: Run, row: number): string {
  const [x, y] = [MARGIN + column * CELL.width, MARGIN + (row + 0.75) * CELL.height]
  const width = Number(([...text].length * CELL.width).toFixed(1))
  const weight = isBold ? ' font-weight="bold"' : ''
  return `<text x="${Number(x.toFixed(1))}" y="${y}" textLength="${width}" lengthAdjust="spacingAndGlyphs" fill="${colour}"${weight}>${escaped(text)}</text>`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
