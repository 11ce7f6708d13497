/**
 * Certificate authority of a platform. It issues the certificates by which cores identify themselves to etcd, where the common
 * name is the user, and to each other. Loads the certificate library on demand, since few commands need it.
 */
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { Secret } from '../../../store/model/secret.js'
import { loadX509 } from '../../base/x509.js'

/** A certificate with its private key, both in PEM. */
export interface CertificatePair {
  certPem: string
  keyPem: Secret<string>
}

/** Subject of a certificate. */
interface CertificateSubject {
  /** Common name, also a DNS name of the certificate: the id of the core. */
  name: string
  /** Address of the core; its host is a name of the certificate. */
  url?: string | null
  /** Other host names and IP addresses. */
  hosts?: readonly (string | null | undefined)[]
}

type X509 = Awaited<ReturnType<typeof loadX509>>
type SigningKeys = webcrypto.CryptoKeyPair

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000
/** Certificates are valid from some time before they are issued, for machines whose clock is behind. */
const BACKDATED_MS = 10 * 60_000
const AUTHORITY_DAYS = 3650
/** Short, because a removed core keeps its certificate until it expires. */
const CERTIFICATE_DAYS = 90

/** Creates a certificate authority, valid for ten years. `now` is in milliseconds since 1970. */
export async function createAuthority(platform: string, now: number): Promise<CertificatePair> {
  const x509 = await loadX509()
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ O: ['coffer platform'] }, { CN: [`coffer platform ${platform}`] }],
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + AUTHORITY_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return pairOf(x509, certificate.toString('pem'), keys)
}

/**
 * Issues a certificate with a new key for servers and clients, valid for `CERTIFICATE_DAYS` from `now`, in milliseconds since
 * 1970. Its names are the name of the subject, the host of its address and its IP addresses.
 */
export async function issueCertificate(authority: CertificatePair, subject: CertificateSubject, now: number): Promise<CertificatePair> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(authority.certPem)
  const signingKey = await importKey(x509, authority.keyPem)
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [subject.name] }],
    issuer: issuer.subject,
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + CERTIFICATE_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension(alternativeNames(subject)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export()),
    ],
  })
  return pairOf(x509, certificate.toString('pem'), keys)
}

/** Returns the names of a certificate, without repetitions. */
function alternativeNames({ name, url, hosts = [] }: CertificateSubject): { type: 'dns' | 'ip'; value: string }[] {
  const host = url === undefined || url === null ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')]
  const values = new Set([name, ...host, ...hosts.filter((each) => typeof each === 'string')])
  return [...values].map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))
}

const newKeys = (): Promise<SigningKeys> => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

/** Returns a random serial number in hexadecimal: 16 bytes, positive. */
function newSerial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return Buffer.from(bytes).toString('hex')
}

async function pairOf(x509: X509, certPem: string, { privateKey }: SigningKeys): Promise<CertificatePair> {
  const der = await webcrypto.subtle.exportKey('pkcs8', privateKey)
  return { certPem: `${certPem.trim()}\n`, keyPem: new Secret(`${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`) }
}

function importKey(x509: X509, keyPem: Secret<string>): Promise<webcrypto.CryptoKey> {
  const [der] = x509.PemConverter.decode(keyPem.reveal())
  if (der === undefined) throw new Error('the key of the certificate authority is not in PEM')
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign'])
}
