/**
 * The key of a sealed archive: 32 random bytes that its members are encrypted with, kept in the manifest behind a
 * passphrase. Archives of one folder share it, so that what did not change need not be written again.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Secret } from '../model/secret.js'
import { sealKey, unsealKey, type Sealing } from '../keyring/passphraseEncryption.js'

export interface ArchiveKey {
  readonly sealing: Sealing
  /** Encrypts members. */
  readonly content: Uint8Array
  /** Names them: who reads the folder must not recognise a file by its digest. */
  readonly names: Uint8Array
  /** Proves the manifest. */
  readonly proof: Uint8Array
}

const PLACE = 'coffer archive key'

/** Makes a key behind a passphrase. */
export async function newArchiveKey(passphrase: Secret<string>): Promise<ArchiveKey> {
  const key = randomBytes(32)
  return keysOf(key, await sealKey(key, passphrase, PLACE))
}

/** @throws WrongPassphrase */
export async function openArchiveKey(sealing: Sealing, passphrase: Secret<string>): Promise<ArchiveKey> {
  return keysOf(await unsealKey(sealing, passphrase, PLACE, 'this archive'), sealing)
}

function keysOf(key: Uint8Array, sealing: Sealing): ArchiveKey {
  const part = (of: string): Uint8Array => createHmac('sha256', key).update(of).digest()
  return { sealing, content: part('content'), names: part('names'), proof: part('proof') }
}
