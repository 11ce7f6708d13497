/**
 * The node key: 32 random bytes that seal secrets at rest. A stolen copy of the store without the key opens no account.
 * `createSeal` (seal.ts) derives from it the `Seal`, which the rest of the store uses.
 *
 * One file of the home, mode 0600, determines the storage of the key: it contains the key itself as 64 hexadecimal digits, or the
 * key sealed with a passphrase (passphraseEncryption.ts), or the name of an entry in the system's keychain (keychain.ts). A
 * change of storage replaces the file atomically, after reading the key back through the new file; so that no crash loses the
 * key. streamCipher.ts encrypts streams of bytes, for archives and sync.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod'
import { systemKeychain, type Keychain } from './keychain.js'
import { Secret } from '../model/secret.js'
import { NodeKeyLost, NodeKeyUnusable, PassphraseNeeded } from './nodeKeyUnusable.js'
import { sealKey, Sealing, unsealKey } from './passphraseEncryption.js'
import { syncFolder } from '../leveldb/filesOnDisk.js'

export type KeyStorage = 'keychain' | 'passphrase' | 'file'

/** Storage of a key. */
export type KeyStorageOptions = { by: 'file' } | { by: 'keychain' } | { by: 'passphrase'; passphrase: Secret<string> }

/** Inputs for opening a key. */
export interface Opening {
  /** Called when the key is protected by a passphrase. */
  passphrase?: (() => Promise<Secret<string>>) | undefined
  keychain?: Keychain
}

const Stored = z.discriminatedUnion('keptBy', [
  z.strictObject({ keptBy: z.literal('passphrase'), sealing: Sealing }),
  z.strictObject({ keptBy: z.literal('keychain'), entry: z.string().regex(/^[a-z0-9-]+$/) }),
])
type Stored = z.output<typeof Stored> | { keptBy: 'file'; key: string }

const PLACE = 'coffer node key'

/**
 * Reads the file; undefined without one.
 * @throws NodeKeyUnusable
 */
