/** Where an authorization may be answered to: the redirect URIs of a client (consent supplement 4.3). Pure. */

/**
 * Whether a presented redirect URI is a registered one: the same text, without any normalising. Native apps listen on
 * whatever port they are given, so that two loopback addresses over http, by IP, may differ in their port.
 */
export function matchesRedirect(registered: string, presented: unknown): boolean {
  if (typeof presented !== 'string' || presented === '' || presented.includes('#')) return false
  if (presented === registered) return URL.canParse(presented)
  const expected = loopbackAddress(registered)
  return expected !== undefined && expected === loopbackAddress(presented)
}

/** Whether a presented redirect URI is one of several. */
export const matchesAnyRedirect = (registered: readonly string[], presented: unknown): boolean =>
  registered.some((one) => matchesRedirect(one, presented))

/** A loopback address over http without its port; undefined for other addresses. */
function loopbackAddress(text: string): string | undefined {
  // What the parser would quietly mend was not written as registered.
  if (/[\s\\]|[^\x20-\x7e]/.test(text) || !text.startsWith('http://')) return undefined
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const host = /^http:\/\/(127\.0\.0\.1|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(?=[/?]|$)/.exec(text)
  if (host === null || (url.hostname !== '127.0.0.1' && url.hostname !== '[::1]')) return undefined
  if (url.username !== '' || url.password !== '' || hasDotSegment(text)) return undefined
  return `${url.hostname}${url.pathname}${url.search}`
}

/** Whether a path goes up or stays, plainly or percent-encoded, which the parser resolves. */
const hasDotSegment = (text: string): boolean => /\/(\.|%2e){1,2}(?=[/?]|$)/i.test(text)
