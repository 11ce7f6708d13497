/** Versions of the API that this release implements, of the product, and of Node.js. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Version of the API: its second major generation; clients select routes by it. */
export const API_VERSION = '2.0.0'

/** Possible locations of the package: relative to the bundle, and to the sources. */
const PLACES = ['../../', '../../../']

interface Package {
  version: string
  engines: { node: string }
}

/** Returns the folder of the package, where its package.json is. */
export function packageFolder(): string {
  const folder = PLACES.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(new URL('package.json', place)))
  if (folder === undefined) throw new Error('package.json is not beside the program.')
  return fileURLToPath(folder)
}

let own: Package | undefined
/** Reads package.json once: a newer one may replace it while this process runs. */
const ownPackage = (): Package => (own ??= JSON.parse(readFileSync(`${packageFolder()}package.json`, 'utf8')) as Package)

/** Returns the version of the product, from its package. */
export const productVersion = (): string => ownPackage().version

/** Returns the earliest version of Node.js that runs it: `20.19`. */
export const requiredNode = (): string => ownPackage().engines.node.replace(/^>=/, '')
