/** The checks of `coffer doctor`, in the order of its output. */
import { address, proxy } from './address.js'
import { backups } from './backups.js'
import { disk } from './disk.js'
import { certificate } from './certificate.js'
import { domain } from './domain.js'
import type { Check } from './finding.js'
import { mail } from './mail.js'
import { clock, limits, sync, waiting, webhooks } from './node.js'
import { key, permissions } from './places.js'
import { settings } from './settings.js'
import { sso } from './sso.js'
import { store } from './store.js'
import { versions } from './versions.js'

export const checks: readonly Check[] = [
  store, disk, backups, settings, key, permissions, clock, address, proxy, domain, certificate, mail, sso, versions, limits, sync, webhooks, waiting,
]
