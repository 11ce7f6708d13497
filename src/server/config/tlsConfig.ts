/** HTTPS configuration of the node, derived from its settings. */
import type { Config } from './config.js'

/** Checks whether an authority issues the node's certificate. */
export const usesAcme = (config: Config): boolean => config.get('letsEncrypt.enabled')

/** Checks whether the node serves HTTPS itself. */
export const servesTls = (config: Config): boolean => usesAcme(config) || config.get('http.ssl.certFile') !== null

/** Checks whether ACME challenges use DNS records of the node's name server instead of the plain HTTP port. */
export const usesDnsChallenge = (config: Config): boolean => usesAcme(config) && config.get('dns.active')

/** Returns the plain HTTP port for ACME challenges and redirects to HTTPS; undefined when there is none. */
export function redirectPortOf(config: Config): number | undefined {
  const port = config.get('http.ssl.redirectPort')
  return servesTls(config) ? (port ?? (usesAcme(config) && !usesDnsChallenge(config) ? 80 : undefined)) : undefined
}
