/**
 * Agreement of the cores of a platform on the one that renews their common certificate: by the setting `letsEncrypt.certRenewer`,
 * else by a record that its core refreshes.
 */
import type { Config } from '../../config/config.js'
import type { Registry } from '../../platform/registry/port.js'

const FAMILY = 'lock'
const ID = 'renewer'
/** Seconds after which another core takes over from one that does not refresh the record: three checks. */
const LOCK_SECONDS = 180

interface Parts {
  config: Config
  registry: Pick<Registry, 'core' | 'records'>
  /** Seconds since 1970. */
  now(): number
}

/** Role of this core. `renewer`: id of the core that renews, if it is known. */
export interface Role {
  isRenewer: boolean
  renewer?: string
}

/**
 * Returns the role of this core, and takes or refreshes the record where the setting leaves it open.
 * @throws Failure `platform-unavailable`
 */
export async function takeRole({ config, registry, now }: Parts): Promise<Role> {
  const configured = config.get('letsEncrypt.certRenewer')
  if (configured !== null) return configured ? { isRenewer: true, renewer: registry.core } : { isRenewer: false }
  return registry.records.change<Role>(FAMILY, ID, (held) => {
    const { core = registry.core } = (held ?? {}) as { core?: string }
    if (core !== registry.core) return { result: { isRenewer: false, renewer: core } }
    return { put: { core }, expires: now() + LOCK_SECONDS, result: { isRenewer: true, renewer: core } }
  })
}
