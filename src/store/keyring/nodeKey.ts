/**
 * The node key: 32 random bytes that seal secrets at rest. A stolen copy of the store without the key opens no account.
 *
 * One file of the home, mode 0600, says where the key is kept: it holds the key itself as 64 hexadecimal digits, or the
 * key sealed behind a passphrase, or the name of an entry of the system's keychain. The key moves by replacing the file,
 * in one step and only when what the new file says was read back; so there is a way to the key at any moment.
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
import { syncFolder } from '../leveldb/syncFolder.js'

export const KEY_STORAGES = ['keychain', 'passphrase', 'file'] as const
export type KeyStorage = (typeof KEY_STORAGES)[number]

/** How a key is to be kept. */
export type KeyStorageOptions = { by: 'file' } | { by: 'keychain' } | { by: 'passphrase'; passphrase: Secret<string> }

/** What opening a key may need. */
export interface Opening {
  /** Asked when the key is behind a passphrase. */
  passphrase?: (() => Promise<Secret<string>>) | undefined
  keychain?: Keychain
}

const Stored = z.discriminatedUnion('keptBy', [
  z.strictObject({ keptBy: z.literal('passphrase'), sealing: Sealing }),
  z.strictObject({ keptBy: z.literal('keychain'), entry: z.string().regex(/^[a-z0-9-]+$/) }),
])
type Stored = z.output<typeof Stored> | { keptBy: 'file'; key: string }

const PLACE = 'coffer node key'

/** What the file says; undefined without one. @throws NodeKeyUnusable */
async function readStored(path: string): Promise<Stored | undefined> {
  let text: string
  try {
    text = (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const stored = parseStoredProfile(text)
  if (stored === undefined) throw new NodeKeyUnusable(`The node key file ${path} does not hold a key.`)
  if (((await stat(path)).mode & 0o077) !== 0) {
    throw new NodeKeyUnusable(`The node key file ${path} can be read by others; run: chmod 600 ${path}`)
  }
  return stored
}

function parseStoredProfile(text: string): Stored | undefined {
  if (/^[0-9a-f]{64}$/.test(text)) return { keptBy: 'file', key: text }
  try {
    return Stored.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** What keeps the key of a home; undefined when there is none. @throws NodeKeyUnusable */
export const keyStorageOf = async (path: string): Promise<KeyStorage | undefined> => (await readStored(path))?.keptBy

/** The key; undefined when there is none yet. @throws NodeKeyUnusable, WrongPassphrase, what `passphrase` throws */
export async function readNodeKey(path: string, opening: Opening = {}): Promise<Secret<Uint8Array> | undefined> {
  const stored = await readStored(path)
  return stored === undefined ? undefined : new Secret(await keyOf(path, stored, opening))
}

async function keyOf(path: string, stored: Stored, { passphrase, keychain = systemKeychain }: Opening): Promise<Uint8Array> {
  if (stored.keptBy === 'file') return Buffer.from(stored.key, 'hex')
  if (stored.keptBy === 'passphrase') {
    if (passphrase === undefined) throw new PassphraseNeeded(`The node key ${path} is behind a passphrase, and nobody can be asked for it here.`)
    return unsealKey(stored.sealing, await passphrase(), PLACE, `the node key ${path}`)
  }
  const text = await keychain.read(stored.entry)
  if (text === undefined) throw new NodeKeyLost(`The keychain of the system has no entry coffer/${stored.entry}, which is to hold the node key.`)
  if (!/^[0-9a-f]{64}$/.test(text)) throw new NodeKeyUnusable(`The entry coffer/${stored.entry} of the keychain does not hold a key.`)
  return Buffer.from(text, 'hex')
}

/** Makes a new key, or takes the one given, and keeps it; refuses to replace one. @throws NodeKeyUnusable */
export async function createNodeKey(
  path: string,
  keyStorage: KeyStorageOptions = { by: 'file' },
  key = new Secret<Uint8Array>(randomBytes(32)),
  keychain = systemKeychain,
): Promise<Secret<Uint8Array>> {
  // Written beside its place and linked there whole, for others may look for it meanwhile; a link replaces nothing.
  await placed(path, await storedBy(keyStorage, key, keychain), { key, keeping: keyStorage, keychain }, (draft) => link(draft, path))
  return key
}

/**
 * Keeps a key another way. The old one goes when the new one is on disk and was read back; what a crash may leave behind
 * is an entry of the keychain that nothing names.
 * @throws NodeKeyUnusable
 */
export async function moveNodeKey(path: string, keyStorage: KeyStorageOptions, key: Secret<Uint8Array>, keychain = systemKeychain): Promise<void> {
  const before = await readStored(path)
  await placed(path, await storedBy(keyStorage, key, keychain), { key, keeping: keyStorage, keychain }, (draft) => rename(draft, path))
  if (before?.keptBy === 'keychain') await keychain.remove(before.entry).catch(() => {})
  await dropKeyDrafts(path)
}

/** Forgets a key that nothing was sealed with, where it is kept too. */
export async function forgetNodeKey(path: string, keychain = systemKeychain): Promise<void> {
  const stored = await readStored(path).catch(() => undefined)
  await rm(path, { force: true })
  if (stored?.keptBy === 'keychain') await keychain.remove(stored.entry).catch(() => {})
}

/** Removes what a process that ended while it wrote the file left beside it: it may hold the bare key. Of a closed home, or by who has it open. */
export async function dropKeyDrafts(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)]
  for (const found of await readdir(folder)) {
    if (found.startsWith(`${name}.`) && /^[0-9a-f]{8}$/.test(found.slice(name.length + 1))) await rm(join(folder, found), { force: true })
  }
}

/** What the file is to say. An entry of the keychain is there before it is named. */
async function storedBy(keyStorage: KeyStorageOptions, key: Secret<Uint8Array>, keychain: Keychain): Promise<Stored> {
  const hex = Buffer.from(key.reveal()).toString('hex')
  if (keyStorage.by === 'file') return { keptBy: 'file', key: hex }
  if (keyStorage.by === 'passphrase') return { keptBy: 'passphrase', sealing: await sealKey(key.reveal(), keyStorage.passphrase, PLACE) }
  const entry = `node-${randomBytes(8).toString('hex')}`
  await keychain.write(entry, hex)
  return { keptBy: 'keychain', entry }
}

interface Wanted {
  key: Secret<Uint8Array>
  keeping: KeyStorageOptions
  keychain: Keychain
}

/** Writes the file beside its place, reads it back as any start would, and has it put there. */
async function placed(path: string, stored: Stored, { key, keeping: keyStorage, keychain }: Wanted, put: (draft: string) => Promise<void>): Promise<void> {
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
