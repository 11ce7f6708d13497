/** Settings of the built-in HTTPS server. */
import { setting, textLike, whole } from '../setting.js'

const path = textLike(/^\//, 'an absolute path')

export const tlsSettings = {
  'http.ssl.certFile': setting(path, {
    default: null,
    summary: 'PEM file of the certificate followed by its chain; with http.ssl.keyFile, the node serves HTTPS itself.',
  }),
  'http.ssl.keyFile': setting(path, {
    default: null,
    summary: 'PEM file of the private key of the certificate, without a passphrase.',
  }),
  'http.ssl.redirectPort': setting(whole(0, 65535), {
    default: null,
    summary: 'Port on which plain HTTP requests are redirected to HTTPS; default: none, or 80 with letsEncrypt.enabled unless the name server answers the challenge (dns.active).',
  }),
} as const

type Key = keyof typeof tlsSettings

/** Returns the missing setting that another one requires; undefined when none is missing. */
export function tlsLacks(valueOf: (key: Key | 'letsEncrypt.enabled') => unknown): { key: Key; for: Key; why: string } | undefined {
  const has = (key: Key): boolean => (valueOf(key) ?? null) !== null
  const pair = ['http.ssl.certFile', 'http.ssl.keyFile'] as const
  const given = pair.find(has)
  const lacking = [...pair].reverse().find((key) => !has(key))
  if (given !== undefined && lacking !== undefined) return { key: lacking, for: given, why: `${given} has no effect without ${lacking}` }
  if (given === undefined && has('http.ssl.redirectPort') && valueOf('letsEncrypt.enabled') !== true) {
    return { key: 'http.ssl.certFile', for: 'http.ssl.redirectPort', why: 'http.ssl.redirectPort redirects to HTTPS, which needs http.ssl.certFile and http.ssl.keyFile, or letsEncrypt.enabled' }
  }
  return undefined
}
