/** Selects the source of the node's certificate by its settings: files, an authority, or none. */
import { servesTls, usesAcme } from '../config/tlsConfig.js'
import { NotRenewed, type CertificateParts, type Certificates, type CertificateStore } from './certificate.js'

/** Creates the certificate source. Its code is loaded only for nodes that serve HTTPS. */
export async function createCertificates(parts: CertificateParts, store: CertificateStore): Promise<Certificates> {
  const { config } = parts
  if (usesAcme(config)) return (await import('./fromAcme.js')).certificatesFromAcme(parts, store)
  return servesTls(config) ? (await import('./fromFiles.js')).certificatesFromFiles(parts) : noCertificates
}

const noCertificates: Certificates = {
  isOn: false,
  load: () => Promise.reject(new Error('no certificate is configured')),
  follow: () => () => {},
  check: () => Promise.resolve(),
  expiresAt: () => undefined,
  list: () => Promise.resolve([]),
  state: () => Promise.resolve(undefined),
  answerTo: () => undefined,
  renew: () => Promise.reject(new NotRenewed('This node has no certificate to renew: the proxy in front of it manages certificates.')),
}
