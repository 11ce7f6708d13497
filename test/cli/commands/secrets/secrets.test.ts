import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHome, type TestHome } from '../../support/closedHome.js'

let home: TestHome
let passphrase: string
let wrong: string
beforeAll(async () => {
  home = await testHome('ana-lovelace')
  passphrase = join(home.home, 'passphrase')
  wrong = join(home.home, 'wrong')
  await writeFile(passphrase, 'open sesame\n')
  await writeFile(wrong, 'open barley\n')
})
afterAll(() => home.remove())

const KEY = /^[a-z0-9]{24}\.[A-Za-z0-9_-]{32}\n$/
const create = async (stdin: string, ...words: string[]): Promise<string> => {
  const { code, out, err } = await home.run(['secrets', 'create', '--title', 'a note', ...words], { stdin })
  if (code !== 0) throw new Error(err)
  return out
}
const redeem = (key: string, ...words: string[]): ReturnType<TestHome['run']> =>
  home.run(['secrets', 'redeem', ...words], { stdin: key })

describe('secrets', () => {
  it('are created with a key on stdout, and redeemed once', async () => {
    const key = await create('line one\nline two\n', '--text')
    expect(key).toMatch(KEY)
    expect(await redeem(key)).toMatchObject({ code: 0, out: 'line one\nline two\n' })
    const again = await redeem(key)
    expect(again).toMatchObject({ code: 4, out: '' })
    expect(again.err).toContain('already retrieved or has expired')
  })

  it('are read and printed as JSON', async () => {
    const key = await create('{"a":[1,null]}')
    const { secret } = await home.json('secrets redeem', { stdin: key })
    expect(secret).toEqual({ a: [1, null] })
    expect(await home.run(['secrets', 'create', '--title', 't'], { stdin: 'not json' })).toMatchObject({ code: 2 })
  })

  it('show their message when they were already redeemed', async () => {
    const key = await create('1', '--message', 'Ask Ana for another', '--return-url', 'https://ana.example/')
    await redeem(key)
    expect((await redeem(key)).err).toContain('Ask Ana for another')
  })

  it.each([[[]], [['--hmac']]])('require the passphrase %s', async (hmac) => {
    const key = await create('1', '--passphrase-file', passphrase, ...hmac)
    expect((await redeem(key)).code).toBe(4)
    expect(await redeem(key, '--passphrase-file', passphrase, ...hmac)).toMatchObject({ code: 0, out: '1\n' })
    const other = await create('1', '--passphrase-file', passphrase, ...hmac)
    expect((await redeem(other, '--passphrase-file', wrong, ...hmac)).code).toBe(4)
    expect((await redeem(other, '--passphrase-file', passphrase, ...hmac)).code).toBe(4)
    const { out } = await home.run('secrets status', { stdin: other })
    expect(out).toMatch(/discarded .*\(Secret does not match\)/)
  })

  it('report their status', async () => {
    const { sharedSecret } = await home.json(['secrets', 'create', '--title', 'a note', '--ttl', '2d'], { stdin: '1' })
    const { key, expires, statusHistory } = sharedSecret as { key: string; expires: number; statusHistory: { time: number }[] }
    expect(expires).toBe((statusHistory[0]?.time ?? 0) + 2 * 86_400)
    expect((await home.run('secrets status -q', { stdin: key })).out).toBe('pending\n')
    await redeem(key)
    expect((await home.run('secrets status', { stdin: key })).out).toMatch(/title +a note\nstatus +consumed\n/)
  })

  it('are also printed as a QR code with --qr', async () => {
    const { out, err } = await home.run(['secrets', 'create', '--title', 't', '--qr'], { stdin: '1' })
    expect(out).toMatch(KEY)
    expect(err).toMatch(/[▀▄█]/)
  })

  it.each<[string[], number]>([
    [['secrets', 'redeem'], 5],
    [['secrets', 'status'], 5],
    [['secrets', 'redeem', '--hmac'], 2],
    [['secrets', 'redeem', '--passphrase'], 2],
    [['secrets', 'create'], 2],
    [['secrets', 'create', '--title', 't', '--ttl', '99d', '--text'], 1],
    [['secrets', 'create', '--title', 't', '--return-url', 'javascript:x', '--text'], 1],
  ])('fail for %j with exit code %i', async (words, code) => {
    expect(await home.run(words, { stdin: `unknown.${'x'.repeat(32)}` })).toMatchObject({ code, out: '' })
  })
})
