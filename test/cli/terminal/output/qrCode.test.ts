/** Tests of QR codes in the space of a terminal. */
import { describe, expect, it } from 'vitest'
import { fittingQrCode, smallestQrCode } from '../../../../src/cli/terminal/output/qrCode.js'

const TEXT = 'coffer:pair/'.padEnd(100, 'x')

describe('a QR code', () => {
  it('has the widest border that fits', () => {
    const { columns, rows } = smallestQrCode(TEXT)
    expect(fittingQrCode(TEXT, { columns, rows })).toMatchObject({ columns, rows })
    expect(fittingQrCode(TEXT, { columns: Infinity, rows: Infinity })).toMatchObject({ columns: columns + 2, rows: rows + 1 })
  })

  it('is not drawn where it does not fit', () => {
    const { columns, rows } = smallestQrCode(TEXT)
    expect(fittingQrCode(TEXT, { columns: columns - 1, rows })).toBeUndefined()
    expect(fittingQrCode(TEXT, { columns, rows: rows - 1 })).toBeUndefined()
  })
})
