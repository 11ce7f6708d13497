/** Settings of a node that is the name server of a domain, on a free port of this machine. */
export const nameServer = {
  'dnsLess.isActive': false,
  'dns.domain': 'example.org',
  'dns.active': true,
  'dns.port': 0,
  'dns.ip': '127.0.0.1',
  'dns.publicIp': '203.0.113.5',
} as const