async function readStored(path: string): Promise<Stored | undefined> {
  let text: string
  try {
    text = (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const stored = parseStored(text)
  if (stored === undefined) throw new NodeKeyUnusable(`The node key file ${path} does not contain a key.`)
  if (((await stat(path)).mode & 0o077) !== 0) {
    throw new NodeKeyUnusable(`The node key file ${path} can be read by others; run: chmod 600 ${path}`)
  }
  return stored
}

function parseStored(text: string): Stored | undefined {
  if (/^[0-9a-f]{64}$/.test(text)) return { keptBy: 'file', key: text }
  try {
    return Stored.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/**
 * Returns the key storage of a home; undefined when there is none.
 * @throws NodeKeyUnusable
 */
export const keyStorageOf = async (path: string): Promise<KeyStorage | undefined> => (await readStored(path))?.keptBy

/**
 * Reads the key; undefined when there is none yet.
 * @throws NodeKeyUnusable, WrongPassphrase, errors of `passphrase`
 */
export async function readNodeKey(path: string, opening: Opening = {}): Promise<Secret<Uint8Array> | undefined> {
  const stored = await readStored(path)
  return stored === undefined ? undefined : new Secret(await keyOf(path, stored, opening))
}

async function keyOf(path: string, stored: Stored, { passphrase, keychain = systemKeychain }: Opening): Promise<Uint8Array> {
  if (stored.keptBy === 'file') return Buffer.from(stored.key, 'hex')
  if (stored.keptBy === 'passphrase') {
    if (passphrase === undefined) throw new PassphraseNeeded(`The node key ${path} is protected by a passphrase, which cannot be entered here.`)
    return unsealKey(stored.sealing, await passphrase(), PLACE, `the node key ${path}`)
  }
  const text = await keychain.read(stored.entry)
  if (text === undefined) throw new NodeKeyLost(`The keychain of the system has no entry coffer/${stored.entry}, which should contain the node key.`)
  if (!/^[0-9a-f]{64}$/.test(text)) throw new NodeKeyUnusable(`The entry coffer/${stored.entry} of the keychain does not contain a key.`)
  return Buffer.from(text, 'hex')
}

/**
 * Stores a new random key, or the given one; never replaces a file.
 * @throws NodeKeyUnusable
 */
export async function createNodeKey(
  path: string,
  keyStorage: KeyStorageOptions = { by: 'file' },
  key = new Secret<Uint8Array>(randomBytes(32)),
  keychain = systemKeychain,
): Promise<Secret<Uint8Array>> {
  // Written beside its final path and linked there when complete, as others may look for it; a link replaces nothing.
  await placed(path, await storedBy(keyStorage, key, keychain), { key, storage: keyStorage, keychain }, (draft) => link(draft, path))
  return key
}

/**
 * Moves a key to another storage. Removes the old one when the new one is on disk and was read back. A crash may leave
 * an unused keychain entry.
 * @throws NodeKeyUnusable
 */
export async function moveNodeKey(path: string, keyStorage: KeyStorageOptions, key: Secret<Uint8Array>, keychain = systemKeychain): Promise<void> {
  const before = await readStored(path)
  await placed(path, await storedBy(keyStorage, key, keychain), { key, storage: keyStorage, keychain }, (draft) => rename(draft, path))
  if (before?.keptBy === 'keychain') await keychain.remove(before.entry).catch(() => {})
  await dropKeyDrafts(path)
}

/** Removes a key that sealed nothing, including its keychain entry. */
export async function forgetNodeKey(path: string, keychain = systemKeychain): Promise<void> {
  const stored = await readStored(path).catch(() => undefined)
  await rm(path, { force: true })
  if (stored?.keptBy === 'keychain') await keychain.remove(stored.entry).catch(() => {})
}

/**
 * Removes drafts of the file left by an interrupted process, as they may contain the bare key. Call it on a closed
 * home, or in the process that has it open.
 */
export async function dropKeyDrafts(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)]
  for (const found of await readdir(folder)) {
    if (found.startsWith(`${name}.`) && /^[0-9a-f]{8}$/.test(found.slice(name.length + 1))) await rm(join(folder, found), { force: true })
  }
}

/** Returns the content of the file; writes a keychain entry before the file names it. */
async function storedBy(keyStorage: KeyStorageOptions, key: Secret<Uint8Array>, keychain: Keychain): Promise<Stored> {
  const hex = Buffer.from(key.reveal()).toString('hex')
  if (keyStorage.by === 'file') return { keptBy: 'file', key: hex }
  if (keyStorage.by === 'passphrase') return { keptBy: 'passphrase', sealing: await sealKey(key.reveal(), keyStorage.passphrase, PLACE) }
  const entry = `node-${randomBytes(8).toString('hex')}`
  await keychain.write(entry, hex)
  return { keptBy: 'keychain', entry }
}

interface KeyWrite {
  key: Secret<Uint8Array>
  storage: KeyStorageOptions
  keychain: Keychain
}

/** Writes the file beside its final path, reads it back as at any start, and moves it with `put`. */
async function placed(path: string, stored: Stored, { key, storage: keyStorage, keychain }: KeyWrite, put: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await file.writeFile(`${stored.keptBy === 'file' ? stored.key : JSON.stringify(stored)}\n`)
    await file.sync()
    await file.close()
    const passphrase = keyStorage.by === 'passphrase' ? () => Promise.resolve(keyStorage.passphrase) : undefined
    const found = await readNodeKey(draft, { passphrase, keychain })
    if (found === undefined || !Buffer.from(found.reveal()).equals(key.reveal())) {
      throw new NodeKeyUnusable(`The node key was written to ${draft}, and another was read back; nothing was changed.`)
    }
    await put(draft)
    await syncFolder(dirname(path))
  } catch (error) {
    if (stored.keptBy === 'keychain') await keychain.remove(stored.entry).catch(() => {})
    throw error
  } finally {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
  }
}
