/** Matching of redirect URIs of a client (docs/interface/oauth.md#clients). Pure. */

/**
 * Checks whether a presented redirect URI equals a registered one as text, without normalization. Loopback IP addresses over http
 * may differ in their port, which native apps cannot choose.
 */
export function matchesRedirect(registered: string, presented: unknown): boolean {
  if (typeof presented !== 'string' || presented === '' || presented.includes('#')) return false
  if (presented === registered) return URL.canParse(presented)
  const expected = loopbackAddress(registered)
  return expected !== undefined && expected === loopbackAddress(presented)
}

/** Checks whether a presented redirect URI matches any registered one. */
export const matchesAnyRedirect = (registered: readonly string[], presented: unknown): boolean =>
  registered.some((one) => matchesRedirect(one, presented))

/** Returns an http loopback address without its port; undefined for other addresses. */
function loopbackAddress(text: string): string | undefined {
  // Rejects text that the URL parser would silently repair, since it differs from the registered one.
  if (/[\s\\]|[^\x20-\x7e]/.test(text) || !text.startsWith('http://')) return undefined
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const host = /^http:\/\/(127\.0\.0\.1|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(?=[/?]|$)/.exec(text)
  if (host === null || (url.hostname !== '127.0.0.1' && url.hostname !== '[::1]')) return undefined
  if (url.username !== '' || url.password !== '' || hasDotSegment(text)) return undefined
  return `${url.hostname}${url.pathname}${url.search}`
}

/** Checks for dot segments in a path, plain or percent-encoded, which the URL parser resolves. */
const hasDotSegment = (text: string): boolean => /\/(\.|%2e){1,2}(?=[/?]|$)/i.test(text)
