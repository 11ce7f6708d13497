/** Certificates of a test authority, as PEM. */
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

/** Certificate with its private key. */
export interface Issued {
  cert: string
  key: string
}

/** Names of a certificate, and its validity in milliseconds since 1970. */
export interface Wanted {
  names: readonly string[]
  from?: number
  until?: number
}

export interface Authority {
  /** Certificate that clients must trust. */
  cert: string
  issue(wanted: Wanted): Promise<Issued>
  /** Signs a certificate request of the holder of a key. */
  sign(request: x509.Pkcs10CertificateRequest, wanted: Wanted): Promise<string>
}

const makeKeys = (): Promise<webcrypto.CryptoKeyPair> => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

async function keyText({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', privateKey)
  return `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`
}

export async function createAuthority(name = 'CN=Authority of the tests'): Promise<Authority> {
  const keys = await makeKeys()
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 3650 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  })
  let serial = 1
  async function certificateFor(publicKey: x509.PublicKeyType, { names, from, until }: Wanted): Promise<string> {
    serial += 1
    const made = await x509.X509CertificateGenerator.create({
      serialNumber: serial.toString(16).padStart(4, '0'),
      subject: `CN=${names[0] ?? 'nobody'}`,
      issuer: own.subject,
      notBefore: new Date(from ?? Date.now() - DAY_MS),
      notAfter: new Date(until ?? Date.now() + 90 * DAY_MS),
      signingAlgorithm: ALGORITHM,
      publicKey,
      signingKey: keys.privateKey,
      extensions: [new x509.SubjectAlternativeNameExtension(names.map((each) => ({ type: /^[\d.]+$/.test(each) ? 'ip' : 'dns', value: each })))],
    })
    return `${made.toString('pem')}\n`
  }
  return {
    cert: `${own.toString('pem')}\n`,
    async issue(wanted) {
      const pair = await makeKeys()
      return { cert: await certificateFor(pair.publicKey, wanted), key: await keyText(pair) }
    },
    sign: (request, wanted) => certificateFor(request.publicKey, wanted),
  }
}
