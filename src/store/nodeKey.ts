/**
 * The node key: 32 random bytes that seal secrets at rest. It is kept by a provider; a key file of mode 0600 is the
 * one that needs no question at start. A stolen copy of the store without the key opens no account.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, readFile, stat, unlink } from 'node:fs/promises'
import { Secret } from './model/secret.js'

/** Keeps a node key: in a file, a keychain, or behind a passphrase. */
export interface KeyProvider {
  readonly kind: 'file' | 'keychain' | 'passphrase'
  /** The key, or undefined when this provider has none yet. */
  read(): Promise<Secret<Uint8Array> | undefined>
  /** Makes a new key, or takes the one given, and keeps it; refuses to replace one. */
  create(key?: Secret<Uint8Array>): Promise<Secret<Uint8Array>>
}

/** Thrown when a node key is there but cannot be used; `message` says why and what to do. */
export class NodeKeyUnusable extends Error {}

/** A key in a file that only its owner may read, as 64 hexadecimal digits. */
export function keyFile(path: string): KeyProvider {
  return {
    kind: 'file',
    async read() {
      let text: string
      try {
        text = (await readFile(path, 'utf8')).trim()
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
      if (!/^[0-9a-f]{64}$/.test(text)) throw new NodeKeyUnusable(`The node key file ${path} does not hold a key.`)
      if (((await stat(path)).mode & 0o077) !== 0) {
        throw new NodeKeyUnusable(`The node key file ${path} can be read by others; run: chmod 600 ${path}`)
      }
      return new Secret<Uint8Array>(Buffer.from(text, 'hex'))
    },
    async create(given) {
      const key = Buffer.from(given?.reveal() ?? randomBytes(32))
      // Written beside its place and linked there whole, for others may look for it meanwhile; a link replaces nothing.
      const draft = `${path}.${randomBytes(4).toString('hex')}`
      const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
      try {
        await file.writeFile(`${key.toString('hex')}\n`)
        await file.sync()
        await link(draft, path)
      } finally {
        await file.close()
        await unlink(draft)
      }
      return new Secret<Uint8Array>(key)
    },
  }
}
