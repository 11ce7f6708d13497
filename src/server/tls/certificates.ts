/** The certificate of the node, by its settings: from files, from an authority, or none. */
import { servesTls, usesAcme } from './tlsConfig.js'
import { NotRenewed, type CertificateParts, type Certificates, type CertificateStore } from './certificate.js'

/** What reads, judges or asks for certificates is loaded for nodes that serve one. */
export async function createCertificates(parts: CertificateParts, store: CertificateStore): Promise<Certificates> {
  const { config } = parts
  if (usesAcme(config)) return (await import('./fromAcme.js')).certificatesFromAcme(parts, store)
  return servesTls(config) ? (await import('./fromFiles.js')).certificatesFromFiles(parts) : noCertificates
}

const noCertificates: Certificates = {
  isOn: false,
  load: () => Promise.reject(new Error('no certificate is set')),
  follow: () => () => {},
  look: () => Promise.resolve(),
  expiresAt: () => undefined,
  list: () => Promise.resolve([]),
  state: () => Promise.resolve(undefined),
  answerTo: () => undefined,
  renew: () => Promise.reject(new NotRenewed('Certificates are not renewed by this node: a proxy in front of it holds them.')),
}
