/** Storage of node keys, and moves between storages without loss. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/store/model/secret.js'
import { createNodeKey, forgetNodeKey, keyStorageOf, moveNodeKey, readNodeKey, type KeyStorageOptions } from '../../../src/store/keyring/nodeKey.js'
import { NodeKeyUnusable, PassphraseNeeded } from '../../../src/store/keyring/nodeKeyUnusable.js'
import type { Keychain } from '../../../src/store/keyring/keychain.js'
import { WrongPassphrase } from '../../../src/store/keyring/passphraseEncryption.js'

let folder: string
let path: string
let n = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coffer-keys-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const fresh = (): string => {
  n += 1
  path = join(folder, `key-${n}`)
  return path
}

function keychainOf(entries = new Map<string, string>()): Keychain & { entries: Map<string, string> } {
  return {
    entries,
    read: (name) => Promise.resolve(entries.get(name)),
    write: async (name, text) => void entries.set(name, text),
    remove: async (name) => void entries.delete(name),
  }
}

const KEY = new Secret<Uint8Array>(Buffer.alloc(32, 7))
const secret = new Secret('a passphrase')
const promptPassphrase = (): Promise<Secret<string>> => Promise.resolve(secret)
const bytesOf = (key: Secret<Uint8Array> | undefined): string => Buffer.from(key?.reveal() ?? []).toString('hex')

const storages: KeyStorageOptions[] = [{ by: 'file' }, { by: 'passphrase', passphrase: secret }, { by: 'keychain' }]

describe.each(storages)('a node key stored by $by', (storage) => {
  it('is read back, reports its storage, and is not overwritten', async () => {
    const keychain = keychainOf()
    await createNodeKey(fresh(), storage, KEY, keychain)
    expect(await keyStorageOf(path)).toBe(storage.by)
    expect(bytesOf(await readNodeKey(path, { passphrase: promptPassphrase, keychain }))).toBe(bytesOf(KEY))
    if (storage.by !== 'file') expect(await readFile(path, 'utf8')).not.toContain(bytesOf(KEY))
    await expect(createNodeKey(path, storage, undefined, keychain)).rejects.toMatchObject({ code: 'EEXIST' })
    expect(keychain.entries.size).toBe(storage.by === 'keychain' ? 1 : 0)
    expect((await readdir(folder)).filter((name) => name.startsWith(`key-${n}`))).toEqual([`key-${n}`])
  })

  it.each(storages)('moves to $by, and is removed from its former storage', async (to) => {
    const keychain = keychainOf()
    await createNodeKey(fresh(), storage, KEY, keychain)
    await moveNodeKey(path, to, KEY, keychain)
    expect(await keyStorageOf(path)).toBe(to.by)
    expect(bytesOf(await readNodeKey(path, { passphrase: promptPassphrase, keychain }))).toBe(bytesOf(KEY))
    expect(keychain.entries.size).toBe(to.by === 'keychain' ? 1 : 0)
  })

  it('is removed from its storage', async () => {
    const keychain = keychainOf()
    await createNodeKey(fresh(), storage, KEY, keychain)
    await forgetNodeKey(path, keychain)
    expect([await keyStorageOf(path), keychain.entries.size]).toEqual([undefined, 0])
    await forgetNodeKey(path, keychain)
  })

  it('is moved together with temporary files of an interrupted write', async () => {
    const own = await mkdtemp(join(folder, 'own-'))
    path = join(own, 'node.key')
    await createNodeKey(path, { by: 'file' }, KEY)
    for (const name of ['node.key.0a1b2c3d', 'node.key.old', 'other.0a1b2c3d']) await writeFile(join(own, name), 'x')
    await moveNodeKey(path, { by: 'passphrase', passphrase: new Secret('several words') }, KEY)
    expect((await readdir(own)).sort()).toEqual(['node.key', 'node.key.old', 'other.0a1b2c3d'])
  })

  it('stays in place when a keychain does not store the key', async () => {
    const keychain = keychainOf()
    await createNodeKey(fresh(), storage, KEY, keychain)
    const before = await readFile(path, 'utf8')
    const unreliable: Keychain[] = [
      { ...keychain, write: () => Promise.resolve() },
      { ...keychain, write: (name) => keychain.write(name, '00'.repeat(32)) },
      { ...keychain, write: () => Promise.reject(new NodeKeyUnusable('It does not answer.')) },
    ]
    for (const one of unreliable) {
      await expect(moveNodeKey(path, { by: 'keychain' }, KEY, one)).rejects.toThrow(NodeKeyUnusable)
      expect(await readFile(path, 'utf8')).toBe(before)
      expect(bytesOf(await readNodeKey(path, { passphrase: promptPassphrase, keychain }))).toBe(bytesOf(KEY))
    }
  })
})

describe('opening a node key', () => {
  it('refuses a wrong passphrase, and reports a missing one', async () => {
    await createNodeKey(fresh(), { by: 'passphrase', passphrase: secret }, KEY)
    await expect(readNodeKey(path, { passphrase: () => Promise.resolve(new Secret('another')) })).rejects.toThrow(WrongPassphrase)
    await expect(readNodeKey(path)).rejects.toThrow(PassphraseNeeded)
  })

  it('reports that the keychain has no entry', async () => {
    const keychain = keychainOf()
    await createNodeKey(fresh(), { by: 'keychain' }, KEY, keychain)
    keychain.entries.clear()
    await expect(readNodeKey(path, { keychain })).rejects.toThrow(/keychain of the system has no entry/)
  })

  it.each(['', '{}', 'ab', '{"keptBy":"keychain","entry":"../x"}', '{"keptBy":"file","key":"00"}'])('refuses a file that holds %j', async (text) => {
    await writeFile(fresh(), text, { mode: 0o600 })
    await expect(readNodeKey(path)).rejects.toThrow(NodeKeyUnusable)
  })

  it('refuses a file that others may read', async () => {
    await writeFile(fresh(), '00'.repeat(32), { mode: 0o644 })
    await expect(readNodeKey(path)).rejects.toThrow(/can be read by others/)
  })
})
