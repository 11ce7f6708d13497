/**
 * Announcements of pairing offers by DNS-based service discovery (RFC 6762, RFC 6763). They name neither node nor account: the
 * instance is random, and the link is sealed. The TXT record has `v=1`, the salt in `s`, and the sealed link in `l0`, `l1` …,
 * since a string of such a record holds 255 bytes.
 */
import type { Answer, DecodedPacket, Packet } from 'dns-packet'
import { MAX_SEALED_BYTES, SALT_BYTES, type SealedLink } from './sealedLink.js'

export interface Announcement extends SealedLink {
  /** Random name: 16 small letters and digits. */
  instance: string
}

const SERVICE = '_coffer-pair._tcp.local'
const INSTANCE = /^[0-9a-z]{16}$/
const VERSION = 'v=1'
/** Bytes of the sealed link for each string of the TXT record. */
const PART_BYTES = 240
const MAX_PARTS = Math.ceil(MAX_SEALED_BYTES / PART_BYTES)
/** Records of one packet that are read. */
const MAX_RECORDS = 32
/** Marks an answer as the whole set of records of its name (RFC 6762, 10.2). */
const UNIQUE = true

/** Creates the question for all announcements. */
export const announcementQuery = (): Packet => ({ type: 'query', questions: [{ name: SERVICE, type: 'PTR' }] })

/** Checks whether a packet asks for announcements. */
export const asksForAnnouncements = ({ type, questions = [] }: DecodedPacket): boolean =>
  type === 'query' && questions.slice(0, MAX_RECORDS).some((one) => one.name.toLowerCase() === SERVICE && ['PTR', 'ANY'].includes(one.type))

/**
 * Creates the packet of an announcement.
 * @param port port of the node
 * @param ttl seconds for which others may keep it; 0 withdraws it
 */
export function announcementPacket({ instance, salt, sealed }: Announcement, port: number, ttl: number): Packet {
  const name = `${instance}.${SERVICE}`
  const parts = Array.from({ length: Math.ceil(sealed.length / PART_BYTES) }, (_, at) => sealed.subarray(at * PART_BYTES, (at + 1) * PART_BYTES))
  const data = [Buffer.from(VERSION), keyed('s', salt), ...parts.map((part, at) => keyed(`l${at}`, part))]
  const answers: Answer[] = [
    { name: SERVICE, type: 'PTR', ttl, data: name },
    { name, type: 'SRV', ttl, flush: UNIQUE, data: { port, target: `${instance}.local`, priority: 0, weight: 0 } },
    { name, type: 'TXT', ttl, flush: UNIQUE, data },
  ]
  return { type: 'response', flags: AUTHORITATIVE, answers }
}

/** Bit AA of the flags of a packet (RFC 6762, 18.4). */
const AUTHORITATIVE = 1 << 10

/** Returns the announcements in a packet, without those that are withdrawn or malformed. */
export function announcementsIn({ type, answers = [], additionals = [] }: DecodedPacket): Announcement[] {
  if (type !== 'response') return []
  return [...answers, ...additionals].slice(0, MAX_RECORDS).flatMap((record) => {
    if (record.type !== 'TXT' || record.ttl === 0) return []
    const instance = instanceOf(record.name)
    const link = instance === undefined ? undefined : sealedLinkIn(record.data)
    return instance === undefined || link === undefined ? [] : [{ instance, ...link }]
  })
}

function instanceOf(name: string): string | undefined {
  const lower = name.toLowerCase()
  const instance = lower.slice(0, -SERVICE.length - 1)
  return lower === `${instance}.${SERVICE}` && INSTANCE.test(instance) ? instance : undefined
}

function sealedLinkIn(data: unknown): SealedLink | undefined {
  const strings: unknown[] = Array.isArray(data) ? data : []
  if (strings.length > MAX_PARTS + 2 || !strings.every((each) => Buffer.isBuffer(each))) return undefined
  const [version, salt, ...parts] = strings
  if (version?.toString('latin1') !== VERSION || salt === undefined) return undefined
  const saltBytes = valueOf('s', salt)
  const sealed = parts.map((part, at) => valueOf(`l${at}`, part))
  if (saltBytes?.length !== SALT_BYTES || !sealed.every((part) => part !== undefined)) return undefined
  const whole = Buffer.concat(sealed)
  return whole.length === 0 || whole.length > MAX_SEALED_BYTES ? undefined : { salt: saltBytes, sealed: whole }
}

const keyed = (key: string, value: Uint8Array): Buffer => Buffer.concat([Buffer.from(`${key}=`), value])

function valueOf(key: string, string: Buffer): Buffer | undefined {
  const begin = `${key}=`
  return string.subarray(0, begin.length).toString('latin1') === begin ? string.subarray(begin.length) : undefined
}
