/** The consent offer behind a scope, as people are asked and as the signed state carries it (consent supplement 4.4, 4.5). */
import { permissionOf, type RequestedPermission } from '../../store/model/accessRequest.js'
import type { Permission } from '../../store/model/access.js'
import type { ConsentEntry, Offered } from '../../store/model/consent.js'
import { readOffer } from '../messaging/offer.js'
import type { Node } from '../node.js'
import { OAuthError } from './errors.js'

const KEPT_SECONDS = 10
const MOST_KEPT = 100
const MOST_ENTRIES = 100
const MOST_TEXT_BYTES = 8192

type Localized = Readonly<Record<string, string>>

/** An offer. Texts are by language. */
export interface OAuthOffer {
  offerName: string
  capabilityUrl: string
  capabilityId: string
  offerEventId: string
  /** With what the form says of each, and the names to make streams with. */
  permissions: ConsentEntry[]
  allowUserChoice: boolean
  title?: Localized
  description?: Localized
  consent?: Localized
  requesterMeta?: Readonly<Record<string, unknown>>
}

interface Kept {
  until: number
  offer: Promise<OAuthOffer>
}

const caches = new WeakMap<Node, Map<string, Kept>>()

/**
 * The offer of a name at an address; what was read lately is not read again.
 * @throws OAuthError `invalid_scope` when it cannot be read, or is none that people can be asked
 */
export function resolveOffer(node: Node, offerName: string, capabilityUrl: string): Promise<OAuthOffer> {
  let cache = caches.get(node)
  if (cache === undefined) caches.set(node, (cache = new Map()))
  const key = `${offerName} ${capabilityUrl}`
  const now = node.clock.now()
  const known = cache.get(key)
  if (known !== undefined && known.until > now) return known.offer
  if (cache.size >= MOST_KEPT) cache.clear()
  const kept = { until: now + KEPT_SECONDS, offer: read(node, offerName, capabilityUrl) }
  cache.set(key, kept)
  // What could not be read is read again.
  kept.offer.catch(() => cache.get(key) === kept && cache.delete(key))
  return kept.offer
}

const unusable = (text: string): OAuthError => new OAuthError('invalid_scope', text)

async function read(node: Node, offerName: string, capabilityUrl: string): Promise<OAuthOffer> {
  const found = await readOffer({ node }, capabilityUrl)
  if (!found.ok) throw unusable(`the offer ${offerName} cannot be resolved: ${found.reason}`)
  const { capabilityId, request, requesterMeta }: Record<string, unknown> = { ...found.content }
  if (typeof capabilityId !== 'string') throw unusable(`the offer ${offerName} is malformed: it has no capabilityId`)
  const { permissions, allowUserChoice, title, description, consent } = recordOf(request)
  const texts = {
    ...localized('title', title),
    ...localized('description', description),
    ...localized('consent', consent),
    ...(isRecord(requesterMeta) ? { requesterMeta } : {}),
  }
  if (Buffer.byteLength(JSON.stringify(texts)) > MOST_TEXT_BYTES) throw unusable('cmc-offer-too-large: the texts of the offer are too long')
  return {
    offerName,
    capabilityUrl,
    capabilityId,
    offerEventId: found.eventId,
    permissions: entriesOf(offerName, permissions),
    allowUserChoice: allowUserChoice === true,
    ...texts,
  }
}

function entriesOf(offerName: string, permissions: unknown): ConsentEntry[] {
  if (!Array.isArray(permissions) || permissions.length === 0) throw unusable(`the offer ${offerName} is malformed: it asks for nothing`)
  if (permissions.length > MOST_ENTRIES) throw unusable(`cmc-offer-too-large: the offer asks for more than ${MOST_ENTRIES} permissions`)
  return permissions.map((entry: unknown, at) => {
    const { mandatory, optIn, defaultName, name, ...rest } = recordOf(entry)
    if (mandatory === true && optIn === true) throw unusable(`the offer ${offerName} is malformed: entry ${at} is mandatory and optIn`)
    return {
      ...plainPermission(rest, () => unusable(`the offer ${offerName} is malformed: entry ${at} is no permission`)),
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
export function plainPermission(entry: unknown, refusal: () => OAuthError): Permission {
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

/** The entries of an offer as a grant is compared with them. */
export const offeredIn = ({ permissions }: OAuthOffer): Offered[] =>
  permissions.map((entry, at) => ({ permission: permissionOf(entry, at), isMandatory: entry.mandatory === true }))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

function localized(name: 'title' | 'description' | 'consent', value: unknown): Partial<Record<typeof name, Localized>> {
  if (!isRecord(value)) return {}
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { [name]: Object.fromEntries(texts) }
}
