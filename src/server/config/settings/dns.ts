/** Settings of the domain of the node, and of the name server that answers for it (accounts supplement 19, 25). */
import * as z from 'zod'
import { ipAddress, NameRecords, RootRecords, Subdomain } from '../dnsRecords.js'
import { listenAddress, objectOf, setting, textLike, whole, yesOrNo } from '../setting.js'

const publicAddress = (version: 4 | 6): ReturnType<typeof textLike> => ({
  reads: 'text',
  form: `an IPv${version} address`,
  schema: ipAddress(version),
})

export const dnsSettings = {
  'dns.domain': setting(textLike(/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'a domain name in lower case'), {
    default: null,
    summary: 'Domain whose host names carry the usernames, when accounts are addressed by host name.',
  }),
  'dns.active': setting(yesOrNo, {
    default: false,
    summary: 'The node is the name server of dns.domain: it answers for accounts, for its own names, and for those of coffer dns set.',
  }),
  'dns.port': setting(whole(0, 65535), {
    default: 53,
    summary: 'Port of the name server, over UDP and TCP. Others ask at 53.',
  }),
  'dns.ip': setting(listenAddress, { default: '0.0.0.0', summary: 'Address at which the name server listens.' }),
  'dns.ip6': setting(listenAddress, { default: null, summary: 'IPv6 address at which the name server listens, too.' }),
  'dns.publicIp': setting(publicAddress(4), {
    default: null,
    summary: 'IPv4 address by which others reach this node; the name server gives it for accounts.',
  }),
  'dns.publicIp6': setting(publicAddress(6), { default: null, summary: 'The same, of IPv6.' }),
  'dns.defaultTTL': setting(whole(0, 604_800, ' of seconds'), {
    default: 300,
    summary: 'Others may keep answers of the name server so many seconds.',
  }),
  'dns.tcpMaxConnections': setting(whole(1, 10_000, ' of connections'), {
    default: 64,
    summary: 'Most connections over TCP that the name server has open at once.',
  }),
  'dns.staticEntries': setting(objectOf('an object of records by subdomain, such as { www = { a = ["192.0.2.1"] } }', z.record(Subdomain, NameRecords)), {
    default: {},
    summary: 'Records of names below dns.domain: a, aaaa, txt or cname. coffer dns set keeps others without a restart.',
  }),
  'dns.records.root': setting(objectOf('an object of records, such as { mx = [{ exchange = "mail.example.org" }] }', RootRecords), {
    default: {},
    summary: 'Records of dns.domain itself: a, aaaa, txt, ns, mx, caa, soa. Without ns, soa or addresses, those of this node.',
  }),
} as const

type Key = keyof typeof dnsSettings | 'dnsLess.isActive'

/** What the name server needs and has not; undefined when nothing is lacking. */
export function dnsLacks(valueOf: (key: Key) => unknown): { key: Key; why: string } | undefined {
  if (valueOf('dns.active') !== true) return undefined
  if ((valueOf('dns.domain') ?? null) === null) return { key: 'dns.domain', why: 'dns.active = true needs dns.domain, the domain to answer for' }
  if (valueOf('dnsLess.isActive') !== false) {
    return { key: 'dnsLess.isActive', why: 'dns.active = true needs dnsLess.isActive = false: names of accounts are host names then' }
  }
  if ((valueOf('dns.publicIp') ?? valueOf('dns.publicIp6') ?? null) === null) {
    return { key: 'dns.publicIp', why: 'dns.active = true needs dns.publicIp (or dns.publicIp6), the address to answer with' }
  }
  return undefined
}
