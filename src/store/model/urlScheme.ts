/** Checks schemes of addresses for browser redirects (RFC 3986, 3.1; RFC 8252, 7.1). Pure. */

/** Schemes that execute or display the address's own content, or read this machine. */
const UNSAFE = new Set(['javascript', 'data', 'vbscript', 'blob', 'file', 'filesystem', 'about', 'view-source', 'intent'])
const WEB = new Set(['http', 'https'])
/** Protocol schemes, which open no app of their own. */
const PROTOCOLS = new Set(['ws', 'wss', 'ftp', 'mailto', 'tel', 'sms'])

/** Returns the scheme of an absolute address in lower case, as a browser parses it; undefined for other texts. */
export const schemeOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : undefined)

/** Checks whether text is an address that a browser must not be sent to. */
export const hasUnsafeScheme = (text: string): boolean => UNSAFE.has(schemeOf(text) ?? '')

/**
 * Checks whether free text that pages may show as a link is an address that runs code or displays its own content.
 * `Data: yours alone` is not.
 */
export function isScriptAddress(text: string): boolean {
  const scheme = schemeOf(text)
  return scheme === 'javascript' || scheme === 'vbscript' || (scheme === 'data' && /^([a-z]+\/[^ ,;]+)?[,;]/i.test(new URL(text).pathname))
}

/** Checks whether text is an absolute http(s) address. */
export const hasWebScheme = (text: string): boolean => WEB.has(schemeOf(text) ?? '')

/** Checks whether a name is a custom scheme that opens an app on a device: `com.example.diary`. */
export const isCustomScheme = (name: string): boolean =>
  /^[a-z][a-z0-9+.-]{0,63}$/.test(name) && !UNSAFE.has(name) && !WEB.has(name) && !PROTOCOLS.has(name)

/** Checks whether an app may redirect its user to an address: over http(s), or with one of the registered custom schemes. */
export const isReturnAddress = (text: string, schemes: readonly string[]): boolean =>
  hasWebScheme(text) || schemes.includes(schemeOf(text) ?? '')
