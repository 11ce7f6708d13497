import { randomBytes } from 'node:crypto'
import { appStreamOf } from '../../../store/model/cmc.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { createRequest, requestOptions, requestOf } from '../consents/shared/request.js'
import { TEXT_FILE, textOptions, textsOf } from '../consents/shared/offerTexts.js'
import { contentOf } from '../../../server/api/consents/relations.js'
import { CommandError } from '../../framework/exit.js'
import { recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { accountOf } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { expires } from '../accesses/lifetime.js'
import type { Client } from './client.js'
import { OFFER_JSON, offerDetails, offerArguments, offerId } from './offer.js'

/** `coffer oauth offers publish`. */
export const publish = command({
  path: ['oauth', 'offers', 'publish'],
  summary: 'Publish a consent offer for an OAuth client',
  description: `Creates an open link with the offer in an account, which becomes the other side of the consents, and registers the link for the client. The client can then request the scope cmc:<name>. The account is --user, else the app account of the client.\n\n${TEXT_FILE}`,
  arguments: offerArguments,
  options: {
    ...textOptions,
    ...requestOptions,
    expires: expires('Expiry of the offer, such as 30d or 2027-01-31; defaults to never', { never: true }),
    user: text('Account that makes the offer; defaults to the app account of the client', { placeholder: 'username', names: 'user' }),
  },
  examples: [
    { type: 'coffer oauth offers publish heart-lab study --permission heart:read --texts en=offer.txt', description: 'with its texts in a file' },
    {
      type: "coffer oauth offers publish heart-lab study --texts en=en.txt --texts fr=fr.txt --permission heart:read --permission diary:read --allow-user-choice --mandatory heart --opt-in diary",
      description: 'in two languages, with an optional stream that is not selected by default',
    },
  ],
  json: `{"offer":{${OFFER_JSON},"content"}}, as in coffer oauth offers show`,
  offline: true,
  async run(context, options) {
    const { out, connect, commandFor, now, terminal } = context
    const { client: clientId, name } = options
    const expiresAt = typeof options.expires === 'number' ? now() + options.expires : null
    const request = requestOf(options, await textsOf(terminal, options), expiresAt)
    const handler = await connect()
    const client = (await handler.call('oauth.clients.show', { clientId }, {})).client
    assertOfferFree(context, client, name)
    const as = await accountOf(handler, options.user ?? ((client.username ?? '') || undefined))
    const from = options.from ?? client.client_name
    const answer = await createRequest(handler, as, { scope: scopeFor(clientId), mode: 'open-link', request, from })
    await register(handler, as, { clientId, name, event: recordOf(answer['event']) })
    const offerResult = await handler.call('oauth.offers.show', { clientId, name }, {})
    const { offer } = offerResult
    await out.result(offerResult, {
      id: offerId(offer),
      print: async () => {
        for (const line of offerDetails(offer, 'en')) out.note(line)
        out.done(`Published for ${as.user}. The client ${clientId} requests it with the scope`)
        await out.line(offer.scope)
        out.note(`  Withdraw it: ${commandFor('oauth', 'offers', 'withdraw', clientId, name)}`)
      },
    })
  },
})

function assertOfferFree({ commandFor }: Context, client: Client, name: string): void {
  if (!Object.hasOwn(client.cmc_offers, name)) return
  const id = client.client_id
  throw new CommandError(`The client ${id} already has an offer ${JSON.stringify(name)}.`, {
    exit: 6,
    hint: `Choose another name, or withdraw it first: ${commandFor('oauth', 'offers', 'withdraw', id, name)}`,
  })
}

/** Returns a new stream for an offer: consents of one stream share the messages of two accounts. */
function scopeFor(clientId: string): string {
  const app = clientId.toLowerCase().replace(/[^a-z0-9-]+/g, '-')
  return appStreamOf(`${app}:${randomBytes(5).toString('hex')}`)
}

/** Registers the link with the client; deletes the link if that fails. */
async function register(handler: NodeClient, as: { user: string }, { clientId, name, event }: { clientId: string; name: string; event: Record_ }): Promise<void> {
  const { capabilityUrl, capabilityAccessId } = contentOf(event)
  try {
    await handler.call('oauth.clients.update', { clientId, client: { cmcOffers: { [name]: { capabilityUrl: textOf(capabilityUrl) } } } }, {})
  } catch (error) {
    await handler.call('accesses.delete', { id: capabilityAccessId }, as).catch(() => undefined)
    await handler.call('events.delete', { id: event['id'] }, as).catch(() => undefined)
    throw error
  }
}
