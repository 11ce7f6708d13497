/** Which pages an app may name for its users to sign in on (accounts supplement 12.2). */

/** What a server may take for a separator, or a step upwards, though it does not count as one in an address. */
const HIDDEN = /%2f|%5c|%2e/i
 
const ODD = /[\u0000-\u0020\u007f\\]/

/**
 * Whether a page is one of `trusted`: the same protocol and host, and the same path or one below it. The query is free.
 * Never one with user information, nor another than http or https.
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
