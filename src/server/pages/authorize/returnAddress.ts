import { statusOfRequest, type AccessRequest } from '../../../store/model/accessRequest.js'
import { isReturnAddress } from '../../../store/model/urlScheme.js'
import { addQuery } from '../../base/addQuery.js'

type ReturnTarget = Pick<AccessRequest, 'returnURL' | 'oauthState' | 'key' | 'pollUrl' | 'outcome'>

/**
 * Returns the page to which an app wants its user back: an http(s) page, or a link with one of the registered
 * `schemes`. Returns undefined for none, and for other addresses.
 */
export function returnPage(returnURL: string | undefined, schemes: readonly string[] = []): URL | undefined {
  if (returnURL === undefined || !isReturnAddress(returnURL, schemes)) return undefined
  const page = new URL(returnURL)
  // User information in an address can make it look like another host.
  return page.username === '' && page.password === '' ? page : undefined
}

/**
 * Returns the address for an app's user once a request is answered, with the parameters that clients need to fetch the answer
 * (docs/interface/access-requests.md#pages). It never contains a token; tokens are returned only to polling.
 */
export function returnAddress(request: ReturnTarget, schemes: readonly string[] = []): string | undefined {
  const page = returnPage(request.returnURL, schemes)?.href
  if (page === undefined) return undefined
  const { key, pollUrl, oauthState } = request
  const parameters: [name: string, value: string][] =
    oauthState === undefined
      ? [
          ['prYvpoll', pollUrl],
          ['prYvkey', key],
          ['prYvstatus', statusOfRequest(request)],
        ]
      : [
          ['state', oauthState],
          ['code', key],
          ['poll', pollUrl],
        ]
  // For such an ending, append the parameters directly, even in a fragment.
  return /[?&#]$/.test(page) ? page + addQuery('?', parameters).slice(1) : addQuery(page, parameters)
}
