/** The addresses that clients are given. */
import { platformHost } from '../store/model/hostSlug.js'
import type { Config } from './config/config.js'
import type { Node } from './node.js'
import { servesTls } from './tls/tlsConfig.js'

/** The path below the node's address under which its web pages lie. */
export const PAGES_PATH = '/web'

/** The app id of sessions that the pages open: the name of their personal access. */
export const PAGES_APP = 'coffer-web'

/** The label by which a node whose accounts are host names names itself, unless it is given a public address. */
export const SERVER_NAME = 'core'
/** The id of the only core of a platform. */
export const CORE_ID = 'single'

/** The whole address of a page of the node, for those who are not there yet: apps, mails, the terminal. */
export const pageAddress = (node: Pick<Node, 'publicBase'>, path: string): string => node.publicBase() + PAGES_PATH + path

/** The domain whose host names carry the usernames; undefined when usernames are in paths. */
export function hostDomain(node: Pick<Node, 'config'>): string | undefined {
  return node.config.get('dnsLess.isActive') ? undefined : (node.config.get('dns.domain') ?? undefined)
}

/** The form of account addresses, with `{username}` in it. */
export function apiTemplate(node: Pick<Node, 'config' | 'publicBase'>): string {
  const domain = hostDomain(node)
  return domain === undefined ? `${node.publicBase()}/{username}/` : `https://{username}.${domain}/`
}

/** The host by which this platform is named to others (consent supplement 1.3): that of the addresses of its accounts. */
export const ownHost = (node: Pick<Node, 'config' | 'publicBase'>): string => platformHost(hostDomain(node), apiTemplate(node))

/** The address that the settings give the node, without slash at its end; undefined where they leave it to where it listens. */
export const publicBaseOf = (config: Config): string | undefined =>
  config.get('dnsLess.publicUrl')?.replace(/\/+$/, '') ?? (config.get('dnsLess.isActive') ? undefined : `https://${SERVER_NAME}.${config.get('dns.domain')}`)

/** Labels below the domain that mean the node itself, and no account. */
export function ownLabels(config: Config): ReadonlySet<string> {
  const domain = config.get('dns.domain')
  const { hostname } = new URL(publicBaseOf(config) ?? 'http://localhost')
  const own = domain !== null && hostname.endsWith(`.${domain}`) ? [hostname.slice(0, -domain.length - 1)] : []
  return new Set([SERVER_NAME, CORE_ID, ...own])
}

/** The address of a node that does not listen yet. */
export const configuredBase = (config: Config): string => 
  publicBaseOf(config) ?? `${schemeOf(config)}://${config.get('http.ip')}:${config.get('http.port')}`

/** What the node's own door speaks. */
export const schemeOf = (config: Config): 'http' | 'https' => (servesTls(config) ? 'https' : 'http')

/** The address of an account, with a token as user information. */
export function apiEndpoint(node: Pick<Node, 'config' | 'publicBase'>, username: string, token?: string): string {
  const address = apiTemplate(node).replace('{username}', username)
  return token === undefined ? address : address.replace('://', `://${encodeURIComponent(token)}@`)
}

/** The address of the registration routes, with a slash at its end. */
export function registerRoot(node: Pick<Node, 'config' | 'publicBase'>): string {
  const domain = hostDomain(node)
  return domain === undefined ? `${node.publicBase()}/reg/` : `https://reg.${domain}/`
}

/** The address at which apps ask for access, with a slash at its end; a request's key goes behind it. */
export function accessRoot(node: Pick<Node, 'config' | 'publicBase'>): string {
  const domain = hostDomain(node)
  return domain === undefined ? `${node.publicBase()}/reg/access/` : `https://access.${domain}/access/`
}
