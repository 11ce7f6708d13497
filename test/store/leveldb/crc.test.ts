import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32c, maskCrc, unmaskCrc } from '../../../src/store/leveldb/encodings.js'
import { slowCrc32c, slowMask } from './fixtures.js'

describe('the checksum of LevelDB files', () => {
  it.each([
    ['the check value of the catalogue', Buffer.from('123456789'), 0xe3069283],
    ['32 zeros (RFC 3720 B.4)', Buffer.alloc(32), 0x8a9136aa],
    ['32 bytes of ones (RFC 3720 B.4)', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['32 ascending bytes (RFC 3720 B.4)', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ])('is CRC-32C: %s', (_, bytes, crc) => {
    expect(crc32c(bytes)).toBe(crc)
    expect(slowCrc32c(bytes)).toBe(crc)
  })

  it('equals a checksum computed bit by bit, in one piece and in two', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, cut) => {
        const expected = slowCrc32c(bytes)
        expect(crc32c(bytes)).toBe(expected)
        expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(expected)
      }),
    )
  })

  it('is masked and unmasked as in LevelDB', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (crc) => {
        expect(maskCrc(crc)).toBe(slowMask(crc))
        expect(unmaskCrc(maskCrc(crc))).toBe(crc)
      }),
    )
  })
})
