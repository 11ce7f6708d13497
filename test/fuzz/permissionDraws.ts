/** Random permissions. */
import type { Level, Permission } from '../../src/store/model/access.js'
import { pick, type Next } from './oddJson.js'

const LEVELS: readonly Level[] = ['none', 'read', 'create-only', 'contribute', 'manage', 'manage', 'contribute', 'read']
/** Levels that the API grants on tags. */
const TAG_LEVELS: readonly Level[] = ['read', 'contribute', 'manage']
const ACCOUNT = [':_system:account', ':_system:language', ':_system:storageUsed', ':system:email'] as const

/** Returns a few conflicting entries: on all, on streams, twice on one, on the account, on tags, features. */
export function randomPermissions(next: Next, streams: readonly string[]): Permission[] {
  const permissions: Permission[] = []
  if (next(2) === 0) permissions.push({ streamId: '*', level: pick(next, LEVELS) })
  for (let i = next(6); i > 0; i--) permissions.push({ streamId: pick(next, streams), level: pick(next, LEVELS) })
  if (next(4) === 0) permissions.push({ streamId: pick(next, ACCOUNT), level: pick(next, LEVELS) })
  if (next(12) === 0) permissions.push({ streamId: 'never-made', level: pick(next, LEVELS) })
  if (next(8) === 0) permissions.push({ feature: pick(next, ['selfAudit', 'selfRevoke']), setting: 'forbidden' })
  if (next(8) === 0) {
    const forced = { feature: 'forcedStreams', setting: 'forbidden', streams: [pick(next, streams)] } as Permission
    permissions.push(forced)
  }
  if (next(3) === 0) permissions.push({ tag: pick(next, ['t', 'u', '*']), level: pick(next, TAG_LEVELS) })
  return permissions
}
