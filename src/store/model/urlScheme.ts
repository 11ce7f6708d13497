/** Schemes of addresses that a browser is sent to (RFC 3986, 3.1; RFC 8252, 7.1). Pure. */

/** Schemes that run or show what the address itself holds, or read this machine. */
const UNSAFE = new Set(['javascript', 'data', 'vbscript', 'blob', 'file', 'filesystem', 'about', 'view-source', 'intent'])
const WEB = new Set(['http', 'https'])
/** Schemes of protocols, which lead to no app of its own. */
const PROTOCOLS = new Set(['ws', 'wss', 'ftp', 'mailto', 'tel', 'sms'])

/** The scheme of an absolute address in lower case, as a browser reads it; undefined for what is none. */
export const schemeOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : undefined)

/** Checks whether text is an address that a browser must not be sent to. */
export const hasUnsafeScheme = (text: string): boolean => UNSAFE.has(schemeOf(text) ?? '')

/**
 * Checks whether free text, which pages show as a link where it is an address, is one that runs code or shows what it holds.
 * `Data: yours alone` is none.
 */
export function isScriptAddress(text: string): boolean {
  const scheme = schemeOf(text)
  return scheme === 'javascript' || scheme === 'vbscript' || (scheme === 'data' && /^([a-z]+\/[^ ,;]+)?[,;]/i.test(new URL(text).pathname))
}

/** Checks whether text is an absolute http(s) address. */
export const hasWebScheme = (text: string): boolean => WEB.has(schemeOf(text) ?? '')

/** Checks whether a name is that of a scheme by which a device finds an app: `com.example.diary`. */
export const isCustomScheme = (name: string): boolean =>
  /^[a-z][a-z0-9+.-]{0,63}$/.test(name) && !UNSAFE.has(name) && !WEB.has(name) && !PROTOCOLS.has(name)

/** Checks whether an app may have its user sent to an address: over http(s), or by one of the registered custom schemes. */
export const isReturnAddress = (text: string, schemes: readonly string[]): boolean =>
  hasWebScheme(text) || schemes.includes(schemeOf(text) ?? '')
