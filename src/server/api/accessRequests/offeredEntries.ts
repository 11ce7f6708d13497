/** Converts offers of other accounts and OAuth clients to the entries that consentWords.ts renders. */
import type { Permission } from '../../../store/model/access.js'
import { permissionOf } from '../../../store/model/accessRequest.js'
import type { ConsentEntry } from '../../../store/model/consent.js'
import type { Tree } from '../../../store/model/tree.js'
import type { AskedPermission } from '../accesses/schema.js'
import type { OfferForm } from '../consents/delivery/offerForm.js'
import { idsOf, type OfferEntry } from './offerEntry.js'

/** Returns the entries of a form, for the account with this tree. */
export function entriesOfForm(tree: Tree, { permissions, allowUserChoice }: OfferForm): OfferEntry[] {
  const plain = permissions.map(({ mandatory: _m, optIn: _o, defaultName: _d, name: _n, ...rest }, at) => permissionOf(rest, at))
  const ids = idsOf(plain)
  return plain.map((permission, at) => entryOf(tree, permission, ids[at] ?? '', permissions[at] ?? {}, allowUserChoice))
}

function entryOf(tree: Tree, permission: Permission, id: string, form: ConsentEntry, allowUserChoice: boolean): OfferEntry {
  const { mandatory, optIn, defaultName, name } = form
  const entry: OfferEntry = {
    id,
    permission,
    asked: permission as AskedPermission,
    isRequired: allowUserChoice && mandatory === true,
    isTicked: !(allowUserChoice && optIn === true),
    isLocked: !allowUserChoice || mandatory === true,
  }
  if (!('streamId' in permission) || permission.streamId === '*') return entry
  const stream = tree.get(permission.streamId)
  const given = [defaultName, name].find((text): text is string => typeof text === 'string' && text !== '')
  const state = stream === undefined ? 'new' : stream.trashed === true ? 'trashed' : 'there'
  return { ...entry, stream: { name: stream?.name ?? given ?? permission.streamId, state } }
}
