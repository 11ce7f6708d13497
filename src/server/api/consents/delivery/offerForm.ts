/**
 * The form of an offer: its texts by language, and its requested permissions with their texts (docs/interface/consents.md#events,
 * docs/interface/consents.md#grants).
 */
import { permissionOf } from '../../../../store/model/accessRequest.js'
import type { Permission, RequestedPermission } from '../../../../store/model/access.js'
import type { ConsentEntry, OfferedPermission } from '../../../../store/model/consent.js'
import { isJsonObject, jsonObjectOf } from '../../../../store/model/json.js'

type Localized = Readonly<Record<string, string>>

/** A form for the person. Texts are by language. */
export interface OfferForm {
  /** Permissions with the texts of the form, and names for streams to create. */
  permissions: ConsentEntry[]
  allowUserChoice: boolean
  title?: Localized
  description?: Localized
  consent?: Localized
  requesterMeta?: Readonly<Record<string, unknown>>
}

/** Malformed offer; the message completes "the offer is malformed:". */
export class MalformedOffer extends Error {}

/**
 * Parses the form in an offer's content.
 * @throws MalformedOffer
 */
export function formOf({ request, requesterMeta }: Readonly<Record<string, unknown>>): OfferForm {
  const { permissions, allowUserChoice, title, description, consent } = jsonObjectOf(request)
  return {
    permissions: entriesOf(permissions),
    allowUserChoice: allowUserChoice === true,
    ...localized('title', title),
    ...localized('description', description),
    ...localized('consent', consent),
    ...(isJsonObject(requesterMeta) ? { requesterMeta } : {}),
  }
}

function entriesOf(permissions: unknown): ConsentEntry[] {
  if (!Array.isArray(permissions) || permissions.length === 0) throw new MalformedOffer('it has no permissions')
  return permissions.map((entry: unknown, at) => {
    const { mandatory, optIn, defaultName, name, ...rest } = jsonObjectOf(entry)
    if (mandatory === true && optIn === true) throw new MalformedOffer(`entry ${at} is mandatory and optIn`)
    return {
      ...plainPermission(rest, () => new MalformedOffer(`entry ${at} is not a permission`)),
      ...(typeof defaultName === 'string' ? { defaultName } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      ...(mandatory === true ? { mandatory } : {}),
      ...(optIn === true ? { optIn } : {}),
    }
  })
}

/**
 * Returns a permission on a stream or feature without members of the form. Levels that grant nothing are rejected.
 * @throws the error that `refusal` creates
 */
export function plainPermission(entry: unknown, refusal: () => Error): Permission {
  let permission: Permission
  try {
    const { defaultName: _, ...rest } = jsonObjectOf(entry)
    permission = permissionOf(rest as RequestedPermission)
  } catch {
    throw refusal()
  }
  if ('tag' in permission) throw refusal()
  return permission
}

/** Returns the entries of a form for comparison with a grant. */
export const offeredIn = ({ permissions }: OfferForm): OfferedPermission[] =>
  permissions.map((entry, at) => ({ permission: permissionOf(entry, at), isMandatory: entry.mandatory === true }))

function localized(name: 'title' | 'description' | 'consent', value: unknown): Partial<Record<typeof name, Localized>> {
  if (!isJsonObject(value)) return {}
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { [name]: Object.fromEntries(texts) }
}
