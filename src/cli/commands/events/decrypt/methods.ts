/**
 * Decrypts content that clients encrypted (docs/interface/encryption.md#methods-of-encryption). The node has no keys and never
 * decrypts; the command line does, as a client.
 */
import { createDecipheriv, createECDH, createHash, hkdfSync } from 'node:crypto'
import type { Decipher } from 'node:crypto'

export const methods = ['aes-256-gcm', 'ecies-aes-256-gcm', 'aes-text-base64'] as const
export type Method = (typeof methods)[number]

/** Reason of a failed decryption: an invalid envelope; or a wrong key or modified bytes. */
type Fault = 'malformed' | 'refused'

/** Decrypts a stream of bytes. The output of `update` is unauthenticated until `end` has succeeded. */
export interface Opening {
  /** Returns the next plain bytes. */
  update(piece: Buffer): Buffer
  /** Returns undefined when the bytes are complete and authentic. */
  end(): Fault | undefined
}

const CIPHER = 'aes-256-gcm'
const IV = 12
const TAG = 16
const POINT = 65
const CURVE = 'prime256v1'
const MAGIC = 'Salted__'
const SALT = 8
const BLOCK = 16
const NOTHING = Buffer.alloc(0)

/** Checks whether a method supports files; the legacy method for texts does not. */
export function opensFiles(method: Method): boolean {
  return method !== 'aes-text-base64'
}

/**
 * Decrypts bytes with `key` as returned by `readKey`: 32 bytes for AES, the private number for ECIES, else a
 * passphrase.
 */
export function openBytes(method: Method, bytes: Buffer, key: Buffer): { plain: Buffer } | { fault: Fault } {
  if (method === 'aes-text-base64') return openText(bytes, key)
  const opening = openingBy(method, key)
  const plain = opening.update(bytes)
  const fault = opening.end()
  return fault === undefined ? { plain } : { fault }
}

/** Decrypts bytes of any length, such as those of a file. Only for methods with `opensFiles`. */
export function openingBy(method: Method, key: Buffer): Opening {
  if (method === 'aes-256-gcm') return openingOf(IV, (iv) => gcm(key, iv))
  return openingOf(POINT + IV, (head) => gcm(sharedKey(key, head.subarray(0, POINT)), head.subarray(POINT)))
}

const gcm = (key: Buffer, iv: Buffer) => createDecipheriv(CIPHER, key, iv, { authTagLength: TAG })

/**
 * Derives the key that both sides share.
 * @throws when the point is not on the curve
 */
function sharedKey(privateKey: Buffer, point: Buffer): Buffer {
  const own = createECDH(CURVE)
  own.setPrivateKey(privateKey)
  const x = own.computeSecret(point)
  return Buffer.from(hkdfSync('sha256', x, NOTHING, 'encrypted/ecies-aes-256-gcm', 32))
}

/**
 * Decrypts GCM after a header of `headLength` bytes, from which `begin` creates a decipher; the last 16 bytes are the
 * tag.
 */
function openingOf(headLength: number, begin: (head: Buffer) => ReturnType<typeof gcm>): Opening {
  let decipher: ReturnType<typeof gcm> | undefined
  let isMalformed = false
  let buffered: Buffer = NOTHING
  return {
    update(piece) {
      if (isMalformed) return NOTHING
      buffered = buffered.length === 0 ? piece : Buffer.concat([buffered, piece])
      if (decipher === undefined) {
        if (buffered.length < headLength) return NOTHING
        try {
          decipher = begin(buffered.subarray(0, headLength))
        } catch {
          isMalformed = true
          return NOTHING
        }
        buffered = buffered.subarray(headLength)
      }
      const ready = Math.max(0, buffered.length - TAG)
      const plain = decipher.update(buffered.subarray(0, ready))
      buffered = buffered.subarray(ready)
      return plain
    },
    end() {
      if (isMalformed || decipher === undefined || buffered.length < TAG) return 'malformed'
      return finished(decipher.setAuthTag(buffered)) === undefined ? 'refused' : undefined
    },
  }
}

/** Decrypts the legacy method: MD5 derives key and IV from a passphrase, and nothing authenticates the bytes. */
function openText(bytes: Buffer, passphrase: Buffer): { plain: Buffer } | { fault: Fault } {
  const start = MAGIC.length + SALT
  const isWhole = bytes.length >= start + BLOCK && (bytes.length - start) % BLOCK === 0
  if (!isWhole || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return { fault: 'malformed' }
  const salt = bytes.subarray(MAGIC.length, start)
  const derived: Buffer[] = []
  for (let last = NOTHING; derived.length < 3; derived.push(last)) {
    last = createHash('md5').update(last).update(passphrase).update(salt).digest()
  }
  const stretched = Buffer.concat(derived)
  const decipher = createDecipheriv('aes-256-cbc', stretched.subarray(0, 32), stretched.subarray(32))
  const plain = decipher.update(bytes.subarray(start))
  const rest = finished(decipher)
  return rest === undefined ? { fault: 'refused' } : { plain: Buffer.concat([plain, rest]) }
}

/** Returns the last plain bytes; undefined for a wrong key or modified bytes. */
function finished(decipher: Decipher): Buffer | undefined {
  try {
    return decipher.final()
  } catch {
    return undefined
  }
}
