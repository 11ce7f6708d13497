import { statusOfRequest, type AccessRequest } from '../../../store/model/accessRequest.js'
import { isReturnAddress } from '../../../store/model/urlScheme.js'
import { addQuery } from '../../base/addQuery.js'

type Asked = Pick<AccessRequest, 'returnURL' | 'oauthState' | 'key' | 'pollUrl' | 'outcome'>

/**
 * Returns where an app wants its user back: an http(s) page, or the app itself by one of the registered `schemes`; undefined for
 * none, and for other addresses.
 */
export function returnPage(returnURL: string | undefined, schemes: readonly string[] = []): URL | undefined {
  if (returnURL === undefined || !isReturnAddress(returnURL, schemes)) return undefined
  const page = new URL(returnURL)
  // User information in an address makes it look like that of another host.
  return page.username === '' && page.password === '' ? page : undefined
}

/**
 * Where an app's user goes once a request is answered, with what the app needs to ask for the answer, as the public
 * clients read it (accounts supplement 13.1, step 16). Never a token: that is told to those who poll.
 */
export function returnAddress(request: Asked, schemes: readonly string[] = []): string | undefined {
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
  // What such an ending asks for is added behind it, even in a fragment.
  return /[?&#]$/.test(page) ? page + addQuery('?', parameters).slice(1) : addQuery(page, parameters)
}
