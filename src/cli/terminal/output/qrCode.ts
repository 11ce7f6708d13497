/** QR codes for the space of a terminal. */
import { renderUnicodeCompact } from 'uqr'
import { columnsOf } from './text.js'

/** Lines of a QR code, and its size in columns and rows. */
export interface QrCode {
  readonly lines: readonly string[]
  readonly columns: number
  readonly rows: number
}

/** Borders in modules: readers want a wide one, and accept the narrow one. */
const BORDERS = [2, 1]

/** Returns the smallest QR code of a text. */
export const smallestQrCode = (text: string): QrCode => codeOf(text, 1)

/** Returns the QR code of a text with the widest border that fits into the space; undefined when none does. */
export function fittingQrCode(text: string, space: { columns: number; rows: number }): QrCode | undefined {
  return BORDERS.map((border) => codeOf(text, border)).find(({ columns, rows }) => columns <= space.columns && rows <= space.rows)
}

function codeOf(text: string, border: number): QrCode {
  const lines = renderUnicodeCompact(text, { border }).split('\n')
  return { lines, columns: columnsOf(lines[0] ?? ''), rows: lines.length }
}
