/**
 * Schemas of the DNS records of the node's domain, in settings and in operator commands (docs/interface/system.md#dns-records).
 */
import { isIP } from 'node:net'
import * as z from 'zod'

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(`^(${LABEL}\\.)*${LABEL}\\.?$`, 'i')

/** A fully qualified domain name, with or without the final dot. */
const domainName = z.string().max(253).regex(NAME)

const some = <T extends z.ZodType>(item: T): z.ZodOptional<z.ZodArray<T>> => z.array(item).min(1).max(100).optional()

/** An IP address. Described by a format name in JSON schemas, since a pattern would not be readable. */
export const ipAddress = (version: 4 | 6): z.ZodString =>
  z.string().refine((value) => isIP(value) === version, { error: `Invalid IPv${version} address` }).meta({ format: `ipv${version}` })

const addresses = {
  a: some(ipAddress(4)).describe('IPv4 addresses (A records).'),
  aaaa: some(ipAddress(6)).describe('IPv6 addresses (AAAA records).'),
}
const texts = { txt: some(z.string().max(4000)).describe('Texts (TXT records).') }

/** Records of a name below the domain: at least one. A name with a CNAME has no other records (RFC 1034, 3.6.2). */
export const NameRecords = z
  .strictObject({
    ...addresses,
    ...texts,
    cname: domainName.optional().describe('Canonical name (CNAME record); excludes all other records.'),
  })
  .refine((records) => Object.values(records).some((value) => value !== undefined), { error: 'At least one record is needed.' })
  .refine(({ cname, ...others }) => cname === undefined || Object.values(others).every((value) => value === undefined), {
    error: 'A name with a CNAME has no other records.',
  })

/** Seconds. */
const seconds = z.number().int().min(0).max(2_147_483_647)

/** Records of the domain itself. */
export const RootRecords = z.strictObject({
  ...addresses,
  ...texts,
  ns: some(domainName).describe('Name servers (NS records).'),
  mx: some(z.strictObject({
    exchange: domainName.describe('Host name of the mail server.'),
    priority: z.number().int().min(0).max(65_535).default(10).describe('Priority; lower values come first.'),
  })).describe('Mail servers (MX records).'),
  caa: some(z.strictObject({
    flags: z.number().int().min(0).max(255).default(0).describe('Flags.'),
    tag: z.enum(['issue', 'issuewild', 'iodef']).describe('issue, issuewild or iodef.'),
    value: z.string().max(1000).describe('Value of the tag.'),
  })).describe('Certificate authorities (CAA records).'),
  soa: z
    .strictObject({
      primary: domainName.describe('Primary name server.'),
      admin: domainName.describe('E-mail address of the administrator, with a dot in place of the @.'),
      serial: z.number().int().min(0).max(4_294_967_295).optional().describe('Serial number.'),
      refresh: seconds.optional().describe('Seconds between refreshes.'),
      retry: seconds.optional().describe('Seconds between retries.'),
      expiration: seconds.optional().describe('Seconds until a copy expires.'),
      minimum: seconds.optional().describe('Lifetime of negative answers in seconds.'),
    })
    .optional()
    .describe('Start of authority (SOA record).'),
})

export type NameRecords = z.output<typeof NameRecords>
export type RootRecords = z.output<typeof RootRecords>

/** One or more labels below the domain: `www`, `_dmarc.mail`. */
export const Subdomain = z
  .string()
  .max(200)
  .regex(new RegExp(`^(${LABEL}\\.)*${LABEL}$`, 'i'))
  .transform((name) => name.toLowerCase())
