/** Whether the node serves HTTPS itself, and how, by its settings. */
import type { Config } from '../config/config.js'

/** Whether the settings have an authority give the node its certificate. */
export const usesAcme = (config: Config): boolean => config.get('letsEncrypt.enabled')

/** Whether the settings have the node serve HTTPS itself. */
export const servesTls = (config: Config): boolean => usesAcme(config) || config.get('http.ssl.certFile') !== null

/** Whether authorities are answered by the name server of the node, in place of the port for plain HTTP. */
export const provesByNames = (config: Config): boolean => usesAcme(config) && config.get('dns.active')

/** The port for plain HTTP, where authorities ask and clients are sent on to HTTPS; undefined when there is none. */
export function redirectPortOf(config: Config): number | undefined {
  const port = config.get('http.ssl.redirectPort')
  return servesTls(config) ? (port ?? (usesAcme(config) && !provesByNames(config) ? 80 : undefined)) : undefined
}
