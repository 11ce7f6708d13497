/** Settings of a platform of several cores, and of this core on it (docs/platform.md). */
import * as z from 'zod'
import { ipAddress } from '../dnsRecords.js'
import { listOf, oneOf, setting, text, textLike, webAddress, yesOrNo } from '../setting.js'

/** Id of the only core of a platform. */
export const SINGLE = 'single'

/** Form of the ids of cores, which are host labels. */
export const CORE_ID_FORM = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Form of the ids of platforms. */
export const PLATFORM_ID_FORM = /^[a-z0-9]{8,32}$/

/** An address of an etcd member: `https://10.0.0.1:2379`. */
const Endpoint = z.string().refine((value) => {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return false
  const { pathname, search, hash, username } = new URL(value)
  return pathname === '/' && search === '' && hash === '' && username === ''
})

const addressOf = (version: 4 | 6): ReturnType<typeof textLike> => ({ reads: 'text', form: `an IPv${version} address`, schema: () => ipAddress(version) })

export const platformSettings = {
  'core.id': setting(textLike(CORE_ID_FORM, 'a host label in lower case'), {
    default: SINGLE,
    summary: 'Id of this core on its platform, unique among the cores; the default is for a platform of one core.',
  }),
  'core.url': setting(webAddress, {
    default: null,
    summary: 'Public address of this core, as other cores and apps use it; default: https://{core.id}.{dns.domain} on a platform of several cores.',
  }),
  'core.ip': setting(addressOf(4), { default: null, summary: 'Public IPv4 address of this core for the name servers of the platform; default: dns.publicIp.' }),
  'core.ipv6': setting(addressOf(6), { default: null, summary: 'Public IPv6 address of this core for the name servers of the platform; default: dns.publicIp6.' }),
  'core.cname': setting(textLike(/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'a host name in lower case'), {
    default: null,
    summary: 'Host name that the name servers of the platform answer for this core, in place of its addresses.',
  }),
  'core.available': setting(yesOrNo, { default: true, summary: 'Let new accounts be created on this core; accounts that it has are served in any case.' }),
  'platform.id': setting(textLike(PLATFORM_ID_FORM, 'the id of a platform'), {
    default: null,
    summary: 'Id of the platform that this core belongs to; set by coffer platform init and coffer cores join.',
  }),
  'platform.etcd': setting(listOf(() => Endpoint, 'addresses of etcd members, such as https://10.0.0.1:2379'), {
    default: [],
    summary: 'Members of the etcd cluster that holds what the cores of a platform share; without them, this node is a platform of one core.',
  }),
  'platform.etcdCa': setting(text('a file'), { default: null, summary: 'File with the certificate authority of the etcd members, in PEM.' }),
  'platform.etcdCert': setting(text('a file'), { default: null, summary: 'File with the certificate by which this core identifies itself to etcd, in PEM.' }),
  'platform.etcdKey': setting(text('a file'), { default: null, summary: 'File with the private key of platform.etcdCert, in PEM.' }),
  'platform.url': setting(webAddress, {
    default: null,
    summary: 'Public address in front of all cores, for registration and sign-in, when accounts are addressed by path; default: the address of each core.',
  }),
  'platform.piiMode': setting(oneOf('hashed', 'clear'), {
    default: 'hashed',
    summary: 'Form of user names and unique values in etcd: keyed hashes, or the values themselves, which lets every core answer with user names.',
  }),
} as const

/** Settings that must be equal on all cores of a platform. */
export const SHARED_SETTINGS = [
  'auth.adminAccessKey',
  'auth.filesReadTokenSecret',
  'dns.domain',
  'dnsLess.isActive',
  'platform.piiMode',
  'platform.url',
  'service.name',
  'service.serial',
  'service.home',
  'service.support',
  'service.terms',
  'service.eventTypes',
  'custom.systemStreams.account',
  'invitationTokens',
] as const

type Key = keyof typeof platformSettings | (typeof SHARED_SETTINGS)[number]

/** Settings that several cores require, because each core would otherwise choose its own. */
const REQUIRED = ['platform.id', 'auth.adminAccessKey', 'auth.filesReadTokenSecret', 'service.name', 'service.serial', 'service.home', 'service.support', 'service.terms', 'service.eventTypes'] as const

/** Returns the setting that a platform of several cores requires but lacks; undefined when none is missing. */
export function platformLacks(valueOf: (key: Key) => unknown): { key: Key; why: string } | undefined {
  const members = valueOf('platform.etcd')
  if (!Array.isArray(members) || members.length === 0) return undefined
  if (valueOf('core.id') === SINGLE) return { key: 'core.id', why: `platform.etcd needs a core.id other than "${SINGLE}", unique among the cores` }
  const missing = REQUIRED.find((key) => (valueOf(key) ?? null) === null)
  if (missing !== undefined) return { key: missing, why: `platform.etcd needs ${missing}, with the same value on every core` }
  if ((valueOf('core.url') ?? null) === null && ((valueOf('dns.domain') ?? null) === null || valueOf('dnsLess.isActive') !== false)) {
    return { key: 'core.url', why: 'platform.etcd needs core.url, the public address of this core, unless accounts are addressed by host name' }
  }
  const isTls = members.some((member) => String(member).startsWith('https:'))
  const tls = (['platform.etcdCert', 'platform.etcdKey'] as const).filter((key) => (valueOf(key) ?? null) !== null)
  if (isTls && tls.length === 1) return { key: tls[0] === 'platform.etcdCert' ? 'platform.etcdKey' : 'platform.etcdCert', why: 'platform.etcdCert and platform.etcdKey belong together' }
  return undefined
}
