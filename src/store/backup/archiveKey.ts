/**
 * The key of a sealed archive: 32 random bytes that encrypt its members, stored in the manifest, sealed with a
 * passphrase. Archives of one folder share the key, so that unchanged members need not be written again.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Secret } from '../model/secret.js'
import { sealKey, unsealKey, type Sealing } from '../keyring/passphraseEncryption.js'

export interface ArchiveKey {
  readonly sealing: Sealing
  /** Key that encrypts members. */
  readonly content: Uint8Array
  /** Key for member names, so that readers of the folder cannot recognise a file by its digest. */
  readonly names: Uint8Array
  /** Key that authenticates the manifest. */
  readonly proof: Uint8Array
}

const PLACE = 'coffer archive key'

/** Creates a key sealed with a passphrase. */
export async function newArchiveKey(passphrase: Secret<string>): Promise<ArchiveKey> {
  const key = randomBytes(32)
  return keysOf(key, await sealKey(key, passphrase, PLACE))
}

/**
 * Opens a sealed key.
 * @throws WrongPassphrase
 */
export async function openArchiveKey(sealing: Sealing, passphrase: Secret<string>): Promise<ArchiveKey> {
  return keysOf(await unsealKey(sealing, passphrase, PLACE, 'this archive'), sealing)
}

function keysOf(key: Uint8Array, sealing: Sealing): ArchiveKey {
  const part = (of: string): Uint8Array => createHmac('sha256', key).update(of).digest()
  return { sealing, content: part('content'), names: part('names'), proof: part('proof') }
}
