/** Versions: of the interface this release implements, and of the product. */
import { readFileSync } from 'node:fs'

/** The interface's second major generation; clients compare it to choose routes. */
export const API_VERSION = '2.0.0'

/** The product's version, from its package. */
export function productVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
