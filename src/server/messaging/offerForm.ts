/** An offer as a form for people: its texts by language, and what it asks for with what is said of each (consent supplement 1.4, 2). */
import { permissionOf, type RequestedPermission } from '../../store/model/accessRequest.js'
import type { Permission } from '../../store/model/access.js'
import type { ConsentEntry, Offered } from '../../store/model/consent.js'

type Localized = Readonly<Record<string, string>>

/** What somebody is asked. Texts are by language. */
export interface OfferForm {
  /** With what the form says of each, and the names to make streams with. */
  permissions: ConsentEntry[]
  allowUserChoice: boolean
  title?: Localized
  description?: Localized
  consent?: Localized
  requesterMeta?: Readonly<Record<string, unknown>>
}

/** What is no form; the message says why, and completes "the offer is malformed:". */
export class MalformedOffer extends Error {}

/** The form of an offer's content. Throws MalformedOffer. */
export function formOf({ request, requesterMeta }: Readonly<Record<string, unknown>>): OfferForm {
  const { permissions, allowUserChoice, title, description, consent } = recordOf(request)
  return {
    permissions: entriesOf(permissions),
    allowUserChoice: allowUserChoice === true,
    ...localized('title', title),
    ...localized('description', description),
    ...localized('consent', consent),
    ...(isRecord(requesterMeta) ? { requesterMeta } : {}),
  }
}

function entriesOf(permissions: unknown): ConsentEntry[] {
  if (!Array.isArray(permissions) || permissions.length === 0) throw new MalformedOffer('it asks for nothing')
  return permissions.map((entry: unknown, at) => {
    const { mandatory, optIn, defaultName, name, ...rest } = recordOf(entry)
    if (mandatory === true && optIn === true) throw new MalformedOffer(`entry ${at} is mandatory and optIn`)
    return {
      ...plainPermission(rest, () => new MalformedOffer(`entry ${at} is no permission`)),
      ...(typeof defaultName === 'string' ? { defaultName } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      ...(mandatory === true ? { mandatory } : {}),
      ...(optIn === true ? { optIn } : {}),
    }
  })
}

/**
 * A permission on a stream or of a feature without what forms say of it. Levels that give nothing are none.
 * @throws what `refusal` makes
 */
export function plainPermission(entry: unknown, refusal: () => Error): Permission {
  let permission: Permission
  try {
    const { defaultName: _, ...rest } = recordOf(entry)
    permission = permissionOf(rest as RequestedPermission)
  } catch {
    throw refusal()
  }
  if ('tag' in permission) throw refusal()
  return permission
}

/** The entries of a form as a grant is compared with them. */
export const offeredIn = ({ permissions }: OfferForm): Offered[] =>
  permissions.map((entry, at) => ({ permission: permissionOf(entry, at), isMandatory: entry.mandatory === true }))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

function localized(name: 'title' | 'description' | 'consent', value: unknown): Partial<Record<typeof name, Localized>> {
  if (!isRecord(value)) return {}
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { [name]: Object.fromEntries(texts) }
}
