/** Who issues tokens here (consent supplement 4.1): from settings alone, never from what a request says. */
import { pageAddress } from '../apiEndpoint.js'
import type { Node } from '../node.js'

/** The page of the node on which people consent. */
export const CONSENT_PAGE = '/oauth-consent'

type Place = Pick<Node, 'config' | 'publicBase'>

/** The issuer, without a trailing slash. */
export const issuerOf = ({ config, publicBase }: Place): string =>
  (config.get('oauth.issuer') ?? config.get('dnsLess.publicUrl') ?? publicBase()).replace(/\/+$/, '')

export const tokenEndpoint = (node: Place): string => `${issuerOf(node)}/oauth2/token`

export const authorizationEndpoint = (node: Place): string => `${issuerOf(node)}/oauth2/authorize`

/** Where people are led to consent. */
export const consentUrl = (node: Place): string => node.config.get('oauth.consentUrl') ?? pageAddress(node, CONSENT_PAGE)
