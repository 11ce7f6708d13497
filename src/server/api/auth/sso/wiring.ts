/** Identity providers as configured in the settings (docs/interface/sso.md). */
import type { Context } from '../../../call/context.js'
import { isPrivateUrl } from '../../../base/loopback.js'
import type { Provider } from '../../../config/settings/sso.js'

/** The node's own page to which people return from identity providers. */
export const THIRD_PARTY_PAGE = '/third-party'

export interface ThirdParties {
  providers: ReadonlyMap<string, Provider>
  /** Page to which people return; null for the node's own. */
  landing: string | null
  /** Base URL of callbacks, without a trailing slash. */
  base: string
}

type SsoAddressDeps = Pick<Context, 'config' | 'publicBase'>

/** Describes why sign-in with identity providers cannot work; undefined when it works or is disabled. */
export function ssoProblem(node: SsoAddressDeps): string | undefined {
  const { config } = node
  if (!config.get('sso.enabled')) return undefined
  if (Object.keys(config.get('sso.providers')).length === 0) return 'sso.providers is empty'
  if (config.get('sso.landingPageURL') !== null && !config.get('sharedSecrets.enabled')) {
    return 'sso.landingPageURL requires sharedSecrets.enabled, to receive sessions'
  }
  if (!isPrivateUrl(new URL(baseOf(node)))) return 'identity providers only redirect back over https: set sso.callbackBaseURL or dnsLess.publicUrl'
  return undefined
}

/** Returns the configured identity providers; undefined when disabled or misconfigured. */
export function thirdPartiesOf(node: SsoAddressDeps): ThirdParties | undefined {
  const { config } = node
  if (!config.get('sso.enabled') || ssoProblem(node) !== undefined) return undefined
  return {
    providers: new Map(Object.entries(config.get('sso.providers'))),
    landing: config.get('sso.landingPageURL'),
    base: baseOf(node),
  }
}

/** Returns the label of a provider's button. */
export const labelOf = (id: string, { label }: Provider): string => label ?? id.charAt(0).toUpperCase() + id.slice(1)

/** Returns the redirect URI to register at the provider. */
export const callbackOf = ({ base }: Pick<ThirdParties, 'base'>, id: string): string => `${base}/auth/sso/${id}/callback`

const baseOf = ({ config, publicBase }: SsoAddressDeps): string => (config.get('sso.callbackBaseURL') ?? publicBase()).replace(/\/+$/, '')
