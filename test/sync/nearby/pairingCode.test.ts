/** Tests of the codes that people type. */
import { describe, expect, it } from 'vitest'
import { createPairingCode, parsePairingCode, PairingCodeError } from '../../../src/sync/nearby/pairingCode.js'

describe('a pairing code', () => {
  it('is parsed as shown, and as people type it', () => {
    for (let n = 0; n < 200; n++) {
      const shown = createPairingCode().reveal()
      expect(shown).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
      const typed = ` ${shown.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}\n`
      expect(parsePairingCode(typed).reveal()).toBe(shown)
    }
  })

  it('differs each time, and is masked in texts', () => {
    const codes = Array.from({ length: 100 }, createPairingCode)
    expect(new Set(codes.map((code) => code.reveal())).size).toBe(100)
    expect(String(codes[0])).toBe('•••')
  })

  it.each([
    ['', 'has 8 characters'],
    ['7KQM-2XW', 'this has 7'],
    ['7KQM-2XWDD', 'this has 9'],
    ['7KQM-2XW!', 'no character "!"'],
    ['7KQM-2XWU', 'no character "U"'],
  ])('is refused as %j', (text, why) => {
    expect(() => parsePairingCode(text)).toThrow(PairingCodeError)
    expect(() => parsePairingCode(text)).toThrow(why)
  })
})
