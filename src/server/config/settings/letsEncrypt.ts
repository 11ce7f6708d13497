/** Settings of certificates that the node gets and renews itself, by ACME (accounts supplement 20). */
import { isIP } from 'node:net'
import { setting, textLike, webAddress, whole, yesOrNo } from '../setting.js'

export const letsEncryptSettings = {
  'letsEncrypt.enabled': setting(yesOrNo, {
    default: false,
    summary:
      'The node gets a certificate for the host of dnsLess.publicUrl, or for dns.domain and all names below it, from an authority that speaks ACME, renews it, and serves HTTPS; ' +
      'true agrees to the terms of that authority.',
  }),
  'letsEncrypt.email': setting(textLike(/^[^\s@]+@[^\s@]+$/, 'an e-mail address'), {
    default: null,
    summary: 'Address to which the authority may write.',
  }),
  'letsEncrypt.renewBeforeDays': setting(whole(1, 365, ' of days'), {
    default: 30,
    summary: 'A certificate is renewed so many days before it expires.',
  }),
  'letsEncrypt.staging': setting(yesOrNo, {
    default: false,
    summary: "Use the authority's environment for trials, whose certificates nobody trusts.",
  }),
  'letsEncrypt.directoryUrl': setting(webAddress, {
    default: null,
    summary: "The ACME directory of the authority; without it, that of Let's Encrypt.",
  }),
  'letsEncrypt.onRotateScript': setting(textLike(/^\//, 'an absolute path'), {
    default: null,
    summary:
      'Program that is run when there is a new certificate, with COFFER_CERT_HOSTNAME, COFFER_CERT_PATH and COFFER_CERT_KEYPATH; the files are there while it runs.',
  }),
} as const

type Key = keyof typeof letsEncryptSettings | 'dns.active' | 'dnsLess.isActive' | 'dnsLess.publicUrl' | 'http.ssl.certFile'

/** Why these settings do not go together; undefined when they do. */
export function letsEncryptLacks(valueOf: (key: Key) => unknown): { key: Key; why: string } | undefined {
  if (valueOf('letsEncrypt.enabled') !== true) return undefined
  if ((valueOf('http.ssl.certFile') ?? null) !== null) return { key: 'letsEncrypt.enabled', why: 'letsEncrypt.enabled and http.ssl.certFile exclude each other' }
  if (valueOf('dnsLess.isActive') === false) {
    if (valueOf('dns.active') === true) return undefined
    return {
      key: 'dns.active',
      why: 'letsEncrypt.enabled proves *.{domain} by the name server of the node: with dnsLess.isActive = false it needs dns.active = true, or give the node files (http.ssl.certFile)',
    }
  }
  const address = valueOf('dnsLess.publicUrl')
  const url = typeof address === 'string' ? new URL(address) : undefined
  if (url?.protocol === 'https:' && url.hostname.includes('.') && isIP(url.hostname) === 0) return undefined
  return { key: 'dnsLess.publicUrl', why: 'letsEncrypt.enabled needs dnsLess.publicUrl with a host name that is known on the internet, such as https://node.example.org' }
}
