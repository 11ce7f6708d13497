/**
 * URLs of an access request: the poll URL of the app and the sign-in page of the user (docs/interface/access-requests.md#pages).
 */
import type { AccessRequest, AskedAccess } from '../../../store/model/accessRequest.js'
import { accessRoot, pageAddress, registerRoot } from '../../config/apiEndpoint.js'
import type { Context } from '../../call/context.js'
import { ownCoreUrl } from '../../platform/cores/wrongCore.js'
import { addQuery } from '../../base/addQuery.js'
import { POLL_RATE_MS } from './toJson.js'

/** Returns the URL of the node's own sign-in and consent page. */
export const ownPage = (node: Pick<Context, 'publicBase'>): string => pageAddress(node, '/authorize')

/** Returns the poll and sign-in URLs of the request with a key. `page` is the sign-in page requested by the app, if any. */
export function addressesOf(
  node: Context,
  input: AskedAccess,
  page: string | undefined,
  key: string,
): Pick<AccessRequest, 'pollUrl' | 'authUrl'> {
  // The request is in the memory of this core.
  const pollUrl = node.registry.isShared ? `${ownCoreUrl(node)}reg/access/${key}` : `${accessRoot(node)}${key}`
  const base = page ?? node.config.get('access.defaultAuthUrl') ?? ownPage(node)
  const { languageCode, requestingAppId, returnURL, oauthState } = input
  const authUrl = addQuery(base, [
    ['lang', languageCode],
    ['key', key],
    ['requestingAppId', requestingAppId],
    ['poll', pollUrl],
    ['poll_rate_ms', String(POLL_RATE_MS)],
    ['serviceInfo', `${registerRoot(node)}service/info`],
    ...(returnURL === undefined ? [] : [['returnURL', returnURL] as const]),
    ...(oauthState === undefined ? [] : [['oauthState', oauthState] as const]),
  ])
  return { pollUrl, authUrl }
}
