/** What an account has of consents, read from a node. */
import type { Context } from '../command.js'
import { CommandError } from '../framework/exit.js'
import { listOf } from '../client/answer.js'
import type { Record_ } from '../client/answer.js'
import type { Authority, NodeClient } from '../client/nodeClient.js'
import { consentNamed, consentsOf } from './relations.js'
import type { Found } from './relations.js'

/** As many as a node answers with. */
const MOST = 100_000
const types = ['consent/request-cmc', 'consent/accept-cmc']

/** All consents of an account, the latest first, and its accesses. */
export async function loadConsents(
  client: NodeClient,
  as: Authority,
  now: number,
): Promise<{ all: Found[]; accesses: Record_[] }> {
  const inStream = async (streamId: string): Promise<Record_[]> => {
    const { events } = await client.call('events.get', { streams: [streamId], types, limit: MOST }, as)
    return listOf(events)
  }
  const apps = await inStream(':_cmc:apps')
  const inbox = await inStream(':_cmc:inbox')
  const accesses = listOf((await client.call('accesses.get', { includeExpired: true }, as))['accesses'])
  return { all: consentsOf({ apps, inbox, accesses }, now), accesses }
}

/**
 * The consent that a person names.
 * @throws CommandError 5 when there is none.
 */
export async function loadConsent(
  { now, commandFor }: Context,
  client: NodeClient,
  as: { user: string },
  word: string,
): Promise<Found & { all: Found[]; accesses: Record_[] }> {
  const { all, accesses } = await loadConsents(client, as, now())
  const found = consentNamed(all, word)
  if (found === undefined) {
    throw new CommandError(`There is no consent ${JSON.stringify(word)}.`, {
      exit: 5,
      hint: `See what there is: ${commandFor('consents', 'list', '--user', as.user)}`,
    })
  }
  return { ...found, all, accesses }
}

/** The argument of commands about a consent. */
export const CONSENT_ID = 'Its id, or that of its access'
