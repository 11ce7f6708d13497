/** Settings of certificates that the node obtains and renews by ACME (docs/interface/system.md#certificates). */
import { isIP } from 'node:net'
import { setting, textLike, webAddress, whole, yesOrNo } from '../setting.js'

export const letsEncryptSettings = {
  'letsEncrypt.enabled': setting(yesOrNo, {
    default: false,
    summary:
      'Obtain and renew a certificate by ACME for the host of core.url or dnsLess.publicUrl, or for dns.domain and all names below it, and serve HTTPS; ' +
      'true accepts the terms of service of the certificate authority.',
  }),
  'letsEncrypt.email': setting(textLike(/^[^\s@]+@[^\s@]+$/, 'an e-mail address'), {
    default: null,
    summary: 'Contact address given to the certificate authority.',
  }),
  'letsEncrypt.renewBeforeDays': setting(whole(1, 365, ' of days'), {
    default: 30,
    summary: 'Days before expiry when a certificate is renewed.',
  }),
  'letsEncrypt.staging': setting(yesOrNo, {
    default: false,
    summary: 'Use the staging environment of the certificate authority, whose certificates browsers do not trust.',
  }),
  'letsEncrypt.directoryUrl': setting(webAddress, {
    default: null,
    summary: "ACME directory of the certificate authority; default: Let's Encrypt.",
  }),
  'letsEncrypt.certRenewer': setting(yesOrNo, {
    default: null,
    summary:
      'On a platform of several cores with dns.active: whether this core renews the certificate for all; true on one core, false on the others. Default: the cores agree on one.',
  }),
  'letsEncrypt.onRotateScript': setting(textLike(/^\//, 'an absolute path'), {
    default: null,
    summary:
      'Program to run after a new certificate is issued, with COFFER_CERT_HOSTNAME, COFFER_CERT_PATH and COFFER_CERT_KEYPATH; the files exist only while it runs.',
  }),
} as const

type Key = keyof typeof letsEncryptSettings | 'core.url' | 'dns.active' | 'dnsLess.isActive' | 'dnsLess.publicUrl' | 'http.ssl.certFile'

/** Returns the reason why these settings are inconsistent; undefined when they are consistent. */
export function letsEncryptLacks(valueOf: (key: Key) => unknown): { key: Key; why: string } | undefined {
  if (valueOf('letsEncrypt.enabled') !== true) return undefined
  if ((valueOf('http.ssl.certFile') ?? null) !== null) return { key: 'letsEncrypt.enabled', why: 'letsEncrypt.enabled and http.ssl.certFile are mutually exclusive' }
  if (valueOf('dnsLess.isActive') === false) {
    if (valueOf('dns.active') === true || valueOf('letsEncrypt.certRenewer') === false || isPublicUrl(valueOf('core.url'))) return undefined
    return {
      key: 'dns.active',
      why: 'letsEncrypt.enabled validates *.{domain} through the name server of the node: with dnsLess.isActive = false it needs dns.active = true, or a core.url with a host name of its own. Alternatively, set http.ssl.certFile and http.ssl.keyFile',
    }
  }
  if (isPublicUrl(valueOf('core.url') ?? valueOf('dnsLess.publicUrl'))) return undefined
  return { key: 'dnsLess.publicUrl', why: 'letsEncrypt.enabled needs dnsLess.publicUrl with a public host name, such as https://node.example.org' }
}

/** Checks whether an address is an HTTPS URL with a host name for which authorities issue certificates. */
function isPublicUrl(address: unknown): boolean {
  const url = typeof address === 'string' ? new URL(address) : undefined
  return url?.protocol === 'https:' && url.hostname.includes('.') && isIP(url.hostname) === 0
}
