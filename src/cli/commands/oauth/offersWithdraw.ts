import { appStreamOf, scopeOf } from '../../../store/model/cmc.js'
import { Failure } from '../../../store/model/failure.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { carryOut, provideScope } from '../../consents/trigger.js'
import { wordsByLanguage, wordsOption } from '../../consents/words.js'
import { confirm } from '../../terminal/input/confirm.js'
import { recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { flag } from '../../framework/option.js'
import { offerArguments, offerId } from './offer.js'

/** `coffer oauth offers withdraw`. */
export const withdraw = command({
  path: ['oauth', 'offers', 'withdraw'],
  summary: 'Take an offer of an OAuth client back: nobody can consent to it any more',
  description:
    'Ends the open link behind it, as far as its account is on this node, and the client may not ask for its scope any more. Who has consented already stays, and so do the tokens that came of it: coffer oauth tokens revoke, coffer consents revoke.',
  arguments: offerArguments,
  options: { reason: wordsOption('Why, for whoever comes too late'), yes: flag('Do not ask') },
  examples: [
    { type: 'coffer oauth offers withdraw heart-lab study', says: 'asks first' },
    { type: "coffer oauth offers withdraw heart-lab study --reason 'the study is full' --yes", says: 'for scripts' },
  ],
  json: '{"offerDeletion":{"client_id","name"},"event"}, the event of type consent/invalidate-link-cmc, or null where there was no open link',
  offline: false,
  async run(context, { client: clientId, name, reason, yes }) {
    const { out, connect, terminal } = context
    const words = wordsByLanguage(reason, '--reason')
    const handler = await connect()
    const offer = recordOf((await handler.call('oauth.offers.show', { clientId, name }, {}))['offer'])
    await confirm(terminal, `Take back the offer ${name} of the client ${clientId}?`, yes)
    // The link first: what is left when this is broken off is found and taken back again.
    const event = await endLink(context, handler, offer, words)
    await handler.call('oauth.clients.update', { clientId, client: { cmcOffers: { [name]: null } } }, {})
    await out.result({ offerDeletion: { client_id: clientId, name }, event }, {
      id: offerId(offer),
      print: () => {
        out.done(`The client ${clientId} cannot ask for ${textOf(offer['scope'])} any more.`)
        if (event === null && offer['state'] === 'elsewhere') out.note('  The link behind it is of another node, and stays as it is there.')
      },
    })
  },
})

/** Ends the open link of an offer that is on this node; null when there is none. */
async function endLink(context: Context, handler: NodeClient, offer: Record_, reason: Record_ | undefined): Promise<Record_ | null> {
  const { state, mode, capabilityId } = offer
  if ((state !== 'open' && state !== 'expired') || mode !== 'open-link') return null
  const as = { user: textOf(offer['username']) }
  const streamId = await streamOf(handler, as, textOf(offer['eventId']))
  const content = { capabilityId, ...(reason === undefined ? {} : { reason }) }
  return carryOut(context, handler, as, { streamId, type: 'consent/invalidate-link-cmc', content })
}

/** Where an offer was published; a stream of ours when that event is gone. */
async function streamOf(handler: NodeClient, as: { user: string }, eventId: string): Promise<string> {
  try {
    const event = recordOf((await handler.call('events.getOne', { id: eventId }, as))['event'])
    const ids = Array.isArray(event['streamIds']) ? event['streamIds'].map(textOf) : []
    const scope = scopeOf(ids)
    if (scope !== undefined) return scope
  } catch (error) {
    if (!(error instanceof Failure) || error.id !== 'unknown-resource') throw error
  }
  return provideScope(handler, as, appStreamOf('coffer'))
}
