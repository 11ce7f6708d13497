/** Self-signed placeholder certificate, so that the node can listen before an authority issues one. */
import { webcrypto } from 'node:crypto'
import { Secret } from '../../../store/model/secret.js'
import { loadX509 } from '../../base/x509.js'
import { DAY_MS, TOLERANCE_MS } from '../expiry.js'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Creates a placeholder for host names, valid for 24 hours from `now`, in milliseconds since 1970. */
export async function placeholderFor(names: readonly [string, ...string[]], now: number): Promise<{ cert: string; key: Secret<string> }> {
  const x509 = await loadX509()
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [names[0]] }],
    notBefore: new Date(now - TOLERANCE_MS),
    notAfter: new Date(now + DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))],
  })
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: `${certificate.toString('pem')}\n`, key: new Secret(`${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`) }
}
