/** Converts the request of an OAuth client to the form of an app's request (accessRequest/consentWords.ts). */
import type { Offer } from '../../accessRequest/offer.js'
import { entriesOfForm } from '../../accessRequest/offeredEntries.js'
import type { OAuthClient } from '../../oauth/clients.js'
import type { OAuthOffer } from '../../oauth/offer.js'
import type { Session } from '../flow.js'

export function offerOfClient({ user, account }: Session, client: OAuthClient, offer: OAuthOffer): Offer {
  const { clientId, clientName } = client
  return {
    key: offer.capabilityId,
    username: user.username,
    app: { id: clientId, entry: { id: clientId, displayName: clientName } },
    allowsChoice: offer.allowUserChoice,
    entries: entriesOfForm(account.tree, offer),
    invites: [],
    obstacles: [],
  }
}
