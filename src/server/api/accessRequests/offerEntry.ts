/** Selectable entries of an offer from an app, an OAuth client or another account. */
import type { Permission } from '../../../store/model/access.js'
import type { AskedPermission } from '../accesses/schema.js'

/** One requested permission. */
export interface OfferEntry {
  /** Id, unique among the entries; names the checkbox. */
  id: string
  permission: Permission
  /** Input for access creation, with the stream name, so that a missing stream is created and a trashed one restored. */
  asked: AskedPermission
  /** For a permission on one stream: its current or future name, and its state. */
  stream?: { name: string; state: 'there' | 'trashed' | 'new' }
  /** True when marked mandatory while other entries are optional. */
  isRequired: boolean
  isTicked: boolean
  /** True when the tick cannot change: always for all-or-nothing offers. */
  isLocked: boolean
}

/** Returns ids made from the stream id, tag or feature; duplicates get a number. */
export function idsOf(permissions: readonly Permission[]): string[] {
  const usedIds = new Set<string>()
  return permissions.map((permission, at) => {
    const about = 'streamId' in permission ? permission.streamId : 'tag' in permission ? permission.tag : permission.feature
    let id = about
    for (let n = at + 1; usedIds.has(id); n++) id = `${about} (${n})`
    usedIds.add(id)
    return id
  })
}
