/** Sealing at rest: what is sealed opens only unchanged and at its place, and no nonce is used twice. */
import { beforeAll, describe, expect, it } from 'vitest'
import { createSeal, type Seal } from '../../../src/store/keyring/seal.js'
import { Secret } from '../../../src/store/model/secret.js'

/** Base64 characters of a nonce of 24 bytes. */
const NONCE_LENGTH = 32

describe('a sealed text', () => {
  let seal: Seal
  beforeAll(async () => {
    seal = await createSeal(new Secret(new Uint8Array(32).fill(7)))
  })

  it('opens at its place, unchanged', () => {
    const sealed = seal.seal('a token', 'account/token')
    expect(seal.open(sealed, 'account/token')).toBe('a token')
    expect(() => seal.open(sealed, 'other/token')).toThrow()
    const at = sealed.length - 3
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    expect(() => seal.open(changed, 'account/token')).toThrow()
  })

  it('has a nonce of its own, across blocks of random bytes', () => {
    const sealed = Array.from({ length: 2000 }, () => seal.seal('the same', 'place'))
    expect(new Set(sealed.map((text) => text.slice(0, NONCE_LENGTH))).size).toBe(sealed.length)
    for (const text of sealed) expect(seal.open(text, 'place')).toBe('the same')
  })
})
