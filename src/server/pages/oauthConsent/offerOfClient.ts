/** Converts the request of an OAuth client to the form of an app's request (accessRequest/consentWords.ts). */
import type { Offer } from '../../api/accessRequests/offer.js'
import { entriesOfForm } from '../../api/accessRequests/offeredEntries.js'
import type { OAuthClient } from '../../api/oauth/clients.js'
import type { OAuthOffer } from '../../api/oauth/offer.js'
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
