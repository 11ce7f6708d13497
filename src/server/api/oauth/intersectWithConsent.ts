import type { Access, FeaturePermission, Permission } from '../../../store/model/access.js'
import { inheritedRestrictions, lesser } from '../../../store/model/grant.js'
import { compileScope, levelOn } from '../../../store/model/permission.js'
import type { Tree } from '../../../store/model/tree.js'

/** Checks for permissions on consent streams, which are never part of an offer. */
const isOfConsents = (permission: Permission): boolean =>
  'streamId' in permission && permission.streamId.startsWith(':_cmc:')

const isRestriction = (permission: Permission): permission is FeaturePermission =>
  'feature' in permission && permission.setting === 'forbidden'

/**
 * Returns the intersection of the chosen permissions with those that the consent currently grants. Consents change during the
 * lifetime of refresh tokens (docs/interface/oauth.md#tokens).
 */
export function intersectWithConsent(consent: Access, chosen: readonly Permission[], tree: Tree): Permission[] {
  const permissions = (consent.permissions ?? []).filter((permission) => !isOfConsents(permission))
  const holder = compileScope({ id: consent.id, type: 'app', permissions }, false)
  const input = compileScope({ id: consent.id, type: 'app', permissions: [...chosen] }, false)
  const left = chosen.flatMap((permission): Permission[] => {
    if (!('streamId' in permission)) return [permission]
    const level = levelOn(holder, permission.streamId, tree)
    return level === undefined ? [] : [{ ...permission, level: lesser(level, permission.level) }]
  })
  // If less is granted than was chosen on a parent stream, permissions on its children are kept.
  const named = new Set(left.flatMap((permission) => ('streamId' in permission ? [permission.streamId] : [])))
  for (const permission of permissions) {
    if (!('streamId' in permission) || named.has(permission.streamId)) continue
    const level = levelOn(input, permission.streamId, tree)
    if (level !== undefined) left.push({ streamId: permission.streamId, level: lesser(level, permission.level) })
  }
  const restrictions = inheritedRestrictions(holder, left, tree).filter((one) => !isRestriction(one) || one.feature !== 'selfRevoke')
  return [...left, ...restrictions].filter((one) => !('level' in one) || one.level !== 'none' || isNeeded(one, left))
}

/** Entries that grant nothing are only needed below one that grants something. */
const isNeeded = (entry: Permission, left: readonly Permission[]): boolean =>
  left.some((one) => one !== entry && 'streamId' in one && one.level !== 'none')
