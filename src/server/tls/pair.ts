/** Certificate with its private key, read from files and validated before it is served. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { Secret } from '../../store/model/secret.js'
import { TOLERANCE_MS } from './expiry.js'

export interface PairFiles {
  certFile: string
  keyFile: string
}

export interface Pair {
  /** PEM: the certificate, then the chain. */
  cert: string
  /** PEM. */
  key: Secret<string>
  leaf: X509Certificate
  /** Host names and IP addresses of the certificate. */
  names: string[]
  /** Milliseconds since 1970. */
  issuedAt: number
  expiresAt: number
}

/** Reason that a pair is not served. */
export type PairFault = 'missing' | 'closed' | 'unreadable' | 'not-a-certificate' | 'not-a-key' | 'sealed-key' | 'mismatch' | 'expired' | 'not-yet-valid' | 'unusable'

/** An unusable pair; the message names the file. */
export class CertificateProblem extends Error {
  constructor(
    readonly fault: PairFault,
    readonly setting: 'http.ssl.certFile' | 'http.ssl.keyFile',
    readonly file: string,
    message: string,
  ) {
    super(message)
    this.name = 'CertificateProblem'
  }
}

/**
 * Reads both files.
 * @throws CertificateProblem
 */
export async function readTexts({ certFile, keyFile }: PairFiles): Promise<{ cert: string; key: Secret<string> }> {
  const cert = await textOf('http.ssl.certFile', 'certificate', certFile)
  return { cert, key: new Secret(await textOf('http.ssl.keyFile', 'key', keyFile)) }
}

async function textOf(setting: 'http.ssl.certFile' | 'http.ssl.keyFile', what: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new CertificateProblem('missing', setting, file, `The ${what} ${file} does not exist.`)
    if (code === 'EACCES' || code === 'EPERM') throw new CertificateProblem('closed', setting, file, `The ${what} ${file} is not readable by the user account of the node.`)
    throw new CertificateProblem('unreadable', setting, file, `The ${what} ${file} cannot be read: ${code}.`)
  }
}

/**
 * Parses and validates a pair.
 * @param now milliseconds since 1970
 * @throws CertificateProblem
 */
export function pairOf(texts: { cert: string; key: Secret<string> }, { certFile, keyFile }: PairFiles, now: number): Pair {
  const leaf = leafOf(texts.cert, certFile)
  const key = keyOf(texts.key, keyFile)
  if (!leaf.checkPrivateKey(key)) {
    const message = `The key ${keyFile} does not belong to the certificate ${certFile}, the first one in its file.`
    throw new CertificateProblem('mismatch', 'http.ssl.keyFile', keyFile, message)
  }
  const pair = { ...texts, leaf, names: namesOf(leaf), issuedAt: Date.parse(leaf.validFrom), expiresAt: Date.parse(leaf.validTo) }
  if (pair.expiresAt < now - TOLERANCE_MS) {
    throw new CertificateProblem('expired', 'http.ssl.certFile', certFile, `The certificate ${certFile} has expired, on ${day(pair.expiresAt)}.`)
  }
  if (pair.issuedAt > now + TOLERANCE_MS) {
    throw new CertificateProblem('not-yet-valid', 'http.ssl.certFile', certFile, `The certificate ${certFile} is not valid until ${new Date(pair.issuedAt).toISOString()}.`)
  }
  try {
    createSecureContext({ cert: pair.cert, key: pair.key.reveal() })
  } catch (error) {
    // Such as a key that is too short, or an invalid chain.
    throw new CertificateProblem('unusable', 'http.ssl.certFile', certFile, `The certificate ${certFile} cannot be used: ${reasonOf(error)}.`)
  }
  return pair
}

function leafOf(text: string, file: string): X509Certificate {
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw notACertificate(file)
  try {
    return new X509Certificate(text)
  } catch {
    throw notACertificate(file)
  }
}

const notACertificate = (file: string): CertificateProblem =>
  new CertificateProblem('not-a-certificate', 'http.ssl.certFile', file, `${file} does not contain a certificate in PEM (-----BEGIN CERTIFICATE-----).`)

function keyOf(text: Secret<string>, file: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(text.reveal())
  } catch {
    // Omits the parser's message, which may quote the key.
    if (/ENCRYPTED/.test(text.reveal())) {
      throw new CertificateProblem('sealed-key', 'http.ssl.keyFile', file, `The key ${file} is encrypted with a passphrase; the node cannot prompt for it.`)
    }
    throw new CertificateProblem('not-a-key', 'http.ssl.keyFile', file, `${file} does not contain a private key in PEM (-----BEGIN PRIVATE KEY-----).`)
  }
}

function namesOf(leaf: X509Certificate): string[] {
  const stated = [...(leaf.subjectAltName ?? '').matchAll(/(?:DNS|IP Address):([^,\s"]+)/g)].map(([, name = '']) => name)
  const common = /^CN=(.+)$/m.exec(leaf.subject)?.[1]
  return stated.length > 0 || common === undefined ? stated : [common]
}

/** Checks whether the certificate covers a host name or an IP address. */
export const isFor = ({ leaf }: Pair, host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '')
  return (isIP(bare) === 0 ? leaf.checkHost(bare) : leaf.checkIP(bare)) !== undefined
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : 'it is malformed'
