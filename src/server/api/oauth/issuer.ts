/** Issuer and endpoints of OAuth (docs/interface/oauth.md#issuer), derived from settings only, never from requests. */
import { pageAddress } from '../../config/apiEndpoint.js'
import type { Context } from '../../call/context.js'

/** Path of the node's consent page. */
export const CONSENT_PAGE = '/oauth-consent'

type IssuerDeps = Pick<Context, 'config' | 'publicBase'>

/**
 * Returns the issuer URL, without a trailing slash. Each core of a platform is an issuer, at its own address: codes and refresh
 * tokens are valid only at the core that issued them, which clients recognise by `iss`.
 */
export const issuerOf = ({ config, publicBase }: IssuerDeps): string => (config.get('oauth.issuer') ?? publicBase()).replace(/\/+$/, '')

export const tokenEndpoint = (node: IssuerDeps): string => `${issuerOf(node)}/oauth2/token`

export const authorizationEndpoint = (node: IssuerDeps): string => `${issuerOf(node)}/oauth2/authorize`

/** Returns the URL of the consent page. */
export const consentUrl = (node: IssuerDeps): string => node.config.get('oauth.consentUrl') ?? pageAddress(node, CONSENT_PAGE)
