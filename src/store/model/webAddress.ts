/** Validates web addresses from clients: webhooks, followed slices, return pages. */
import * as z from 'zod'

/** Maximum length of an address, in characters. */
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
