/** Serial of the service information, which changes whenever apps must read it again. */
import { createHash } from 'node:crypto'
import type { Context } from '../../call/context.js'
import { productVersion } from '../../base/version.js'
import { describeService } from './describe.js'
import type { MetaDeps } from '../../call/meta.js'
import type { MailDeps } from '../../mail/mailer.js'

/**
 * Returns the setting `service.serial`; by default a digest of the product version, the settings `service.*` and the service
 * information (docs/interface/conventions.md#meta).
 */
export function serialOf(node: Context & MetaDeps & MailDeps, version = productVersion()): string {
  const configured = node.config.get('service.serial')
  if (configured !== null) return configured
  const settings = node.config.entries().filter(({ key }) => key.startsWith('service.')).map(({ key, value }) => [key, value])
  const contents = JSON.stringify([version, describeService(node), settings])
  return createHash('sha256').update(contents).digest('hex').slice(0, 16)
}
