/** What an OAuth client asks, in the form in which apps' requests are put into words (accessRequest/consentWords.ts). */
import { permissionOf } from '../../../store/model/accessRequest.js'
import type { Offer, OfferEntry } from '../../accessRequest/offer.js'
import type { AskedPermission } from '../../accesses/schema.js'
import type { OAuthClient } from '../../oauth/clients.js'
import type { OAuthOffer } from '../../oauth/offer.js'
import type { Session } from '../page.js'

export function offerOfClient({ user, account }: Session, client: OAuthClient, offer: OAuthOffer): Offer {
  const { clientId, clientName } = client
  return {
    key: offer.capabilityId,
    username: user.username,
    app: { id: clientId, entry: { id: clientId, displayName: clientName } },
    allowsChoice: offer.allowUserChoice,
    entries: offer.permissions.map((_, at) => entryOf(account, offer, at)),
    invites: 0,
    obstacles: [],
  }
}

function entryOf({ tree }: Session['account'], { permissions, allowUserChoice }: OAuthOffer, at: number): OfferEntry {
  const { mandatory, optIn, defaultName, name, ...rest } = permissions[at] ?? {}
  const permission = permissionOf(rest, at)
  const entry: OfferEntry = {
    id: String(at),
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
