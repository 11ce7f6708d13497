/** Versions of the API that this release implements, and of the product. */
import { readFileSync } from 'node:fs'

/** Version of the API: its second major generation; clients select routes by it. */
export const API_VERSION = '2.0.0'

/** Returns the version of the product, from its package. */
export function productVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
