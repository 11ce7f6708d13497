/** Canvas of dots drawn with characters: eight dots per braille character, one per ASCII character. */

export interface Canvas {
  /** Number of dots from left to right; `down` from top to bottom. */
  readonly across: number
  readonly down: number
  dot(x: number, y: number, line: number): void
  /** Returns the rows from the top: each cell's character and line number; undefined for empty cells. */
  rows(): Array<Array<{ mark: string; line: number } | undefined>>
}

/** Bit of each dot in a braille character, by row and column. */
const BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const
const BLANK = 0x2800

/** Characters of lines in ASCII. */
const MARKS = '*+xo#@%&'

export const asciiMark = (line: number): string => MARKS[line % MARKS.length] ?? '*'

/** Creates a canvas of the given size in characters. */
export function createCanvas(width: number, height: number, plain: boolean): Canvas {
  const [wide, high] = plain ? [1, 1] : [2, 4]
  const cells = new Map<number, { bits: number; line: number }>()
  return {
    across: width * wide,
    down: height * high,
    dot(x, y, line) {
      if (x < 0 || y < 0 || x >= width * wide || y >= height * high) return
      const at = Math.floor(y / high) * width + Math.floor(x / wide)
      const bit = BITS[y % high]?.[x % wide] ?? 0
      cells.set(at, { bits: (cells.get(at)?.bits ?? 0) | bit, line })
    },
    rows: () =>
      Array.from({ length: height }, (_, row) =>
        Array.from({ length: width }, (__, column) => {
          const cell = cells.get(row * width + column)
          if (cell === undefined) return undefined
          return { mark: plain ? asciiMark(cell.line) : String.fromCharCode(BLANK + cell.bits), line: cell.line }
        }),
      ),
  }
}

/** Draws a straight line of dots. */
export function stroke(canvas: Canvas, from: readonly [number, number], to: readonly [number, number], line: number): void {
  const [x, y] = from
  const [across, down] = [to[0] - x, to[1] - y]
  const steps = Math.max(Math.abs(across), Math.abs(down), 1)
  for (let step = 0; step <= steps; step++) {
    canvas.dot(Math.round(x + (across * step) / steps), Math.round(y + (down * step) / steps), line)
  }
}
