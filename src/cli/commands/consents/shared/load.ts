/** Loads the consents of an account from a node. */
import type { Context } from '../../../command.js'
import { CommandError } from '../../../framework/exit.js'
import type { Record_ } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import { consentNamed, consentsOf } from '../../../../server/api/consents/relations.js'
import type { ConsentRecord } from '../../../../server/api/consents/relations.js'

/** Maximum number of events that a node returns. */
const MAX_EVENTS = 100_000
const types = ['consent/request-cmc', 'consent/accept-cmc']

/** Loads all consents of an account, the latest first, and its accesses. */
export async function loadConsents(
  client: NodeClient,
  as: Authority,
  now: number,
): Promise<{ all: ConsentRecord[]; accesses: Record_[] }> {
  const inStream = async (streamId: string): Promise<Record_[]> => {
    const { events } = await client.call('events.get', { streams: [streamId], types, limit: MAX_EVENTS }, as)
    return events
  }
  const apps = await inStream(':_cmc:apps')
  const inbox = await inStream(':_cmc:inbox')
  const accesses = (await client.call('accesses.get', { includeExpired: true }, as)).accesses
  return { all: consentsOf({ apps, inbox, accesses }, now), accesses }
}

/**
 * Loads the consent with an id.
 * @throws CommandError 5 when there is none
 */
export async function loadConsent(
  { now, commandFor }: Context,
  client: NodeClient,
  as: { user: string },
  word: string,
): Promise<ConsentRecord & { all: ConsentRecord[]; accesses: Record_[] }> {
  const { all, accesses } = await loadConsents(client, as, now())
  const found = consentNamed(all, word)
  if (found === undefined) {
    throw new CommandError(`There is no consent ${JSON.stringify(word)}.`, {
      exit: 5,
      hint: `See all: ${commandFor('consents', 'list', '--user', as.user)}`,
    })
  }
  return { ...found, all, accesses }
}

/** Description of the argument that names a consent. */
export const CONSENT_ID = 'Id of the consent or of its access'
