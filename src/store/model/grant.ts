/**
 * What an access may hand down to another: never more than it holds, and its restrictions with it (data supplement
 * 6.4). Pure: the same rule decides when an access is made, when it is changed, and what an app is shown of its own.
 */
import type { FeaturePermission, Level, Permission, StreamPermission } from './access.js'
import { allowsReading, compileScope, feature, levelOn, levelOnTag, type Scope } from './permission.js'
import type { Tree } from './tree.js'

/** The levels that a level lets hand down. */
const HANDED_DOWN: Record<Level, readonly Level[]> = {
  none: ['none'],
  read: ['none', 'read'],
  'create-only': [],
  contribute: ['none', 'read', 'create-only', 'contribute'],
  manage: ['none', 'read', 'create-only', 'contribute', 'manage'],
}

/** The highest level that lets nothing do what one of both does not. */
export function lesser(a: Level, b: Level): Level {
  if (a === b) return a
  if (a === 'none' || b === 'none') return 'none'
  const both = new Set([a, b])
  if (both.has('create-only')) return both.has('read') ? 'none' : 'create-only'
  if (both.has('read')) return 'read'
  return 'contribute'
}

/** The first permission that an access may not hand down; undefined when it may all of them. */
export function ungrantable(holder: Scope, input: readonly Permission[], tree: Tree): Permission | undefined {
  return input.find((permission) => !mayGrant(holder, permission, tree))
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
 * The restrictions of an access that what it hands down must carry too, beside what is asked for: its narrower entries
 * below a granted stream, the streams whose events are closed to it, forbidden features, and forced streams.
 */
export function inheritedRestrictions(holder: Scope, input: readonly Permission[], tree: Tree): Permission[] {
  const child = compileScope({ id: holder.accessId, type: 'shared', permissions: [...input] }, false)
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
 * The restrictions of an access that no change of its permissions takes away (consent supplement 5.7): an access that may
 * not share secrets never may.
 */
export function lastingRestrictions(before: readonly Permission[], after: readonly Permission[]): Permission[] {
  const isRestricted = (permissions: readonly Permission[]): boolean =>
    feature(compileScope({ id: '', type: 'shared', permissions: [...permissions] }, false), 'secretSharing') === 'forbidden'
  return isRestricted(before) && !isRestricted(after) ? [{ feature: 'secretSharing', setting: 'forbidden' }] : []
}

/** The level that a child must be held to where it would have `level` and the holder has `own`; undefined: as it is. */
function restricted(level: Level | undefined, own: Level): Level | undefined {
  if (level === undefined) return allowsReading(own) ? undefined : 'none'
  const min = lesser(level, own)
  return min === level ? undefined : min
}

/**
 * The first permission that lets do what an access may not do itself; undefined when none does. Wider than what may be
 * handed down: restrictions that were handed down with a grant lie within, too.
 */
export function exceeding(holder: Scope, permissions: readonly Permission[], tree: Tree): Permission | undefined {
  return permissions.find((permission) => {
    if ('feature' in permission) return !mayGrant(holder, permission, tree)
    const own =
      'streamId' in permission ? levelOn(holder, permission.streamId, tree) : levelOnTag(holder, permission.tag)
    return own === undefined ? permission.level !== 'none' : lesser(own, permission.level) !== permission.level
  })
}

/** Whether permissions lie within those of an access, its restrictions included. */
export function isWithin(holder: Scope, permissions: readonly Permission[], tree: Tree): boolean {
  if (holder.personal) return true
  return (
    exceeding(holder, permissions, tree) === undefined && inheritedRestrictions(holder, permissions, tree).length === 0
  )
}

/**
 * Returns whether an access holds nothing but `create-only` permissions: it takes no part in the management of accesses. Levels
 * `none` hold nothing.
 */
export function isCreateOnly(scope: Scope, permissions: readonly Permission[] | undefined): boolean {
  if (scope.personal || permissions === undefined) return false
  const levels = permissions.flatMap((permission) => ('level' in permission ? [permission.level] : []))
  return levels.length > 0 && levels.every((level) => level === 'create-only' || level === 'none')
}
