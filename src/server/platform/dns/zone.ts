/**
 * Answers DNS questions from the records of the zone; pure except for account lookups (docs/interface/system.md#dns-records; RFC
 * 1034, RFC 2308).
 */
import type { Answer as Resource, Question, SoaData } from 'dns-packet'
import type { NameRecords, RootRecords } from '../../config/dnsRecords.js'
import { SERVICE_NAMES } from './names.js'
import type { Places } from './places.js'

export interface ZoneParts {
  /** In lower case, without a trailing dot. */
  domain: string
  /** Seconds. */
  ttl: number
  root: RootRecords
  places: Places
  /** Returns the operator's records of a name in lower case. */
  recordsOf(subdomain: string): NameRecords | undefined
  /** Checks whether the operator set records below a name. */
  hasBelow(subdomain: string): boolean
  /** Serial number of the zone; increases with each change of the records. */
  serial(): number
}

/** The answer to a question. `authoritative` is false outside of the domain. */
export interface ZoneReply {
  code: 'NOERROR' | 'NXDOMAIN' | 'REFUSED'
  authoritative: boolean
  answers: Resource[]
  authorities: Resource[]
}

export type Zone = (question: Question) => Promise<ZoneReply>

const USERNAME = /^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$/
/** SOA timers in seconds: refresh, retry and expiry of secondary servers. */
const SOA_TIMES = { refresh: 3600, retry: 600, expire: 604_800 }
/** Maximum length of a character string (RFC 1035, 3.3.14). */
const TEXT_BYTES = 255

/** Answer for names outside of the zone. */
export const refused: ZoneReply = { code: 'REFUSED', authoritative: false, answers: [], authorities: [] }

export function createZone(parts: ZoneParts): Zone {
  const { domain, ttl, root, places } = parts
  const apexOf = (): RootRecords => ({
    ...(root.a === undefined && root.aaaa === undefined ? places.here() : {}),
    ns: places.nameServers().map((name) => `${name}.${domain}`),
    ...root,
  })

  const soa = (): Resource => {
    const { primary = apexOf().ns?.[0] ?? domain, admin = `hostmaster.${domain}`, serial = parts.serial(), refresh, retry, expiration, minimum = ttl } = root.soa ?? {}
    const data: Required<SoaData> = {
      ...SOA_TIMES,
      mname: bare(primary),
      rname: bare(admin),
      serial,
      minimum,
      ...(refresh === undefined ? {} : { refresh }),
      ...(retry === undefined ? {} : { retry }),
      ...(expiration === undefined ? {} : { expire: expiration }),
    }
    return { type: 'SOA', name: domain, ttl: Math.min(ttl, minimum), class: 'IN', data }
  }

  /** Returns the records of a name; undefined for unknown names. */
  async function recordsAt(subdomain: string): Promise<RootRecords & NameRecords | undefined> {
    if (subdomain === '') return apexOf()
    if (SERVICE_NAMES.has(subdomain)) return places.service(subdomain)
    const given = parts.recordsOf(subdomain)
    if (given !== undefined) return given
    const core = places.core(subdomain)
    if (core !== undefined) return core
    const account = USERNAME.test(subdomain) ? await places.account(subdomain) : undefined
    if (account !== undefined) return account
    return parts.hasBelow(subdomain) ? {} : undefined
  }

  return async ({ name, type, class: kind = 'IN' }) => {
    const input = name.toLowerCase()
    const isOurs = input === domain || input.endsWith(`.${domain}`)
    if (!isOurs || kind !== 'IN') return refused
    const subdomain = input === domain ? '' : input.slice(0, -domain.length - 1)
    const records = await recordsAt(subdomain)
    if (records === undefined) return { code: 'NXDOMAIN', authoritative: true, answers: [], authorities: [soa()] }
    // Questions for ANY get a minimal answer (RFC 8482).
    if ((type as string) === 'ANY') return { code: 'NOERROR', authoritative: true, answers: [{ type: 'HINFO', name, ttl, data: { cpu: 'RFC8482', os: '' } }], authorities: [] }
    const answers: Resource[] = type === 'SOA' && subdomain === '' ? [soa()] : resources(records, { name, type, ttl })
    return { code: 'NOERROR', authoritative: true, answers, authorities: answers.length === 0 ? [soa()] : [] }
  }
}

const bare = (name: string): string => name.replace(/\.$/, '')

/** Returns the records of a name that answer a question type. */
function resources({ a = [], aaaa = [], txt = [], ns = [], mx = [], caa = [], cname }: RootRecords & NameRecords, { name, type, ttl }: { name: string; type: string; ttl: number }): Resource[] {
  const about = { name, ttl, class: 'IN' } as const
  if (cname !== undefined) return [{ ...about, type: 'CNAME', data: bare(cname) }]
  if (type === 'A') return a.map((data) => ({ ...about, type, data }))
  if (type === 'AAAA') return aaaa.map((data) => ({ ...about, type, data }))
  if (type === 'TXT') return txt.map((text) => ({ ...about, type, data: partsOf(text) }))
  if (type === 'NS') return ns.map((data) => ({ ...about, type, data: bare(data) }))
  if (type === 'MX') return mx.map(({ exchange, priority }) => ({ ...about, type, data: { exchange: bare(exchange), preference: priority } }))
  if (type === 'CAA') return caa.map(({ flags, tag, value }) => ({ ...about, type, data: { flags, tag, value, issuerCritical: (flags & 0x80) !== 0 } }))
  return []
}

/** Splits a text into character strings of a TXT record. */
function partsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length || parts.length === 0; at += TEXT_BYTES) parts.push(bytes.subarray(at, at + TEXT_BYTES))
  return parts
}
