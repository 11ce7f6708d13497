/** Checks sign-in pages that an app names for its users (docs/interface/access-requests.md#request). */

/** Encoded separators and dots, which a server may decode although URL parsing does not. */
const HIDDEN = /%2f|%5c|%2e/i
 
const ODD = /[\u0000-\u0020\u007f\\]/

/**
 * Checks whether a page matches one of `trusted`: same protocol and host, and the same path or one below it. The query is
 * free. User information and schemes other than http and https are refused.
 */
export function isTrustedPage(page: string, trusted: readonly string[]): boolean {
  if (ODD.test(page) || !URL.canParse(page)) return false
  const url = new URL(page)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
  // An empty user name does not show in the parsed address.
  const [authority = ''] = page.slice(page.indexOf('//') + 2).split(/[/?#]/)
  if (authority.includes('@') || HIDDEN.test(url.pathname)) return false
  return trusted.some((entry) => {
    if (!URL.canParse(entry)) return false
    const own = new URL(entry)
    if (own.protocol !== url.protocol || own.host !== url.host) return false
    const path = own.pathname.replace(/\/+$/, '')
    return url.pathname === path || url.pathname.startsWith(`${path}/`)
  })
}
