/**
 * Rules for delegating permissions: an access grants at most its own rights, with its restrictions
 * (docs/interface/permissions.md#delegation-of-rights). Pure: applied when an access is created, updated, or listed to the app
 * that created it.
 */
import type { FeaturePermission, Level, Permission, StreamPermission } from './access.js'
import { allowsReading, compileScope, feature, levelOn, levelOnTag, type Scope } from './permission.js'
import type { Tree } from './tree.js'

/** Levels that a level may grant. */
const HANDED_DOWN: Record<Level, readonly Level[]> = {
  none: ['none'],
  read: ['none', 'read'],
  'create-only': [],
  contribute: ['none', 'read', 'create-only', 'contribute'],
  manage: ['none', 'read', 'create-only', 'contribute', 'manage'],
}

/** Returns the highest level whose rights are included in both levels. */
export function lesser(a: Level, b: Level): Level {
  if (a === b) return a
  if (a === 'none' || b === 'none') return 'none'
  const both = new Set([a, b])
  if (both.has('create-only')) return both.has('read') ? 'none' : 'create-only'
  if (both.has('read')) return 'read'
  return 'contribute'
}

/** Returns the first permission that an access may not grant; undefined when it may grant all. */
export function ungrantable(holder: Scope, permissions: readonly Permission[], tree: Tree): Permission | undefined {
  return permissions.find((permission) => !mayGrant(holder, permission, tree))
}

function mayGrant(holder: Scope, permission: Permission, tree: Tree): boolean {
  if ('streamId' in permission) {
    const own = levelOn(holder, permission.streamId, tree)
    return own !== undefined && HANDED_DOWN[own].includes(permission.level)
  }
  if ('tag' in permission) {
    const own = levelOnTag(holder, permission.tag)
    return own !== undefined && own !== 'none' && HANDED_DOWN[own].includes(permission.level)
  }
  return permission.setting === 'forbidden' || feature(holder, permission.feature) === 'allowed'
}

/**
 * Lists the restrictions that an access passes on beside the requested permissions: its narrower entries below a granted
 * stream, unreadable streams, forbidden features, and forced streams.
 */
export function inheritedRestrictions(holder: Scope, requested: readonly Permission[], tree: Tree): Permission[] {
  const child = compileScope({ id: holder.accessId, type: 'shared', permissions: [...requested] }, false)
  const restrictions: Permission[] = []
  for (const [streamId, own] of holder.levels) {
    if (child.levels.has(streamId)) continue
    const level = restricted(levelOn(child, streamId, tree), own)
    if (level !== undefined) restrictions.push({ streamId, level } satisfies StreamPermission)
  }
  for (const [name, setting] of holder.features) {
    if (name === 'forcedStreams' || setting === 'allowed' || feature(child, name) === 'forbidden') continue
    restrictions.push({ feature: name, setting } satisfies FeaturePermission)
  }
  const streams = holder.forcedStreams.filter((id) => !child.forcedStreams.includes(id))
  if (streams.length > 0) restrictions.push({ feature: 'forcedStreams', setting: 'allowed', streams })
  return restrictions
}

/**
 * Lists the restrictions that no permission change removes (docs/interface/permissions.md#delegation-of-rights): an access that
 * may not share secrets never may.
 */
export function lastingRestrictions(before: readonly Permission[], after: readonly Permission[]): Permission[] {
  const isRestricted = (permissions: readonly Permission[]): boolean =>
    feature(compileScope({ id: '', type: 'shared', permissions: [...permissions] }, false), 'secretSharing') === 'forbidden'
  return isRestricted(before) && !isRestricted(after) ? [{ feature: 'secretSharing', setting: 'forbidden' }] : []
}

/** Returns the level limit for a child with `level` where the holder has `own`; undefined if no limit is needed. */
function restricted(level: Level | undefined, own: Level): Level | undefined {
  if (level === undefined) return allowsReading(own) ? undefined : 'none'
  const min = lesser(level, own)
  return min === level ? undefined : min
}

/**
 * Returns the first permission that exceeds the rights of an access; undefined when none does. Unlike `ungrantable`, it
 * also accepts restrictions inherited with a grant.
 */
export function exceeding(holder: Scope, permissions: readonly Permission[], tree: Tree): Permission | undefined {
  return permissions.find((permission) => {
    if ('feature' in permission) return !mayGrant(holder, permission, tree)
    const own =
      'streamId' in permission ? levelOn(holder, permission.streamId, tree) : levelOnTag(holder, permission.tag)
    return own === undefined ? permission.level !== 'none' : lesser(own, permission.level) !== permission.level
  })
}

/** Checks whether permissions lie within those of an access, including its restrictions. */
export function isWithin(holder: Scope, permissions: readonly Permission[], tree: Tree): boolean {
  if (holder.personal) return true
  return (
    exceeding(holder, permissions, tree) === undefined && inheritedRestrictions(holder, permissions, tree).length === 0
  )
}

/** Checks whether an access has only `create-only` permissions; it may not manage accesses. Levels `none` do not count. */
export function isCreateOnly(scope: Scope, permissions: readonly Permission[] | undefined): boolean {
  if (scope.personal || permissions === undefined) return false
  const levels = permissions.flatMap((permission) => ('level' in permission ? [permission.level] : []))
  return levels.length > 0 && levels.every((level) => level === 'create-only' || level === 'none')
}
