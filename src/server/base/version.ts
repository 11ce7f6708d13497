/** Versions of the API that this release implements, and of the product. */
import { existsSync, readFileSync } from 'node:fs'

/** Version of the API: its second major generation; clients select routes by it. */
export const API_VERSION = '2.0.0'

/** Possible locations of the package: relative to the bundle, and to the sources. */
const PLACES = ['../../package.json', '../../../package.json']

/** Returns the version of the product, from its package. */
export function productVersion(): string {
  const file = PLACES.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place))
  if (file === undefined) throw new Error('package.json is not beside the program.')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
