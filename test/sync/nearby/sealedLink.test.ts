/** Tests of links sealed with a code. */
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/store/model/secret.js'
import { LinkTooLong, MAX_SEALED_BYTES, openLink, SALT_BYTES, sealLink } from '../../../src/sync/nearby/sealedLink.js'

const LINK = `coffer:pair/${'x'.repeat(68)}@https://home.example.org/`
const code = new Secret('7KQM-2XWD')

describe('a sealed link', () => {
  it('is opened by its code alone', async () => {
    const sealed = await sealLink(LINK, code)
    expect(sealed.salt.length).toBe(SALT_BYTES)
    expect(Buffer.from(sealed.sealed).includes('coffer')).toBe(false)
    expect(await openLink(sealed, code)).toBe(LINK)
    expect(await openLink(sealed, new Secret('7KQM-2XWE'))).toBeUndefined()
  })

  it('is refused when changed or too short', async () => {
    const { salt, sealed } = await sealLink(LINK, code)
    const changed = Uint8Array.from(sealed)
    changed[30] = (changed[30] ?? 0) ^ 1
    expect(await openLink({ salt, sealed: changed }, code)).toBeUndefined()
    expect(await openLink({ salt, sealed: sealed.subarray(0, 20) }, code)).toBeUndefined()
    expect(await openLink({ salt: Buffer.alloc(SALT_BYTES), sealed }, code)).toBeUndefined()
  })

  it('hides the length of the address, and is limited in length', async () => {
    const other = await sealLink(LINK.replace('home.example.org', 'a.example.org'), code)
    expect((await sealLink(LINK, code)).sealed.length).toBe(other.sealed.length)
    expect((await sealLink('x'.repeat(511), code)).sealed.length).toBe(MAX_SEALED_BYTES)
    await expect(sealLink('x'.repeat(512), code)).rejects.toThrow(LinkTooLong)
  })
})
