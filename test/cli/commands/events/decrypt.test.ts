/** Tests of `coffer events show --decrypt`: keys are never sent to the node. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aes, ecies, legacy, sealAes, sealEcies, recipient } from '../../../support/people/encryptedEvents.js'
import type { Vector } from '../../../support/people/encryptedEvents.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

let home: TestHome
const file = (name: string): string => join(home.home, name)

beforeAll(async () => {
  home = await testHome('ana-lovelace')
  await home.json('streams create s --id s')
  writeFileSync(file('raw.key'), Buffer.from(aes.key, 'base64'))
  writeFileSync(file('other.key'), Buffer.alloc(32))
  writeFileSync(file('short.key'), 'x')
  writeFileSync(file('a=b.key'), `${aes.key}\n`)
  writeFileSync(file('private.jwk'), ecies.key)
  writeFileSync(file('passphrase.txt'), `${legacy.key}\n`)
})
afterAll(() => home.remove())

async function createEncrypted(of: Vector, more: object = {}, ...files: string[]): Promise<string> {
  const content = JSON.stringify({ payload: of.payload, ...more })
  const words = ['events', 'create', '--stream', 's', '--type', of.type, '--content', content]
  const { event } = await home.json([...words, ...files.flatMap((each) => ['--attach', each])])
  return (event as { id: string }).id
}
const show = (id: string, ...words: string[]) => home.run(['events', 'show', id, '--decrypt', ...words])
const keyFile = (...names: string[]): string[] => names.flatMap((name) => ['--key-file', name])

describe('events show --decrypt', () => {
  it.each([
    ['raw.key', aes],
    ['a=b.key', aes],
    ['private.jwk', ecies],
    ['passphrase.txt', legacy],
  ])('shows the decrypted content, with the key of %s', async (name, vector) => {
    const id = await createEncrypted(vector, { keyRef: 'team' })
    const { code, out, err } = await show(id, ...keyFile(file(name)))
    expect([code, err]).toEqual([0, expect.not.stringMatching(/[!✖]/)])
    expect(out).toContain(`Content   ${vector.content}`)
    expect(out).toContain(`Stored as ${vector.type}, key team`)
    const { event } = await home.json(['events', 'show', id, '--decrypt', ...keyFile(file(name))])
    const { event: stored } = await home.json(['events', 'show', id])
    expect(event).toEqual({ ...(stored as object), type: 'note/txt', content: vector.content, decryptedFrom: stored })
  })

  it('selects the key that the event names, then keys without a name', async () => {
    const id = await createEncrypted(aes, { keyRef: 'te=am' })
    const named = (name: string, of: string): string => `${name}=${file(of)}`
    expect((await show(id, ...keyFile(named('else', 'other.key'), named('te=am', 'raw.key')))).code).toBe(0)
    expect((await show(id, ...keyFile(named('te=am', 'other.key'), file('raw.key')))).code).toBe(0)
    expect((await show(id, ...keyFile(file('other.key'), file('raw.key')))).code).toBe(0)
    const { code, err } = await show(id, ...keyFile(named('else', 'raw.key')))
    expect([code, err]).toEqual([2, expect.stringContaining(`needs the key "te=am", and no matching key was given`)])
    expect(err).toContain(`--key-file 'te=am=<file>'`)
  })

  it('reads the key from stdin without --key-file', async () => {
    const id = await createEncrypted(aes)
    expect((await home.run(`events show ${id} --decrypt`, { stdin: `${aes.key}\n` })).out).toContain(aes.content)
    const { code, err } = await home.run(`events show ${id} --decrypt`)
    expect([code, err]).toEqual([2, expect.stringContaining('--key-file <file>')])
  })

  const truncated = { ...aes, payload: 'AAAA' }
  const unknown = { ...aes, type: 'encrypted/rot13' }
  it.each([
    ['another key', aes, ['other.key'], 12, 'does not decrypt the event'],
    ['another passphrase', legacy, ['other.key'], 12, 'The passphrase of'],
    ['a key of another kind', ecies, ['raw.key'], 2, 'is not a private key of P-256'],
    ['a key of another length', aes, ['short.key'], 2, 'is not 32 bytes'],
    ['a missing key file', aes, ['gone.key'], 2, 'does not exist'],
    ['a truncated payload', truncated, ['raw.key'], 13, 'its payload is truncated'],
    ['an unknown method', unknown, ['raw.key'], 1, 'Supported types: encrypted/aes-256-gcm'],
  ])('reports %s and shows nothing', async (_case, vector, names, exit, words) => {
    const id = await createEncrypted(vector)
    const files = keyFile(...names.map(file))
    const { code, out, err } = await show(id, ...files)
    expect([code, out, err]).toEqual([exit, '', expect.stringContaining(words)])
    expect(err).not.toContain('    at ')
    const asJson = await show(id, '--json', ...files)
    expect([asJson.code, asJson.out, JSON.parse(asJson.err)]).toEqual([exit, '', { error: expect.objectContaining({ message: expect.stringContaining(words) }) }])
    for (const text of [err, asJson.err]) for (const secret of [aes.key, legacy.key, recipient.d]) expect(text).not.toContain(secret)
  })

  it('shows an event that is not encrypted unchanged', async () => {
    const { event } = await home.json('events create --stream s --type mass/kg --content 1')
    const { id } = event as { id: string }
    const { code, out, err } = await show(id)
    expect([code, err]).toEqual([0, expect.stringContaining('is not encrypted')])
    expect(out).toContain('Content   1')
    expect(await home.json(['events', 'show', id, '--decrypt'])).toEqual({ event })
  })

  it('requires --decrypt together with --key-file', async () => {
    expect((await home.run(['events', 'show', 'x', ...keyFile(file('raw.key'))])).code).toBe(2)
  })

  it('decrypts the earlier versions that the keys match', async () => {
    await home.json('config set versioning.forceKeepHistory true')
    const id = await createEncrypted(legacy)
    const update = (of: Vector) => home.json(['events', 'update', id, '--type', of.type, '--content', JSON.stringify({ payload: of.payload })])
    await update(ecies)
    await update(aes)
    const words = ['events', 'show', id, '--decrypt', '--history', ...keyFile(file('raw.key'))]
    const { code, out, err } = await home.run(words)
    expect([code, err.match(/An earlier version stays encrypted/g)]).toEqual([0, expect.objectContaining({ length: 2 })])
    expect(out).toContain(aes.content)
    const all = await home.json([...words, ...keyFile(file('private.jwk'), file('passphrase.txt'))])
    const contents = (all['history'] as { content: unknown }[]).map(({ content }) => content)
    expect([(all['event'] as { content: unknown }).content, ...contents].sort()).toEqual([legacy.content, ecies.content, aes.content].sort())
  })

  it('saves decrypted files, and encrypted ones without --decrypt', async () => {
    const plain = Buffer.alloc(300_000, 'some bytes of a picture')
    const rawKey = Buffer.from(aes.key, 'base64')
    for (const [vector, name, bytes] of [
      [aes, 'raw.key', await sealAes(rawKey, plain)],
      [ecies, 'private.jwk', await sealEcies(recipient, plain)],
    ] as const) {
      writeFileSync(file('photo.jpg'), bytes)
      const id = await createEncrypted(vector, {}, file('photo.jpg'))
      const folder = file(`saved ${name}`)
      const words = ['--save-attachments', folder]
      const { saved } = await home.json(['events', 'show', id, '--decrypt', ...keyFile(file(name)), ...words])
      expect(saved).toMatchObject([{ path: join(folder, 'photo.jpg'), size: plain.length }])
      expect(readFileSync(join(folder, 'photo.jpg')).equals(plain)).toBe(true)
      await home.json(['events', 'show', id, '--force', ...words])
      expect(readFileSync(join(folder, 'photo.jpg')).equals(bytes)).toBe(true)
    }
  })

  it('saves nothing when a file or the event cannot be decrypted', async () => {
    const sealed = await sealAes(Buffer.from(aes.key, 'base64'), Buffer.alloc(100_000))
    const last = sealed.length - 1
    sealed[last] = (sealed[last] ?? 0) ^ 1
    const folder = file('nothing')
    mkdirSync(folder)
    for (const bytes of [sealed, Buffer.from('short'), Buffer.alloc(0)]) {
      writeFileSync(file('photo.jpg'), bytes)
      const id = await createEncrypted(aes, {}, file('photo.jpg'))
      const words = ['--save-attachments', folder]
      const { code, err } = await show(id, ...keyFile(file('raw.key')), ...words)
      expect([code, err]).toEqual([13, expect.stringContaining('omit --decrypt')])
      expect((await show(id, ...keyFile(file('other.key')), '--save-attachments', file('never'))).code).toBe(12)
    }
    expect([readdirSync(folder), existsSync(file('never'))]).toEqual([[], false])
  })
})
