/** What can be ticked of an offer, whoever makes it: an app, an OAuth client, another account. */
import type { Permission } from '../../store/model/access.js'
import type { AskedPermission } from '../accesses/schema.js'

/** One of the things that are asked for. */
export interface OfferEntry {
  /** Its own among the entries: what a checkbox for it is named. */
  id: string
  permission: Permission
  /** What makes an access of it: with the name of the stream, so that a missing one is made and a trashed one restored. */
  asked: AskedPermission
  /** Of a permission on one stream: the name that it has or would get, and whether it is there. */
  stream?: { name: string; state: 'there' | 'trashed' | 'new' }
  /** Whether it is said to be indispensable, while other things can be left out. */
  isRequired: boolean
  isTicked: boolean
  /** Whether the tick stays as it is: always, where all or nothing is given. */
  isLocked: boolean
}

/** Ids by what the entries are about; of several on the same, the later ones with their number. */
export function idsOf(permissions: readonly Permission[]): string[] {
  const taken = new Set<string>()
  return permissions.map((permission, at) => {
    const about = 'streamId' in permission ? permission.streamId : 'tag' in permission ? permission.tag : permission.feature
    let id = about
    for (let n = at + 1; taken.has(id); n++) id = `${about} (${n})`
    taken.add(id)
    return id
  })
}
