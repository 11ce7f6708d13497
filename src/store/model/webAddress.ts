/** Format of addresses that clients give to be called or followed: webhooks, followed slices, pages to return to. */
import * as z from 'zod'

/** Longest address, in characters. */
const MAX_WEB_ADDRESS = 4096

/** Checks that a text is an absolute http or https address with a host, and without blanks. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/?#]\S*$/i.test(text) && URL.canParse(text)
}

/** An http or https address as a parameter. */
export const WebAddress = z
  .string()
  .max(MAX_WEB_ADDRESS)
  .refine(isWebAddress, { error: 'Expected an address that begins with http:// or https://.', params: { code: 'FORMAT' } })
