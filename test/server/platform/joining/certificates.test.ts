/** Tests of the certificate authority of a platform. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { createAuthority, issueCertificate, type CertificatePair } from '../../../../src/server/platform/joining/certificates.js'

const DAY_MS = 86_400_000
const now = Date.now()
let authority: CertificatePair
let issued: CertificatePair
beforeAll(async () => {
  authority = await createAuthority('p1', now)
  issued = await issueCertificate(authority, { name: 'core-b', url: 'https://b.example.org:8443/', hosts: ['192.0.2.7', null, '2001:db8::7', undefined] }, now)
})

it('the authority signs certificates, and nothing below them', () => {
  const ca = new X509Certificate(authority.certPem)
  expect(ca.ca).toBe(true)
  expect(ca.verify(ca.publicKey)).toBe(true)
  expect(ca.subject).toContain('CN=coffer platform p1')
  expect(ca.checkPrivateKey(createPrivateKey(authority.keyPem.reveal()))).toBe(true)
  expect(Date.parse(ca.validTo)).toBeGreaterThan(now + 3640 * DAY_MS)
})

it('a certificate has the id of the core as its common name, and its names and addresses', () => {
  const certificate = new X509Certificate(issued.certPem)
  const ca = new X509Certificate(authority.certPem)
  expect(certificate.subject).toBe('CN=core-b')
  expect([certificate.ca, certificate.checkIssued(ca), certificate.verify(ca.publicKey)]).toEqual([false, true, true])
  for (const host of ['core-b', 'b.example.org']) expect(certificate.checkHost(host)).toBe(host)
  expect(certificate.checkHost('core-c')).toBeUndefined()
  for (const ip of ['192.0.2.7', '2001:db8::7']) expect(certificate.checkIP(ip)).toBeDefined()
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  expect(Math.round((Date.parse(certificate.validTo) - now) / DAY_MS)).toBe(90)
  expect(Date.parse(certificate.validFrom)).toBeLessThan(now)
})

it('each certificate has its own key and serial number', async () => {
  const other = await issueCertificate(authority, { name: 'core-b', url: 'http://192.0.2.9:3000/' }, now)
  expect(other.keyPem.reveal()).not.toBe(issued.keyPem.reveal())
  const [a, b] = [new X509Certificate(issued.certPem), new X509Certificate(other.certPem)]
  expect(a.serialNumber).not.toBe(b.serialNumber)
  expect(b.checkIP('192.0.2.9')).toBeDefined()
})

it('serves and authenticates over TLS in both directions', async () => {
  const server = createServer({ cert: issued.certPem, key: issued.keyPem.reveal(), ca: authority.certPem, requestCert: true, rejectUnauthorized: true }, (_, response) => response.end('ok'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const client = await issueCertificate(authority, { name: 'core-a' }, now)
  const call = (ca: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, servername: 'core-b', cert: client.certPem, key: client.keyPem.reveal(), ca, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })
  try {
    expect(await call(authority.certPem)).toBe(200)
    await expect(call((await createAuthority('p2', now)).certPem)).rejects.toThrow()
  } finally {
    server.close()
  }
})
