/** Settings of the node's domain and of its name server (docs/interface/system.md#dns-records). */
import * as z from 'zod'
import { ipAddress, NameRecords, RootRecords, Subdomain } from '../dnsRecords.js'
import { listenAddress, objectOf, setting, textLike, whole, yesOrNo } from '../setting.js'

const publicAddress = (version: 4 | 6): ReturnType<typeof textLike> => ({
  reads: 'text',
  form: `an IPv${version} address`,
  schema: () => ipAddress(version),
})

export const dnsSettings = {
  'dns.domain': setting(textLike(/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'a domain name in lower case'), {
    default: null,
    summary: 'Domain of the host names that contain usernames, when accounts are addressed by host name.',
  }),
  'dns.active': setting(yesOrNo, {
    default: false,
    summary: 'Run the name server of dns.domain on this node: it answers for accounts, for its own names, and for those of coffer dns set.',
  }),
  'dns.port': setting(whole(0, 65535), {
    default: 53,
    summary: 'Port of the name server, over UDP and TCP. Resolvers query port 53.',
  }),
  'dns.ip': setting(listenAddress, { default: '0.0.0.0', summary: 'Address on which the name server listens.' }),
  'dns.ip6': setting(listenAddress, { default: null, summary: 'Additional IPv6 address on which the name server listens.' }),
  'dns.publicIp': setting(publicAddress(4), {
    default: null,
    summary: 'Public IPv4 address of this node; the name server returns it for accounts.',
  }),
  'dns.publicIp6': setting(publicAddress(6), { default: null, summary: 'Public IPv6 address of this node; the name server returns it for accounts.' }),
  'dns.defaultTTL': setting(whole(0, 604_800, ' of seconds'), {
    default: 300,
    summary: 'TTL of DNS answers, in seconds.',
  }),
  'dns.tcpMaxConnections': setting(whole(1, 10_000, ' of connections'), {
    default: 64,
    summary: 'Maximum number of simultaneous TCP connections to the name server.',
  }),
  'dns.staticEntries': setting(objectOf('an object of records by subdomain, such as { www = { a = ["192.0.2.1"] } }', () => z.record(Subdomain, NameRecords)), {
    default: {},
    summary: 'DNS records of names below dns.domain: a, aaaa, txt or cname. Use coffer dns set to add others without a restart.',
  }),
  'dns.records.root': setting(objectOf('an object of records, such as { mx = [{ exchange = "mail.example.org" }] }', () => RootRecords), {
    default: {},
    summary: 'DNS records of dns.domain itself: a, aaaa, txt, ns, mx, caa, soa. Default for ns, soa and addresses: those of this node.',
  }),
} as const

type Key = keyof typeof dnsSettings | 'dnsLess.isActive'

/** Returns the setting that the name server requires but lacks; undefined when none is missing. */
export function dnsLacks(valueOf: (key: Key) => unknown): { key: Key; why: string } | undefined {
  if (valueOf('dns.active') !== true) return undefined
  if ((valueOf('dns.domain') ?? null) === null) return { key: 'dns.domain', why: 'dns.active = true needs dns.domain, the domain to answer for' }
  if (valueOf('dnsLess.isActive') !== false) {
    return { key: 'dnsLess.isActive', why: 'dns.active = true needs dnsLess.isActive = false, because account names are then host names' }
  }
  if ((valueOf('dns.publicIp') ?? valueOf('dns.publicIp6') ?? null) === null) {
    return { key: 'dns.publicIp', why: 'dns.active = true needs dns.publicIp (or dns.publicIp6), the address to answer with' }
  }
  return undefined
}
