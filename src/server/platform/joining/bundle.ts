/**
 * Join bundle: what a new core needs to join a platform. Version 4 replaces the members of rqlite, which earlier versions of the
 * interface had, by those of etcd, adds the shared settings, and has no key for certificates at rest, since cores seal these with
 * the platform key. Contains secrets, so it is only written encrypted (envelope.ts).
 */
import * as z from 'zod'
import { checkInput } from '../../../store/model/validation.js'
import { readValue } from '../../config/readValue.js'
import { CORE_ID_FORM, PLATFORM_ID_FORM, SHARED_SETTINGS } from '../../config/settings/platform.js'
import type { Secret } from '../../../store/model/secret.js'
import { BundleError } from './bundleError.js'
import { openEnvelope, sealEnvelope } from './envelope.js'

export const BUNDLE_VERSION = 4

const Address = z.string().max(2000).refine((value) => /^https?:\/\//.test(value) && URL.canParse(value))
const certificate = z.string().max(20_000).regex(/^-----BEGIN CERTIFICATE-----\n/)
const privateKey = z.string().max(20_000).regex(/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n/)
const sharedKey = z.string().min(1).max(1000)

/** Shared settings that the bundle carries as secrets, beside `settings`. */
const SECRET_SETTINGS = ['auth.adminAccessKey', 'auth.filesReadTokenSecret'] as const
const PLAIN_SETTINGS = SHARED_SETTINGS.filter((key) => !SECRET_SETTINGS.some((secret) => secret === key))

export const Bundle = z.strictObject({
  version: z.literal(BUNDLE_VERSION),
  issuedAt: z.iso.datetime(),
  /** Version of coffer on the issuing core. */
  product: z.string().min(1).max(50),
  cluster: z.strictObject({
    domain: z.string().max(253).nullable(),
    ackUrl: Address,
    joinToken: z.string().min(16).max(200),
    ca: z.strictObject({ certPem: certificate }),
  }),
  node: z.strictObject({
    id: z.string().regex(CORE_ID_FORM),
    ip: z.ipv4().nullable(),
    ipv6: z.ipv6().nullable(),
    hosting: z.string().max(200).nullable(),
    url: Address.nullable(),
    certPem: certificate,
    keyPem: privateKey,
  }),
  platformSecrets: z.strictObject({
    auth: z.strictObject({ adminAccessKey: sharedKey, filesReadTokenSecret: sharedKey }),
    platform: z.strictObject({ id: z.string().regex(PLATFORM_ID_FORM), key: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }),
  }),
  /** Certificates are null where etcd is reached without TLS. */
  etcd: z.strictObject({
    endpoints: z.array(Address).min(1).max(20),
    caPem: certificate.nullable(),
    certPem: certificate.nullable(),
    keyPem: privateKey.nullable(),
  }),
  /** Values of the shared settings, by name; null for the default. */
  settings: z.partialRecord(z.enum(PLAIN_SETTINGS as [string, ...string[]]), z.unknown()),
})
export type Bundle = z.output<typeof Bundle>

/** Encrypts a bundle as an armoured text. @throws BundleError `invalid` for one that could not be read back */
export async function encryptBundle(bundle: Bundle, passphrase: Secret<string>): Promise<string> {
  const text = JSON.stringify(bundle)
  parseBundle(text)
  return sealEnvelope(text, bundle.node.id, passphrase)
}

/**
 * Decrypts and validates a bundle file.
 * @throws BundleError
 */
export async function decryptBundle(file: string, passphrase: Secret<string>): Promise<Bundle> {
  return parseBundle(await openEnvelope(file, passphrase))
}

/** Parses the decrypted text of a bundle. @throws BundleError `too-new`, `too-old`, `invalid` with the first invalid members */
export function parseBundle(text: string): Bundle {
  const value = jsonOf(text)
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
  if (typeof version === 'number' && version > BUNDLE_VERSION) throw new BundleError('too-new')
  if (typeof version === 'number' && version < BUNDLE_VERSION) throw new BundleError('too-old')
  const checked = checkInput(Bundle, value)
  // Only names of members: their values are secrets.
  if (!checked.success) throw new BundleError('invalid', checked.issues.slice(0, 3).map(({ path }) => path.join('.') || 'the whole content').join(', '))
  for (const [key, setting] of Object.entries(checked.data.settings)) {
    if (setting !== null && 'wrong' in readValue(key as (typeof SHARED_SETTINGS)[number], setting)) throw new BundleError('invalid', `settings.${key}`)
  }
  const { etcd } = checked.data
  if ((etcd.certPem === null) !== (etcd.keyPem === null)) throw new BundleError('invalid', 'etcd.keyPem')
  return checked.data
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BundleError('invalid', 'it is not JSON')
  }
}

/** Returns the shared settings for a bundle, without its secrets; `valueOf` reads a setting of the issuing core. */
export const sharedSettings = (valueOf: (key: (typeof SHARED_SETTINGS)[number]) => unknown): Record<string, unknown> =>
  Object.fromEntries(PLAIN_SETTINGS.map((key) => [key, valueOf(key) ?? null]))

/**
 * Returns the settings of the core that a bundle is for, by name; null removes one from the file.
 * @param files paths of the files with the certificates, which the command line writes
 */
export function settingsOfBundle({ node, platformSecrets, etcd, settings }: Bundle, files: { etcdCa: string; etcdCert: string; etcdKey: string }): Record<string, unknown> {
  const { auth, platform } = platformSecrets
  return {
    ...settings,
    'auth.adminAccessKey': auth.adminAccessKey,
    'auth.filesReadTokenSecret': auth.filesReadTokenSecret,
    'core.id': node.id,
    'core.url': node.url,
    'core.ip': node.ip,
    'core.ipv6': node.ipv6,
    'core.hosting': node.hosting,
    'platform.id': platform.id,
    'platform.etcdCa': etcd.caPem === null ? null : files.etcdCa,
    'platform.etcdCert': etcd.certPem === null ? null : files.etcdCert,
    'platform.etcdKey': etcd.keyPem === null ? null : files.etcdKey,
    // Last, because the members make a node a core.
    'platform.etcd': etcd.endpoints,
  }
}
