/** The serial of the service information, by which apps notice that they have to read it again. */
import { createHash } from 'node:crypto'
import type { Node } from '../node.js'
import { productVersion } from '../version.js'
import { describeService } from './describe.js'

/**
 * The setting `service.serial`; without it, a digest of the version of coffer, of the settings `service.*`, and of what
 * the service information says (specification, "Versioning").
 */
export function serialOf(node: Node, version = productVersion()): string {
  const given = node.config.get('service.serial')
  if (given !== null) return given
  const settings = node.config.entries().filter(({ key }) => key.startsWith('service.')).map(({ key, value }) => [key, value])
  const described = JSON.stringify([version, describeService(node), settings])
  return createHash('sha256').update(described).digest('hex').slice(0, 16)
}
