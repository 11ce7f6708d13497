/**
 * Encrypted form of a join bundle: an armoured text with a header, encrypted by AES-256-GCM with a key that scrypt derives from a
 * passphrase. The header is authenticated. A checksum of the whole text distinguishes a damaged file from a wrong passphrase.
 *
 *     -----BEGIN COFFER JOIN BUNDLE-----
 *     Envelope: 1
 *     Core: core-b
 *     Kdf: scrypt 131072 8 1 <salt>
 *     Cipher: aes-256-gcm <nonce>
 *     Checksum: <SHA-256 of the other header lines and the encrypted bytes>
 *
 *     <encrypted bytes and authentication tag in base64, 76 characters a line>
 *     -----END COFFER JOIN BUNDLE-----
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'
import type { Secret } from '../../../store/model/secret.js'
import { BundleError } from './bundleError.js'
import { normalPassphrase } from './passphrase.js'

/** Maximum size of a bundle file in characters, checked before it is parsed. */
export const MAX_BUNDLE_LENGTH = 256 * 1024

const BEGIN = '-----BEGIN COFFER JOIN BUNDLE-----'
const END = '-----END COFFER JOIN BUNDLE-----'
const ENVELOPE_VERSION = 1
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const LINE_LENGTH = 76
const COST = { N: 2 ** 17, r: 8, p: 1 }
const NAMES = ['Envelope', 'Core', 'Kdf', 'Cipher', 'Checksum'] as const

type Header = Record<(typeof NAMES)[number], string>

const deriveKey = promisify(scrypt) as (password: string, salt: Buffer, length: number, options: ScryptOptions) => Promise<Buffer>

/** scrypt requires 128 · N · r bytes, and some more for its blocks; the default limit of Node.js is 32 MiB. */
const keyOf = (passphrase: Secret<string>, salt: Buffer): Promise<Buffer> =>
  deriveKey(normalPassphrase(passphrase).reveal(), salt, KEY_BYTES, { ...COST, maxmem: 160 * COST.N * COST.r })

const kdfOf = (salt: Buffer): string => `scrypt ${COST.N} ${COST.r} ${COST.p} ${salt.toString('base64')}`

/** Encrypts a text for a core; two calls never return the same. */
export async function sealEnvelope(text: string, core: string, passphrase: Secret<string>): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const nonce = randomBytes(NONCE_BYTES)
  const header: Omit<Header, 'Checksum'> = {
    Envelope: String(ENVELOPE_VERSION),
    Core: core,
    Kdf: kdfOf(salt),
    Cipher: `${CIPHER} ${nonce.toString('base64')}`,
  }
  const cipher = createCipheriv(CIPHER, await keyOf(passphrase, salt), nonce)
  cipher.setAAD(headerBytes(header))
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  const lines = [...headerLines(header), `Checksum: ${checksumOf(header, bytes)}`, '', ...(bytes.toString('base64').match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [])]
  return [BEGIN, ...lines, END, ''].join('\n')
}

/**
 * Returns the core that a bundle file is for, without its passphrase.
 * @throws BundleError `too-large`, `not-a-bundle`, `damaged`, `too-new`
 */
export const coreOfEnvelope = (file: string): string => parseEnvelope(file).header.Core

/**
 * Decrypts a bundle file.
 * @throws BundleError `too-large`, `not-a-bundle`, `damaged`, `too-new`, `wrong-passphrase`
 */
export async function openEnvelope(file: string, passphrase: Secret<string>): Promise<string> {
  const { header, bytes } = parseEnvelope(file)
  const salt = parameterOf(header.Kdf, `scrypt ${COST.N} ${COST.r} ${COST.p}`, SALT_BYTES)
  const nonce = parameterOf(header.Cipher, CIPHER, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, await keyOf(passphrase, salt), nonce)
  decipher.setAAD(headerBytes(header))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    // The checksum holds, so that the file is as it was written.
    throw new BundleError('wrong-passphrase')
  }
}

function parseEnvelope(file: string): { header: Header; bytes: Buffer } {
  if (file.length > MAX_BUNDLE_LENGTH) throw new BundleError('too-large')
  const lines = file.replaceAll('\r\n', '\n').split('\n')
  const begin = lines.indexOf(BEGIN)
  const end = lines.indexOf(END)
  if (begin === -1) throw new BundleError('not-a-bundle')
  const empty = lines.indexOf('', begin)
  if (end === -1 || empty === -1 || empty > end) throw new BundleError('damaged')
  const header = parseHeader(lines.slice(begin + 1, empty))
  const body = lines.slice(empty + 1, end).join('')
  const bytes = Buffer.from(body, 'base64')
  if (bytes.length <= TAG_BYTES || bytes.toString('base64') !== body || checksumOf(header, bytes) !== header.Checksum) throw new BundleError('damaged')
  return { header, bytes }
}

/** Parses the header lines, which are in one order. The version is read first: other versions may have other lines. */
function parseHeader(lines: readonly string[]): Header {
  const version = /^Envelope: (\d{1,6})$/.exec(lines[0] ?? '')?.[1]
  if (version === undefined) throw new BundleError('damaged')
  if (Number(version) > ENVELOPE_VERSION) throw new BundleError('too-new')
  const values = NAMES.map((name, at) => {
    const line = lines[at] ?? ''
    if (!line.startsWith(`${name}: `)) throw new BundleError('damaged')
    return [name, line.slice(name.length + 2)] as const
  })
  if (lines.length !== NAMES.length) throw new BundleError('damaged')
  return Object.fromEntries(values) as Header
}

/** Returns the bytes after `name` in a header value; other names and costs are refused before any work is done with them. */
function parameterOf(value: string, name: string, length: number): Buffer {
  const bytes = value.startsWith(`${name} `) ? Buffer.from(value.slice(name.length + 1), 'base64') : undefined
  if (bytes?.length !== length) throw new BundleError('damaged')
  return bytes
}

const headerLines = (header: Omit<Header, 'Checksum'>): string[] => NAMES.flatMap((name) => (name === 'Checksum' ? [] : [`${name}: ${header[name]}`]))

const headerBytes = (header: Omit<Header, 'Checksum'>): Buffer => Buffer.from(headerLines(header).join('\n'))

const checksumOf = (header: Omit<Header, 'Checksum'>, bytes: Buffer): string => createHash('sha256').update(headerBytes(header)).update('\n').update(bytes).digest('hex')
