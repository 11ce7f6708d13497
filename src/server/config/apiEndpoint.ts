/** Addresses of accounts and of the node's routes, as given to clients. */
import { platformHost } from '../../store/model/hostSlug.js'
import type { Config } from './config.js'
import { servesTls } from './tlsConfig.js'

/** The settings of a node, and the base address by which clients reach it, without trailing slash. */
interface Reachable {
  config: Config
  publicBase(): string
}

/** The path of the web pages below the node's address. */
export const PAGES_PATH = '/web'

/** The app id of sessions of the web pages: the name of their personal access. */
export const PAGES_APP = 'coffer-web'

/** The label of the node's own host name when accounts are addressed by host name, unless it has a public address. */
export const SERVER_NAME = 'core'

/** Returns the full address of a page of the node, for apps, mails and the terminal. */
export const pageAddress = (node: Pick<Reachable, 'publicBase'>, path: string): string => node.publicBase() + PAGES_PATH + path

/** Returns the domain whose host names contain usernames; undefined when usernames are in paths. */
export function hostDomain(node: Pick<Reachable, 'config'>): string | undefined {
  return node.config.get('dnsLess.isActive') ? undefined : (node.config.get('dns.domain') ?? undefined)
}

/** Returns the template of account addresses, with `{username}`. */
export function apiTemplate(node: Reachable): string {
  const domain = hostDomain(node)
  return domain === undefined ? `${node.publicBase()}/{username}/` : `https://{username}.${domain}/`
}

/**
 * Returns the host that identifies this platform to others (docs/interface/consents.md#identities): that of its account
 * addresses.
 */
export const ownHost = (node: Reachable): string => platformHost(hostDomain(node), apiTemplate(node))

/** Returns the address of the node from the settings, without trailing slash; undefined when it follows from the listener. */
export function publicBaseOf(config: Config): string | undefined {
  const base = config.get('core.url') ?? config.get('dnsLess.publicUrl')
  if (base !== null) return base.replace(/\/+$/, '')
  return config.get('dnsLess.isActive') ? undefined : `https://${ownName(config)}.${config.get('dns.domain')}`
}

/** Returns the label of the node's own host name: the core id where there are several cores. */
const ownName = (config: Config): string => (config.get('platform.etcd').length === 0 ? SERVER_NAME : config.get('core.id'))

/** Returns the labels below the domain that refer to the node itself, not to an account. */
export function ownLabels(config: Config): ReadonlySet<string> {
  const domain = config.get('dns.domain')
  const { hostname } = new URL(publicBaseOf(config) ?? 'http://localhost')
  const own = domain !== null && hostname.endsWith(`.${domain}`) ? [hostname.slice(0, -domain.length - 1)] : []
  return new Set([SERVER_NAME, config.get('core.id'), ...own])
}

/** Returns the address of a node that is not listening yet. */
export const configuredBase = (config: Config): string =>
  publicBaseOf(config) ?? `${schemeOf(config)}://${config.get('http.ip')}:${config.get('http.port')}`

/** Returns the scheme of the node's own listener. */
export const schemeOf = (config: Config): 'http' | 'https' => (servesTls(config) ? 'https' : 'http')

/** Returns the address of an account, with a token as user information. */
export function apiEndpoint(node: Reachable, username: string, token?: string): string {
  const address = apiTemplate(node).replace('{username}', username)
  return token === undefined ? address : address.replace('://', `://${encodeURIComponent(token)}@`)
}

/** Returns the address in front of all cores, without trailing slash: that of the node, unless the setting `platform.url` names another. */
export const frontOf = (node: Reachable): string => node.config.get('platform.url')?.replace(/\/+$/, '') ?? node.publicBase()

/** Returns the address of the registration routes, with a trailing slash. */
export function registerRoot(node: Reachable): string {
  const domain = hostDomain(node)
  return domain === undefined ? `${frontOf(node)}/reg/` : `https://reg.${domain}/`
}

/** Returns the address of access requests, with a trailing slash; the key of a request is appended. */
export function accessRoot(node: Reachable): string {
  const domain = hostDomain(node)
  return domain === undefined ? `${frontOf(node)}/reg/access/` : `https://access.${domain}/access/`
}
