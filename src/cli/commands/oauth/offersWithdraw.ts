import { appStreamOf, scopeOf } from '../../../store/model/cmc.js'
import { Failure } from '../../../store/model/failure.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { runTrigger, provideScope } from '../consents/shared/trigger.js'
import { wordsByLanguage, wordsOption } from '../consents/shared/words.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { offerArguments, offerId, type Offer } from './offer.js'

/** `coffer oauth offers withdraw`. */
export const withdraw = command({
  path: ['oauth', 'offers', 'withdraw'],
  summary: 'Withdraw a consent offer of an OAuth client',
  description:
    'Closes the open link of the offer, if its account is on this node, and removes the scope from the client. Consents already given stay, and so do their tokens; to end them, use coffer oauth tokens revoke and coffer consents revoke.',
  arguments: offerArguments,
  options: { reason: wordsOption('Reason, shown to anyone who opens the link later'), yes: yesOption() },
  examples: [
    { type: 'coffer oauth offers withdraw heart-lab study', description: 'ask for confirmation' },
    { type: "coffer oauth offers withdraw heart-lab study --reason 'the study is full' --yes", description: 'for scripts' },
  ],
  json: '{"offerDeletion":{"client_id","name"},"event"}, the event of type consent/invalidate-link-cmc, or null if there was no open link',
  offline: false,
  async run(context, { client: clientId, name, reason, yes }) {
    const { out, connect, terminal } = context
    const words = wordsByLanguage(reason, '--reason')
    const handler = await connect()
    const offer = (await handler.call('oauth.offers.show', { clientId, name }, {})).offer
    await confirm(terminal, `Withdraw the offer ${name} of the client ${clientId}?`, yes)
    // Closes the link first: after an interruption the offer is still found and can be withdrawn again.
    const event = await endLink(context, handler, offer, words)
    await handler.call('oauth.clients.update', { clientId, client: { cmcOffers: { [name]: null } } }, {})
    await out.result({ offerDeletion: { client_id: clientId, name }, event }, {
      id: offerId(offer),
      print: () => {
        out.done(`The client ${clientId} can no longer request ${offer.scope}.`)
        if (event === null && offer.state === 'elsewhere') out.note('  The link of the offer is on another node and stays open there.')
      },
    })
  },
})

/** Closes the open link of an offer on this node; returns null when there is none. */
async function endLink(context: Context, handler: NodeClient, offer: Offer, reason: Record_ | undefined): Promise<Record_ | null> {
  const { state, mode, capabilityId } = offer
  if ((state !== 'open' && state !== 'expired') || mode !== 'open-link') return null
  const as = { user: (offer.username ?? '') }
  const streamId = await streamOf(handler, as, offer.eventId ?? '')
  const content = { capabilityId, ...(reason === undefined ? {} : { reason }) }
  return runTrigger(context, handler, as, { streamId, type: 'consent/invalidate-link-cmc', content })
}

/** Returns the stream of the published offer; a new stream when its event was deleted. */
async function streamOf(handler: NodeClient, as: { user: string }, eventId: string): Promise<string> {
  try {
    const event = (await handler.call('events.getOne', { id: eventId }, as)).event
    const ids = Array.isArray(event.streamIds) ? event.streamIds.map(textOf) : []
    const scope = scopeOf(ids)
    if (scope !== undefined) return scope
  } catch (error) {
    if (!(error instanceof Failure) || error.id !== 'unknown-resource') throw error
  }
  return provideScope(handler, as, appStreamOf('coffer'))
}
