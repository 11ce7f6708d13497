/**
 * Opening what clients encrypted (consent and OAuth supplement, 3.2). The node holds no keys and looks into nothing:
 * this is the work of a client, here of the command line.
 */
import { createDecipheriv, createECDH, createHash, hkdfSync } from 'node:crypto'
import type { Decipher } from 'node:crypto'

export const methods = ['aes-256-gcm', 'ecies-aes-256-gcm', 'aes-text-base64'] as const
export type Method = (typeof methods)[number]

/** What it means when bytes do not open: they are no envelope at all, or the key is another or they were changed. */
export type Fault = 'malformed' | 'refused'

/** Opens bytes that come in pieces. Nothing of what `update` gives is to be trusted before `end` answered. */
export interface Opening {
  /** The plain bytes that follow from what has come so far. */
  update(piece: Buffer): Buffer
  /** Undefined when the bytes are complete and sound. */
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

/** Whether files can be encrypted by it; texts of the legacy method have none. */
export function opensFiles(method: Method): boolean {
  return method !== 'aes-text-base64'
}

/**
 * Opens bytes by `key`, as `readKey` gives it: 32 bytes for AES, the private number for ECIES, a passphrase else.
 */
export function openBytes(method: Method, bytes: Buffer, key: Buffer): { plain: Buffer } | { fault: Fault } {
  if (method === 'aes-text-base64') return openText(bytes, key)
  const opening = openingBy(method, key)
  const plain = opening.update(bytes)
  const fault = opening.end()
  return fault === undefined ? { plain } : { fault }
}

/** Opens bytes of any length, such as those of a file. Only for methods that `opensFiles`. */
export function openingBy(method: Method, key: Buffer): Opening {
  if (method === 'aes-256-gcm') return openingOf(IV, (iv) => gcm(key, iv))
  return openingOf(POINT + IV, (head) => gcm(sharedKey(key, head.subarray(0, POINT)), head.subarray(POINT)))
}

const gcm = (key: Buffer, iv: Buffer) => createDecipheriv(CIPHER, key, iv, { authTagLength: TAG })

/** The key that both sides derive. @throws when the point is not on the curve. */
function sharedKey(privateKey: Buffer, point: Buffer): Buffer {
  const own = createECDH(CURVE)
  own.setPrivateKey(privateKey)
  const x = own.computeSecret(point)
  return Buffer.from(hkdfSync('sha256', x, NOTHING, 'encrypted/ecies-aes-256-gcm', 32))
}

/** GCM behind a head of `headLength` bytes, which `begin` makes a decipher of; the last 16 bytes are the tag. */
function openingOf(headLength: number, begin: (head: Buffer) => ReturnType<typeof gcm>): Opening {
  let decipher: ReturnType<typeof gcm> | undefined
  let isMalformed = false
  let held: Buffer = NOTHING
  return {
    update(piece) {
      if (isMalformed) return NOTHING
      held = held.length === 0 ? piece : Buffer.concat([held, piece])
      if (decipher === undefined) {
        if (held.length < headLength) return NOTHING
        try {
          decipher = begin(held.subarray(0, headLength))
        } catch {
          isMalformed = true
          return NOTHING
        }
        held = held.subarray(headLength)
      }
      const ready = Math.max(0, held.length - TAG)
      const plain = decipher.update(held.subarray(0, ready))
      held = held.subarray(ready)
      return plain
    },
    end() {
      if (isMalformed || decipher === undefined || held.length < TAG) return 'malformed'
      return finished(decipher.setAuthTag(held)) === undefined ? 'refused' : undefined
    },
  }
}

/** The legacy method: key and IV follow from a passphrase by MD5, and nothing proves that the bytes are sound. */
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

/** The last plain bytes, or undefined when the key is another or the bytes were changed. */
function finished(decipher: Decipher): Buffer | undefined {
  try {
    return decipher.final()
  } catch {
    return undefined
  }
}
