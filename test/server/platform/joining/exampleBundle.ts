/** A valid join bundle. */
import { createAuthority, issueCertificate } from '../../../../src/server/platform/joining/certificates.js'
import type { Bundle } from '../../../../src/server/platform/joining/bundle.js'

export async function exampleBundle(more: { ackUrl?: string; endpoints?: string[] } = {}): Promise<Bundle> {
  const authority = await createAuthority('p1234567', Date.now())
  const [node, etcd] = [await issueCertificate(authority, { name: 'core-b' }, Date.now()), await issueCertificate(authority, { name: 'core-b' }, Date.now())]
  const { ackUrl = 'https://a.example.org/system/admin/cores/ack', endpoints = ['https://10.0.0.1:2379'] } = more
  const isTls = endpoints.some((endpoint) => endpoint.startsWith('https:'))
  return {
    version: 4,
    issuedAt: '2026-01-01T00:00:00.000Z',
    product: '0.1.0',
    cluster: { domain: null, ackUrl, joinToken: 'kq3Vb0yGx1cPp9d2mT7uJfZs5wLh8nRe4aXi6oCv_Qk', ca: { certPem: authority.certPem } },
    node: { id: 'core-b', ip: '192.0.2.7', ipv6: null, hosting: null, url: 'https://b.example.org/', certPem: node.certPem, keyPem: node.keyPem.reveal() },
    platformSecrets: {
      auth: { adminAccessKey: 'the-admin-key-of-all-cores', filesReadTokenSecret: 'the-secret-of-read-tokens' },
      platform: { id: 'p1234567', key: Buffer.alloc(32, 7).toString('base64url') },
    },
    etcd: { endpoints, caPem: isTls ? authority.certPem : null, certPem: isTls ? etcd.certPem : null, keyPem: isTls ? etcd.keyPem.reveal() : null },
    settings: {
      'dns.domain': null,
      'dnsLess.isActive': true,
      'platform.piiMode': 'hashed',
      'platform.url': null,
      'service.name': 'Example',
      'service.serial': 's1',
      'service.home': 'https://example.org/',
      'service.support': 'https://example.org/',
      'service.terms': 'https://example.org/',
      'service.eventTypes': 'https://example.org/types.json',
      'custom.systemStreams.account': null,
      invitationTokens: null,
    },
  }
}
