/** Signing in through third parties, as the settings have it (accounts supplement 14). */
import type { Node } from '../../node.js'
import { isPrivateUrl } from '../../base/privateUrl.js'
import type { Provider } from '../../config/settings/sso.js'

/** The page of the node that leads people to third parties, and to which they come back. */
export const THIRD_PARTY_PAGE = '/third-party'

export interface ThirdParties {
  providers: ReadonlyMap<string, Provider>
  /** The page to which people come back; null for the node's own. */
  landing: string | null
  /** The address below which third parties lead back, without a slash at its end. */
  base: string
}

type Place = Pick<Node, 'config' | 'publicBase'>

/** What keeps people from signing in through third parties, in words; undefined when nothing does, or it is off. */
export function lackOfThirdParties(node: Place): string | undefined {
  const { config } = node
  if (!config.get('sso.enabled')) return undefined
  if (Object.keys(config.get('sso.providers')).length === 0) return 'sso.providers names none'
  if (config.get('sso.landingPageURL') !== null && !config.get('sharedSecrets.enabled')) {
    return 'sharedSecrets.enabled is false, and sso.landingPageURL is told of sessions by them'
  }
  if (!isPrivateUrl(new URL(baseOf(node)))) return 'third parties lead back over https alone: set sso.callbackBaseURL or dnsLess.publicUrl'
  return undefined
}

/** The third parties by which people sign in; undefined where they do not, or something lacks. */
export function thirdPartiesOf(node: Place): ThirdParties | undefined {
  const { config } = node
  if (!config.get('sso.enabled') || lackOfThirdParties(node) !== undefined) return undefined
  return {
    providers: new Map(Object.entries(config.get('sso.providers'))),
    landing: config.get('sso.landingPageURL'),
    base: baseOf(node),
  }
}

/** What people read on a button. */
export const labelOf = (id: string, { label }: Provider): string => label ?? id.charAt(0).toUpperCase() + id.slice(1)

/** The redirect URI that a third party must know. */
export const callbackOf = ({ base }: Pick<ThirdParties, 'base'>, id: string): string => `${base}/auth/sso/${id}/callback`

const baseOf = ({ config, publicBase }: Place): string => (config.get('sso.callbackBaseURL') ?? publicBase()).replace(/\/+$/, '')
