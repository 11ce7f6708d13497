/** HTTPS configuration of the node, derived from its settings. */
import type { Config } from './config.js'

/** Checks whether an authority issues the node's certificate. */
export const usesAcme = (config: Config): boolean => config.get('letsEncrypt.enabled')

/** Checks whether the node serves HTTPS itself. */
export const servesTls = (config: Config): boolean => usesAcme(config) || config.get('http.ssl.certFile') !== null

/** Checks whether ACME challenges use DNS records of the node's name server instead of the plain HTTP port. */
export const usesDnsChallenge = (config: Config): boolean => usesAcme(config) && config.get('dns.active')

/**
 * Returns the names of the certificate that an authority issues: the domain and all names below it, validated by the name server
 * of this core or of the one that renews the certificate; otherwise the host of this core.
 */
export function certificateNames(config: Config): readonly [string, ...string[]] {
  const domain = config.get('dnsLess.isActive') ? null : config.get('dns.domain')
  if (domain !== null && (usesDnsChallenge(config) || config.get('letsEncrypt.certRenewer') === false)) return [domain, `*.${domain}`]
  return [new URL(config.get('core.url') ?? config.get('dnsLess.publicUrl') ?? '').hostname]
}

/** Returns the plain HTTP port for ACME challenges and redirects to HTTPS; undefined when there is none. */
export function redirectPortOf(config: Config): number | undefined {
  const port = config.get('http.ssl.redirectPort')
  return servesTls(config) ? (port ?? (usesAcme(config) && !usesDnsChallenge(config) ? 80 : undefined)) : undefined
}
